import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readQuickly } from './quick-reader.ts';
import { SourceText } from './source.ts';
import { readThoroughly } from './thorough-reader.ts';

const shop = readFileSync(new URL('../../fixtures/shop/workspace.skein.yaml', import.meta.url), 'utf8');

/** What the quick reader takes. */
const plain: readonly string[] = [
  shop,
  'n: [0o14, 0x1F, 1_000, .5, 5., -.inf, .nan, 012, 1e3, 1e999, +1, -0, 0b11, 9007199254740993]\n',
  `n: ${'9'.repeat(400)}\n`,
  'w: [yes, no, on, off, ~, null, Null, nUll, TRUE, tRue, 2001-12-14, 1:30, 1.2.3, 10s]\n',
  'true: 1\nnull: 2\n1: 3\n0x10: 4\n~: 5\n"1": 6\n',
  'q: "a\\tb\\u263a\\x41\\"c\\\\\\/\\ \\N"\nr: \'it\'\'s # no comment\'\ns: ""\n',
  'q: "a  \n  b\n\n  c\\  \n  d"\nr: \'a\n\n\n  b  \'\n',
  'p: several words\n  on  \n\n   lines\nq: -x\nr: ?y\ns: http://h:80/p#q\nt: x |\n',
  'b: |\n  a\n\n   b\n\n\nc: >-\n  a\n  b\n\n  c\n   d\n  e\nd: |-\ne: |\n  key: value \\\n  # no comment\n',
  '# a\na: b # c\n\n#d\nc: # e\n  # f\n  d: [e, # g\n    f]\n# h\n',
  'a: b\r\nc:\r\n  - "d\r\n    e"\r\n  - |\r\n    f\r\n\r\n    g\r\n',
  'a: [b,\n  [c, d], {e: f, "g":h},\n  []]\ni: {j: k,\n  l: {},\n  }\n',
  'a: &x { b: c }\nd: *x\ne: &y-1\n  - *x\nf: [*y-1 , *x]\n',
  'a: *x\nb: &b [*b]\n',
  'a: 1\n"a": 2\nb: { c: 1, c: 2 }\n',
  '<<: { a: b }\n"<<": c\n__proto__: d\nconstructor: e\n',
  'a b: 1\nc:d: 2\n"e: f": 3\n-g: 4\né😀: 5\nh#i: 6\n',
  'a:\n- - b\n  - c: d\n    e: f\n  -   - g\n- h\ni: j\n',
  '---\n# a\nb: ---\n',
  `${'k'.repeat(1024)}: v\n`,
];

/** What the quick reader leaves: the libraries differ there, or its own tells too little. */
const left: readonly string[] = [
  '',
  '# nothing\n',
  '- a\n',
  'a\n',
  '""\n',
  '%YAML 1.2\n---\na: b\n',
  ' %x\n--- a\n',
  'a: b\n...\n',
  '... b\n',
  'a: b\n---\nc: d\n',
  ' --- a: b\n',
  'a:\tb\n',
  'a: b\rc: d\n',
  'a: \uFEFFb\n',
  'a: \0\n',
  'a: !!str 1\n',
  'a:\n',
  'a: [b, ]\nc: &x\n',
  'a:\n  -\n',
  '{ a }\n',
  '[a: b]\n',
  'a: [b: c]\n',
  '? a\n: b\n',
  ' ? |\n : b\n',
  'a : b\n',
  ': a\n',
  '&x a: b\n',
  '{ [a]: b }\n',
  '*x : a\n',
  'a: *x:\n',
  'a: &é b\n',
  'a: &x{}\n',
  'a: "b\\\n  c"\n',
  'a: "\\U00110000"\n',
  'a: |+\n  b\n',
  'a: |2\n  b\n',
  'a: | # b\n  c\n',
  'a: | # |\n  b\n',
  'a:\n#b\n c\nd: e\n',
  'a:\n#b\n &x c\nd: e\n',
  'a:\n  -\n#b\n   c\n',
  "a:\n- ''<: b\n",
  '{ a: b\n#c\n}\n',
  'a: {\n  b: [c]\n# d\n # e\n\n , f: g }\n',
  'a: {\n  b: c\r\n# d\r\n }\n',
  `${'k'.repeat(1025)}: v\n`,
  `a: ${'['.repeat(60)}${']'.repeat(60)}\n`,
];

