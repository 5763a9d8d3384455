import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnsiStripper, stripAnsi } from './ansi.ts';

describe('U-13 escape sequences are stripped', () => {
  test.each<[string, string, string]>([
    ['none', 'plain text, é €', 'plain text, é €'],
    ['colours', '\u001b[1;31mred\u001b[0m!', 'red!'],
    ['cursor movements and modes', 'a\u001b[2K\u001b[?25l\u001b[10;20Hb', 'ab'],
    ['intermediate characters', 'a\u001b(B\u001b[ qb', 'ab'],
    ['single characters', 'a\u001b7\u001b8\u001bcb', 'ab'],
    ['a title ended by BEL', '\u001b]0;title\u0007text', 'text'],
    ['a link ended by ST', '\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\.', 'link.'],
    ['a device control string', 'a\u001bPq#0\u001b\\b', 'ab'],
    ['8-bit introducers', 'a\u009b31mb\u009d0;t\u009cc', 'abc'],
    ['a string broken off by another sequence', '\u001b]0;x\u001b[1mtext', 'text'],
    ['a string broken off by CAN', '\u001b]0;x\u0018text', 'text'],
    ['a control sequence broken off by a tab', 'a\u001b[1\tb', 'a\tb'],
    ['an escape at the end', 'a\u001b', 'a'],
    ['a control sequence at the end', 'a\u001b[1;3', 'a'],
  ])('%s', (_title, text, expected) => {
    expect(stripAnsi(text)).toBe(expected);
  });

  test('run-27 an unterminated string ends with its line', () => {
    const stripper = new AnsiStripper();
    expect(stripper.strip(`a\u001b]${'x'.repeat(1000)}`, true)).toBe('a');
    expect(stripper.strip('y'.repeat(1000), true)).toBe('');
    expect(stripper.strip('z', false)).toBe('');
    expect(stripper.strip('the next line', false)).toBe('the next line');
  });

  const hostile = fc
    .array(
      fc.constantFrom(
        '\u001b',
        '[',
        ']',
        '0',
        ';',
        'm',
        '\u0007',
        '\\',
        'P',
        '(',
        '\u009b',
        '\u009d',
        '\u009c',
        'é',
        '\t',
        '\u0018',
      ),
    )
    .map((characters) => characters.join(''));

  test('stripping in pieces gives what stripping the whole gives', () => {
    fc.assert(
      fc.property(hostile, fc.nat(20), (text, at) => {
        const stripper = new AnsiStripper();
        expect(stripper.strip(text.slice(0, at), true) + stripper.strip(text.slice(at), false)).toBe(
          stripAnsi(text),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  test('what is left has no escape and is not changed by another pass', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const stripped = stripAnsi(text);
        expect(stripped).not.toMatch(/[\u009b-\u009d]/);
        expect(stripped).not.toContain('\u001b');
        expect(stripAnsi(stripped)).toBe(stripped);
      }),
    );
  });
});
