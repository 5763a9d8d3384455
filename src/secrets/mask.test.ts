import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MASK, SecretMask } from './mask.ts';

function maskOf(...secrets: readonly string[]): SecretMask {
  const mask = new SecretMask();
  for (const secret of secrets) mask.add(secret);
  return mask;
}

describe('U-13 secrets are masked', () => {
  test.each([
    ['a plain value', ['hunter2'], 'login hunter2 ok', `login ${MASK} ok`],
    [
      'the password of a URL alone',
      ['postgres://u:p%40ssw0rd@db/x'],
      'pw p@ssw0rd p%40ssw0rd',
      `pw ${MASK} ${MASK}`,
    ],
    ['each line of a value of many', ['BEGIN KEY\nabcdef\nEND KEY'], 'got abcdef', `got ${MASK}`],
    ['texts within a JSON document', ['{"client":{"secret":"s3cr3t!"}}'], 'using s3cr3t!', `using ${MASK}`],
    ['overlapping values as one', ['abcdef', 'defghi'], 'xabcdefghiy', `x${MASK}y`],
    ['nothing where the value is too short to be one', ['abc'], 'abc', 'abc'],
  ])('%s', (_what, secrets, text, expected) => {
    expect(maskOf(...secrets).apply(text)).toBe(expected);
  });

  test('always: no secret is left, however secrets overlap', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 4 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c') }),
        (secrets, text) => {
          const masked = maskOf(...secrets).apply(text);
          expect(secrets.some((secret) => masked.includes(secret))).toBe(false);
        },
      ),
    );
  });

  test('always: a text cut where it may be cut is masked as if it were whole', () => {
    const letters = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
      fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength, maxLength });
    fc.assert(
      fc.property(
        fc.array(letters(4, 6), { minLength: 1, maxLength: 3 }),
        letters(0, 60),
        letters(0, 60),
        (secrets, first, second) => {
          const mask = maskOf(...secrets);
          const cut = mask.safeCut(first);
          expect(mask.apply(first.slice(0, cut)) + mask.apply(first.slice(cut) + second)).toBe(
            mask.apply(first + second),
          );
        },
      ),
    );
  });
});