/** Whether the quick reader takes the text. The tree that it then makes is the thorough reader's: value, places and faults come of it alone. */
function agreed(text: string): boolean {
  const source = new SourceText('/f', text);
  const root = readQuickly(source);
  if (root !== undefined) expect(readThoroughly(source), JSON.stringify(text)).toEqual({ root });
  return root !== undefined;
}

test.each(plain)('W-4 the quick reader takes %j', (text) => {
  expect(agreed(text)).toBe(true);
});

test.each(left)('W-4 the quick reader leaves %j to the thorough one', (text) => {
  expect(agreed(text)).toBe(false);
});

const indicators: readonly string[] = [
  ...'\n -:,[]{}#"\'|>&*!?%@`\\\t\r\0\uFEFF\u0085\u2028.~<=aé0',
  ...[
    '\n\n',
    '  ',
    ': ',
    '- ',
    ' #',
    '\n#',
    '\n  ',
    '\r\n',
    '---\n',
    '...\n',
    '&a ',
    '*a',
    '? ',
    '|-\n',
    '>\n',
  ],
  ...['\\n', '\\x41', '\\\n', '{}', '[a: b]', '{a, b: c}', 'key: value\n', '!t ', '<<: ', '😀', '\ud800'],
];

/** Cuts some characters out at a position (a share of the text) and puts others in. */
const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.nat({ max: 3 }),
  put: fc.oneof(fc.constant(''), fc.constantFrom(...indicators)),
});

test('W-4 the two readers agree on texts mutated character by character', () => {
  const text = fc.constantFrom(...plain, ...left);
  fc.assert(
    fc.property(text, fc.array(edit, { minLength: 1, maxLength: 4 }), (start, edits) => {
      agreed(
        edits.reduce((mutated, { at, cut, put }) => {
          const offset = Math.round(at * mutated.length);
          return mutated.slice(0, offset) + put + mutated.slice(offset + cut);
        }, start),
      );
    }),
    { numRuns: 2000 },
  );
});

test('W-4 the two readers agree on documents of any value and style', () => {
  const word = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...indicators), maxLength: 8 }),
    fc.constantFrom(
      'a',
      'name',
      '0x1F',
      '1e3',
      'null',
      '~',
      'yes',
      '- a',
      'a: b',
      'one\n two\n\nthree\n',
      ' # a\n',
    ),
  );
  const leaf = fc.oneof(word, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
  const { document } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('value'), { maxLength: 4 }), tie('document')),
    document: fc.dictionary(
      word.filter((key) => key !== '__proto__' && key !== '<<'),
      tie('value'),
      { minKeys: 1, maxKeys: 4 },
    ),
  }));
  const style = fc.record({
    collectionStyle: fc.constantFrom('any', 'block', 'flow'),
    defaultStringType: fc.constantFrom(
      'PLAIN',
      'QUOTE_SINGLE',
      'QUOTE_DOUBLE',
      'BLOCK_LITERAL',
      'BLOCK_FOLDED',
    ),
    defaultKeyType: fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE'),
    indent: fc.constantFrom(1, 2, 4),
    indentSeq: fc.boolean(),
    lineWidth: fc.constantFrom(0, 20, 80),
  });
  let taken = 0;
  fc.assert(
    fc.property(document, style, (value, options) => {
      if (agreed(stringify(value, { ...options, aliasDuplicateObjects: false } as const))) taken++;
    }),
    { numRuns: 500 },
  );
  expect(taken).toBeGreaterThan(50);
});

test('W-17 what a plain file needs is loaded without the thorough reader and its library', async () => {
  const { metafile } = await build({
    entryPoints: [new URL('load.ts', import.meta.url).pathname],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outdir: 'unwritten',
    write: false,
    metafile: true,
  });
  const loaded = new Set(Object.keys(metafile.outputs).filter((name) => name.endsWith('/load.js')));
  for (const name of loaded) {
    for (const { path, kind } of metafile.outputs[name]?.imports ?? [])
      if (kind === 'import-statement') loaded.add(path);
  }
  const sources = [...loaded].flatMap((name) => Object.keys(metafile.outputs[name]?.inputs ?? {}));
  expect(sources.some((source) => source.includes('node_modules/js-yaml/'))).toBe(true);
  expect(sources.filter((source) => source.includes('node_modules/yaml/'))).toEqual([]);
});
