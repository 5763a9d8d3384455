import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineSplitter, type LineSplitterOptions, type Lines } from './lines.ts';

/** What arrived, taken apart into single lines. */
function split(chunks: readonly (string | Buffer)[], options?: LineSplitterOptions): Lines[] {
  const splitter = new LineSplitter('stdout', options);
  const arrived = chunks.flatMap((chunk, index) => splitter.push(Buffer.from(chunk), index));
  return [...arrived, ...splitter.end(chunks.length)].flatMap(({ text, lines, ...rest }) => {
    const single = text.split('\n').map((line) => ({ ...rest, text: line, lines: 1 }));
    expect(single).toHaveLength(lines);
    return single;
  });
}

function texts(chunks: readonly (string | Buffer)[], options?: LineSplitterOptions): string[] {
  return split(chunks, options).map(({ text, partial }) => (partial ? `${text}…` : text));
}

/** Joins the pieces of each line. */
function joined(lines: readonly Lines[]): string[] {
  const whole: string[] = [];
  let open = '';
  for (const { text, partial } of lines) {
    open += text;
    if (partial) continue;
    whole.push(open);
    open = '';
  }
  return whole;
}

describe('U-13 lines of a service', () => {
  test.each<[string, (string | Buffer)[], string[]]>([
    ['are ended by line feeds', ['a\nb\n'], ['a', 'b']],
    ['may be empty', ['\n\na\n'], ['', '', 'a']],
    ['may be torn between chunks', ['a', 'b\nc', '', 'd\n'], ['ab', 'cd']],
    ['are delivered at the end without a line feed', ['a\nb'], ['a', 'b']],
    ['are not invented at the end', ['a\n'], ['a']],
    ['may end with CRLF', ['a\r\nb\r\n'], ['a', 'b']],
    ['may have CRLF torn between chunks', ['a\r', '\nb\r', '\n'], ['a', 'b']],
    ['may be an empty CRLF', ['\r\n\r', '\n'], ['', '']],
    ['keep the last state of a progress bar', ['10%\r20%\r100%\ndone\n'], ['100%', 'done']],
    ['keep the last state when a return ends it', ['10%\r100%\r\n', '1%\r9%\r', '\r', '\n'], ['100%', '9%']],
    ['keep the last state at the end', ['10%\r', '20%\r'], ['20%']],
    ['begin anew after a leading return', ['\r10%\n', '\r', '20%\n'], ['10%', '20%']],
    [
      'may have characters torn between chunks',
      [Buffer.from([0xe2, 0x82]), Buffer.from([0xac, 0x0a])],
      ['€'],
    ],
    [
      'have invalid bytes replaced',
      [Buffer.from([0x61, 0xff, 0x62, 0x0a, 0xe2, 0x82, 0x0a])],
      ['a\ufffdb', '\ufffd'],
    ],
  ])('%s', (_title, chunks, expected) => {
    expect(texts(chunks)).toEqual(expected);
  });

  test('carry their stream and the time at which they were completed', () => {
    const splitter = new LineSplitter('stderr');
    expect(splitter.push(Buffer.from('a\nb'), 5)).toEqual([
      { text: 'a', lines: 1, stream: 'stderr', timeMs: 5, partial: false },
    ]);
    expect(splitter.push(Buffer.from('c\nd\ne\n'), 9)).toEqual([
      { text: 'bc', lines: 1, stream: 'stderr', timeMs: 9, partial: false },
      { text: 'd\ne', lines: 2, stream: 'stderr', timeMs: 9, partial: false },
    ]);
  });

  test('longer than the limit come in pieces', () => {
    const options = { maxPieceBytes: 4 };
    expect(texts(['abcd\n', 'abcde\n', 'abcdefghi', 'j\nk\n'], options)).toEqual([
      ...['abcd', 'abcd…', 'e', 'abcd…', 'efgh…', 'ij', 'k'],
    ]);
  });

  test('are never cut inside a character', () => {
    expect(texts(['ab€d€\n', '€€\n', '😀😀'], { maxPieceBytes: 4 })).toEqual([
      ...['ab…', '€d…', '€', '€…', '€', '😀…', '😀'],
    ]);
  });

  test('of 10 MB are intact when their pieces are joined', () => {
    const long = 'ab€😀'.repeat(1_000_000);
    const bytes = Buffer.from(`${long}\nnext\n`);
    const chunks = Array.from({ length: Math.ceil(bytes.length / 65_521) }, (_, index) =>
      bytes.subarray(index * 65_521, (index + 1) * 65_521),
    );
    const lines = split(chunks);
    expect(joined(lines)).toEqual([long, 'next']);
    expect(Math.max(...lines.map(({ text }) => Buffer.byteLength(text)))).toBeLessThanOrEqual(64 * 1024);
  });

  test('a live progress bar without a line feed is held in bounded memory', () => {
    const splitter = new LineSplitter('stdout', { maxPieceBytes: 64 });
    for (let percent = 0; percent < 10_000; percent++)
      expect(splitter.push(Buffer.from(`${percent} of 10000\r`), percent)).toEqual([]);
    expect(splitter.end(0).map(({ text }) => text)).toEqual(['9999 of 10000']);
  });

  test('a splitter is as new after the end', () => {
    const splitter = new LineSplitter('stdout', { maxPieceBytes: 4 });
    splitter.push(Buffer.from('abcdef\r'), 0);
    splitter.end(0);
    expect(splitter.end(0)).toEqual([]);
    expect(splitter.push(Buffer.from('x\n'), 1).map(({ text }) => text)).toEqual(['x']);
  });
});

describe('U-13 always', () => {
  // Dense in everything that matters: endings, multi-byte characters, broken ones.
  const piece = fc.oneof(
    fc
      .constantFrom('\n', '\r', '\r\n', 'a', 'bc', '€', '😀', 'é', '12345678')
      .map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
  );
  const bytes = fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.concat(pieces));
  const borders = fc.array(fc.nat(400), { maxLength: 20 });
  const maxPieceBytes = fc.constantFrom(4, 5, 7, 16, 64 * 1024);

  function cut(whole: Buffer, at: readonly number[]): Buffer[] {
    const edges = [0, ...at.map((edge) => Math.min(edge, whole.length)).sort((a, b) => a - b), whole.length];
    return edges.slice(1).map((edge, index) => whole.subarray(edges[index], edge));
  }

  test('the lines do not depend on where the chunks end', () => {
    fc.assert(
      fc.property(bytes, borders, maxPieceBytes, (whole, at, limit) => {
        const options = { maxPieceBytes: limit };
        expect(texts(cut(whole, at), options)).toEqual(texts([whole], options));
      }),
      { numRuns: 2_000 },
    );
  });

  test('lines are what a plain reading of the whole gives', () => {
    fc.assert(
      fc.property(bytes, borders, (whole, at) => {
        const written = whole.toString('utf8').split('\n');
        if (written.at(-1)?.replace(/\r/g, '') === '' && !written.at(-1)?.includes('\r')) written.pop();
        const expected = written.map((line) => line.replace(/\r+$/, '').split('\r').at(-1));
        expect(texts(cut(whole, at))).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  test('the pieces of a line, joined, are the line', () => {
    fc.assert(
      fc.property(bytes, borders, maxPieceBytes, (whole, at, limit) => {
        const withoutReturns = Buffer.from(whole.filter((byte) => byte !== 0x0d));
        const inPieces = split(cut(withoutReturns, at), { maxPieceBytes: limit });
        expect(joined(inPieces)).toEqual(texts([withoutReturns]));
      }),
      { numRuns: 2_000 },
    );
  });
});
