import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { commandLine } from './command.ts';

const exec = (text: string): readonly string[] => ['/bin/sh', '-c', `exec ${text}`];
const shell = (text: string): readonly string[] => ['/bin/sh', '-c', text];

describe('a command', () => {
  test('that is a list is executed as it is', () => {
    expect(commandLine(['node', 'a b.js', '$HOME'])).toEqual(['node', 'a b.js', '$HOME']);
  });

  test.each([
    'node server.js',
    './bin/server --port $PORT',
    '  node "a b.js"  ',
    'python3.12 -m http.server',
  ])('that is simple takes the place of its shell: %s', (text) =>
    expect(commandLine(text)).toEqual(exec(text.trim())),
  );

  test.each([
    'a && b',
    'a; b',
    'a | b',
    'a > log',
    'a &',
    '(a)',
    'a $(b)',
    'a `b`',
    'a\nb',
    'PORT=1 a',
    'cd x',
    'exec a',
    'if true',
    '. ./env',
    '! a',
    '{ a',
    '$SERVER --port 1',
    '"a b" c',
    '-c x',
    '~/bin/server',
  ])('that is not simple stays with its shell: %s', (text) => {
    expect(commandLine(text)).toEqual(shell(text));
  });

  test.each([
    'X=1; printf %s "$X"',
    'cd / && pwd',
    'printf %s a',
    '/bin/echo $HOME',
    'echo "a;b"',
    'uname -s | cat',
  ])('does the same with and without the `exec`: %s', (text) => {
    const [program, ...args] = commandLine(text);
    expect(execFileSync(program, args, { encoding: 'utf8' })).toBe(
      execFileSync('/bin/sh', ['-c', text], { encoding: 'utf8' }),
    );
  });
});
