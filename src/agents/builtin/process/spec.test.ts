import { describe, expect, test } from 'vitest';
import { processSpec } from './spec.ts';

/** `command.1: text without a NUL character`; none where the spec is accepted. */
function complaints(spec: object): string[] {
  const issues = processSpec.safeParse(spec).error?.issues ?? [];
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('the spec of a process', () => {
  test.each([
    { command: 'node server.js' },
    { command: ['node', '', 'a b'] },
    {
      command: 'a',
      test: { command: ['b'], format: 'junit', report: 'out.xml' },
      'stop-signal': 'int',
      'stop-timeout': '3m',
      watch: ['src', '*.json'],
      ignore: ['*.log', '!kept.log'],
      'hot-reload': true,
      'runtime-configuration': { url: 'x', login: { user: '', password: 'y' } },
    },
  ])('may be %j', (spec) => {
    expect(complaints(spec)).toEqual([]);
  });

  test.each<[object, string]>([
    [{ command: 5 }, 'command: text for the shell, or a list of program and arguments'],
    [
      { command: 'a', 'working-directory': '' },
      'working-directory: a path, neither empty nor with a NUL character',
    ],
    [
      { command: 'a', 'stop-timeout': '99999999m' },
      'stop-timeout: a duration such as `250ms`, `10s` or `5m`, of at most 24 days',
    ],
    [
      { command: 'a', 'stop-signal': 'FOO' },
      'stop-signal: the name of a signal such as `TERM`, `INT` or `QUIT`',
    ],
  ])('may not be %j', (spec, complaint) => {
    expect(complaints(spec)).toEqual([complaint]);
  });

  test.each([
    { command: 'a\0b' },
    { command: ['a\0'] },
    { command: ['a', '\0'] },
    { command: 'a', build: 'b\0' },
    { command: 'a', test: { command: 'b\0' } },
    { command: 'a', test: { command: 'b', report: '\0' } },
    { command: 'a', 'working-directory': 'b\0' },
    { command: 'a', 'pass-environment': ['B\0'] },
    { command: 'a', watch: ['b\0'] },
    { command: 'a', 'runtime-configuration': { b: '\0' } },
    { command: 'a', 'runtime-configuration': { b: { c: '\0' } } },
  ])('holds no NUL character: %j', (spec) => {
    expect(complaints(spec)).toHaveLength(1);
  });
});
