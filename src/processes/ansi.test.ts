import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnsiStripper, hasAnsi, onlyColours, stripAnsi } from './ansi.ts';

const hostile = fc
  .array(
    fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '0',
      ';',
      '?',
      'm',
      'H',
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

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const colours = /\u001b\[[0-9;:]*m/g;

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

describe('U-10 for a terminal colours are kept, and nothing that steers it', () => {
  test.each<[string, string, string]>([
    ['none', 'plain text, é €', 'plain text, é €'],
    ['colours', '\u001b[1;38:2::1:2:3mred\u001b[m!', '\u001b[1;38:2::1:2:3mred\u001b[m!'],
    ['a move of the cursor', 'a\u001b[2J\u001b[31m\u001b[Hb', 'a\u001b[31mb'],
    ['the other screen', '\u001b[?1049ha', 'a'],
    ['what only ends like a colour', 'a\u001b[?4m\u001b[>4;2m\u001b[1 mb', 'ab'],
    ['a title', '\u001b]0;title\u0007text', 'text'],
    ['the clipboard', '\u001b]52;c;aGk=\u001b\\text', 'text'],
    ['a string broken off by a colour', '\u001b]0;x\u001b[1mtext', '\u001b[1mtext'],
    ['a colour in 8 bits', 'a\u009b31mb', 'ab'],
    ['a next line in 8 bits', 'a\u0085b', 'ab'],
    ['a colour that is not complete', 'a\u001b[1;3', 'a'],
  ])('%s', (_title, text, expected) => {
    expect(onlyColours(text)).toBe(expected);
  });

  test('whatever the text, the text itself is what stripping leaves, and all else is colours', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const kept = onlyColours(text);
        expect(stripAnsi(kept)).toBe(stripAnsi(text));
        expect(hasAnsi(kept.replaceAll(colours, ''))).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});
