import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SourceText } from './source.ts';

/** The line as an error at its end shows it. */
const shown = (...lines: readonly string[]): string | undefined => {
  const text = lines.join('\n');
  return new SourceText('/f.yaml', text).place(text.length).source;
};

describe('C-2 a shown line holds no secret, and all else in its column', () => {
  test.each([
    ['DB_PASSWORD: hunter2', 'DB_PASSWORD: *******'],
    ['  - apiKey: "hunter2" # mine', '  - apiKey: "*******" # mine'],
    ["{ token: 'it''s', unknwon: 1 }", "{ token: '*****', unknwon: 1 }"],
    ['{ password: hunter2, unknwon: 1 }', '{ password: *******, unknwon: 1 }'],
    ['{"DB_PASSWORD":"hunter2","x":{"y":1}}', '{"DB_PASSWORD":"*******","x":{"y":1}}'],
    ['{ password: hun,ter2 }', '{ password: ******** }'],
    ['password: "hunter2', 'password: "*******'],
    ['password: "a\\"b", c: d', 'password: "****", c: d'],
    ['password: a, b: c', 'password: ** ** *'],
    ['password:hunter2', 'password:*******'],
    ['api key: hunter2', 'api key: *******'],
    [
      'DB_PASSWORD: "hunter2-${endpoint:shop/db/sql|pord}"',
      'DB_PASSWORD: "********${endpoint:shop/db/sql|pord}"',
    ],
    ['URL: postgres://me:hunter2@localhost/x', 'URL: ***************************************'.slice(0, 38)],
    ['- postgres://me:hunter2@localhost', '- postgres://********************'],
    ['name: token-service', 'name: token-service'],
    ['author: me', 'author: me'],
    ['url: http://localhost:80/?q=1', 'url: http://localhost:80/?q=1'],
  ])('%s', (line, expected) => {
    expect(shown(line)).toBe(expected);
    expect(expected).toHaveLength(line.length);
  });

  test.each<[string, string[], string]>([
    ['a literal block', ['DB_PASSWORD: |', '  a', '', '   hunter2'], '   *******'],
    ['a folded block in a list', ['- token: >-', '    a', '    hunter2'], '    *******'],
    ['a text that goes on', ['password: "a', '  b: c'], '  ** *'],
    ['a text on a line of its own', ['password:', '  hunter2'], '  *******'],
    ['a mapping below the key, whose keys stay', ['auth:', '  usr: hunter2'], '  usr: *******'],
    ['a list as far left as its key', ['passwords:', '- hunter2'], '* *******'],
    ['a list in json', ['"passwords": [', '  "hunter2"'], '  *********'],
    ['the line after it', ['password: hunter2', 'name: x'], 'name: x'],
    ['a key after a block', ['a:', '  password: |', '    x', '  b: c'], '  b: c'],
  ])('%s', (_, lines, expected) => expect(shown(...lines)).toBe(expected));

  test('whatever the text, the line is as long as it was written', () => {
    const piece = fc.constantFrom(
      'password',
      ':',
      ' ',
      '"',
      "'",
      '{',
      '}',
      ',',
      '\n',
      '- ',
      '|',
      '${self:x}',
      'a',
      '://u:p@h',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
        fc.nat(30),
        (text, at) => {
          const place = new SourceText('/f.yaml', text).place(at);
          expect(place.source).toHaveLength((text.split('\n')[place.line - 1] ?? '').length);
        },
      ),
    );
  });

  test('a hostile line of a mebibyte is shown', () => {
    for (const part of ['a ', '"a', '{a', "password: '", 'a:b '])
      expect(shown(part.repeat(2 ** 20 / part.length))).toHaveLength(
        part.length * Math.floor(2 ** 20 / part.length),
      );
  });
});
