import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dotenv } from './dotenv.ts';

/** Everything that means something to a shell or to a library, and what only looks so. */
const character = fc.constantFrom(
  ...'abcN0_-./:@%+=, \t\n\r\'"`$\\#~!&|;<>()[]{}*?^',
  '\\n',
  '$(id)',
  '${HOME}',
  'ü',
  '日',
  '\u{1F600}',
);
const value = fc
  .oneof(fc.string({ unit: character, maxLength: 12 }), fc.string({ unit: 'grapheme' }))
  .filter((text) => !text.includes('\0'));
const environment = fc
  .array(value, { minLength: 1, maxLength: 20 })
  .map((values) => values.map((text, index) => ({ name: `V${index}_x`, value: text })));

/** What a POSIX shell takes the file to say: each value, ended by a NUL. */
function sourced(text: string, names: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'skein-dotenv-'));
  try {
    writeFileSync(join(folder, '.env'), text);
    const show = names.map((name) => `printf '%s\\0' "$${name}"`).join('; ');
    const out = execFileSync('/bin/sh', ['-c', `set -eu; . ./.env; ${show}`], { cwd: folder, env: {} });
    return out.toString('utf8').split('\0').slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('N-13 an environment as text', () => {
  test('is read back exactly by a POSIX shell, whatever the values are', () => {
    fc.assert(
      fc.property(environment, (variables) => {
        const names = variables.map(({ name }) => name);
        expect(sourced(dotenv(variables), names)).toEqual(variables.map((variable) => variable.value));
      }),
      { numRuns: 60 },
    );
  });

  test('is read alike by a dotenv library, where no quote meets another special character', () => {
    const plain = environment.map((variables) =>
      variables.filter(
        ({ value: text }) =>
          !text.includes('\r') && !text.endsWith('\\') && !(text.includes("'") && /["$`\\]/.test(text)),
      ),
    );
    fc.assert(
      fc.property(plain, (variables) => {
        const expected = Object.fromEntries(variables.map(({ name, value: text }) => [name, text]));
        expect({ ...parseEnv(dotenv(variables)) }).toEqual(expected);
      }),
    );
  });

  test.each([
    ['postgres://u@127.0.0.1:10010/db?x=1', "V='postgres://u@127.0.0.1:10010/db?x=1'"],
    ['http://127.0.0.1:10010', 'V=http://127.0.0.1:10010'],
    ['', 'V='],
    ['P@$$w0rd', "V='P@$$w0rd'"],
    ["it's", `V="it's"`],
    ["it's $5", `V='it'\\''s $5'`],
    ['C:\\', "V='C:'\\\\"],
    ['two\nlines', "V='two\nlines'"],
  ])('writes %j in the quotes that most readers agree on', (text, line) => {
    expect(dotenv([{ name: 'V', value: text }])).toBe(`${line}\n`);
  });

  test('is sorted by name', () => {
    expect(
      dotenv([
        { name: 'B', value: '1' },
        { name: 'A', value: '2' },
      ]),
    ).toBe('A=2\nB=1\n');
  });
});
