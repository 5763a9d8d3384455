import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultsOf, SkeinError } from '../errors/index.ts';
import { type Piece, parseTemplate } from './reference.ts';

const place = { file: '/shop/workspace.skein.yaml', line: 7, column: 12, source: 'irrelevant' };
const parse = (text: string): readonly Piece[] => parseTemplate({ text, place });

function faults(text: string): readonly SkeinError[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof SkeinError) return faultsOf(error);
    throw error;
  }
  throw new Error(`${text} was not refused`);
}

describe('C-7 what a reference is', () => {
  test.each<[string, object]>([
    ['${endpoint:shop/api/http}', { kind: 'endpoint', service: 'shop/api', token: 'http', part: undefined }],
    [
      '${endpoint:shop/api/http|host}',
      { kind: 'endpoint', service: 'shop/api', token: 'http', part: 'host' },
    ],
    ['${endpoint:shop/api/http|port}', { kind: 'endpoint', part: 'port' }],
    ['${endpoint:shop/api/http|authority}', { kind: 'endpoint', part: 'authority' }],
    ['${endpoint:shop/api/http|url}', { kind: 'endpoint', part: 'url' }],
    ['${self:http}', { kind: 'self', token: 'http', part: undefined }],
    ['${self:http|port}', { kind: 'self', token: 'http', part: 'port' }],
    [
      '${configuration:data/db/connection}',
      { kind: 'configuration', service: 'data/db', path: 'connection' },
    ],
    [
      '${configuration:data/db/admin/USER_name.x}',
      { kind: 'configuration', service: 'data/db', path: 'admin/USER_name.x' },
    ],
    [
      '${configuration:data/db/auth/frontend/id}',
      { kind: 'configuration', service: 'data/db', path: 'auth/frontend/id' },
    ],
  ])('%s', (written, expected) => {
    expect(parse(written)).toMatchObject([{ ...expected, written, place: { line: 7, column: 12 } }]);
  });

  test('text and references alternate, each reference with its column', () => {
    expect(parse('http://${self:http|authority}/x?db=${endpoint:a/b/c}!')).toMatchObject([
      { kind: 'text', text: 'http://' },
      { kind: 'self', place: { line: 7, column: 19 } },
      { kind: 'text', text: '/x?db=' },
      { kind: 'endpoint', place: { line: 7, column: 47 } },
      { kind: 'text', text: '!' },
    ]);
  });
});

describe('C-7 what is literal', () => {
  test.each([
    ['', []],
    ['plain', 'plain'],
    ['$', '$'],
    ['a$b', 'a$b'],
    ['$HOME', '$HOME'],
    ['$$', '$'],
    ['$$$', '$$'],
    ['$${self:http}', '${self:http}'],
    ['costs 5$', 'costs 5$'],
    ['}{|:', '}{|:'],
  ])('%j', (text, expected) => {
    expect(parse(text)).toEqual(typeof expected === 'string' ? [{ kind: 'text', text: expected }] : expected);
  });

  test('$$$ before a brace is a dollar and a reference', () => {
    expect(parse('$$${self:http}')).toMatchObject([{ kind: 'text', text: '$' }, { kind: 'self' }]);
  });

  test('any text with its dollars doubled is itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'a', ':', '/', '\n', '|') }), (text) => {
        const pieces = parse(text.replaceAll('$', '$$$$'));
        expect(pieces.map((piece) => (piece.kind === 'text' ? piece.text : '?')).join('')).toBe(text);
      }),
    );
  });

  test('any text either parses or is refused with faults inside it', () => {
    const words = fc.constantFrom(
      '${',
      '}',
      '$',
      'endpoint:',
      'self:',
      'configuration:',
      'a',
      '/',
      '|',
      'host',
      '\n',
      'é',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        try {
          parse(text);
        } catch (error) {
          if (!(error instanceof SkeinError)) throw error;
          for (const fault of faultsOf(error)) {
            expect(fault.code).toMatch(/^SK110[123]$/);
            expect(fault.place).toMatchObject({ file: place.file });
          }
        }
      }),
    );
  });
});

describe('C-7 a malformed reference is refused', () => {
  test.each([
    ['${', 'SK1101', 'is not closed'],
    ['${self:http', 'SK1101', 'the reference ${self:http is not closed: a `}` is missing'],
    ['${self:http\n}', 'SK1101', 'is not closed'],
    ['${}', 'SK1101', 'is empty'],
    ['${self}', 'SK1101', 'names nothing: a `:` must follow `self`'],
    ['${self:}', 'SK1101', 'names nothing; expected ${self:endpoint}'],
    ['${self:Http}', 'SK1101', 'has the bad name "Http"'],
    ['${self: http}', 'SK1101', 'has the bad name " http"'],
    ['${self:a/b}', 'SK1101', 'is not ${self:endpoint}'],
    ['${endpoint:api/http}', 'SK1101', 'has 2 names; expected ${endpoint:module/service/endpoint}'],
    ['${endpoint:a/b/c/d}', 'SK1101', 'has 4 names'],
    ['${endpoint:a//c}', 'SK1101', 'has the bad name ""'],
    ['${endpoint:a/b/c|}', 'SK1101', 'asks for the part ``'],
    ['${endpoint:a/b/c|prt}', 'SK1101', 'asks for the part `prt`; did you mean `port`?'],
    ['${endpoint:a/b/c|path}', 'SK1101', 'asks for the part `path`; '],
    ['${endpoint:a/b/c|host|port}', 'SK1101', 'asks for the part `host|port`'],
    [
      '${configuration:data/db}',
      'SK1101',
      'has 2 names; expected ${configuration:module/service/group[/key]}',
    ],
    ['${configuration:data/db/a b}', 'SK1101', 'has the bad name "a b"'],
    ['${configuration:data/db/a|host}', 'SK1101', 'has a part'],
    ['${endpont:a/b/c}', 'SK1102', 'is of the unknown kind "endpont"; did you mean `endpoint`?'],
    ['${HOME}', 'SK1102', 'is of the unknown kind "HOME"; it can be endpoint, self, configuration, secret'],
    ['${secret:op://a/b}', 'SK1103', 'names a secret'],
  ])('%j', (text, code, reason) => {
    expect(faults(text).map((fault) => [fault.code, fault.message.includes(reason)])).toEqual([[code, true]]);
  });

  test('with its place: the line of a block, the column behind its indentation', () => {
    expect(faults('a\n  b ${x:y}')[0]?.place).toEqual({ file: place.file, line: 8, column: 16 });
    expect(faults('ab ${x:y}')[0]?.place).toEqual({ ...place, column: 15 });
  });

  test('all of one text at once, an unclosed one ending where the next begins', () => {
    expect(faults('${self:a ${b:c} ${} ok').map((fault) => [fault.code, fault.place])).toEqual([
      ['SK1101', { ...place, column: 12 }],
      ['SK1102', { ...place, column: 21 }],
      ['SK1101', { ...place, column: 28 }],
    ]);
  });
});
