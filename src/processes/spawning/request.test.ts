import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkedRequest, resolveExecutable } from './request.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-request-'));
  for (const name of ['one', 'two', 'two/tool-folder']) mkdirSync(join(folder, name));
  for (const [name, mode] of [
    ['one/plain', 0o644],
    ['two/plain', 0o755],
    ['two/tool', 0o755],
    ['here', 0o755],
  ] as const) {
    writeFileSync(join(folder, name), '');
    chmodSync(join(folder, name), mode);
  }
  symlinkSync(join(folder, 'two/tool'), join(folder, 'one/link'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a command is resolved', () => {
  test.each<[string, string, string | undefined, string]>([
    ['in the PATH given, relative to the working directory', 'tool', 'one:two', 'two/tool'],
    ['past a file that may not be executed', 'plain', 'one:two', 'two/plain'],
    ['through a link', 'link', 'one', 'one/link'],
    ['in the working directory by an empty entry', 'here', 'one::two', 'here'],
    ['as a path when it has a slash', './two/tool', '', 'two/tool'],
    ['as a path without a dot', 'two/tool', 'one', 'two/tool'],
  ])('%s', (_title, name, path, expected) => {
    expect(resolveExecutable(name, folder, path)).toBe(join(folder, expected));
  });

  test('in the usual folders without a PATH', () => {
    expect(resolveExecutable('sh', folder)).toMatch(/^\/(usr\/)?bin\/sh$/);
  });

  test.each([
    ['SK1601', 'absent', 'one:two', 'command absent was not found: no folder of PATH has it (one:two)'],
    ['SK1601', './absent', '', 'there is no file'],
    ['SK1601', '', '', 'the command is empty'],
    ['SK1602', './two', '', 'it is not a regular file'],
    ['SK1602', 'tool-folder', 'two', 'it is not a regular file'],
    ['SK1602', 'plain', 'one', 'permission denied (EACCES)'],
  ])('or refused with %s: %s', (code, name, path, message) => {
    expect(() => resolveExecutable(name, folder, path)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });
});

describe('a request is refused', () => {
  test.each([
    ['SK1603', { cwd: 'absent' }, 'absent does not exist'],
    ['SK1603', { cwd: 'here' }, 'here is not a folder'],
    ['SK1603', { cwd: 'here/below' }, 'does not exist'],
    ['SK1606', { command: ['sh', 'a\0b'] as const }, 'argument 1 of sh contains a NUL character'],
    ['SK1606', { environment: { 'A=B': 'x' } }, '"A=B" cannot be the name'],
    ['SK1606', { environment: { '': 'x' } }, '"" cannot be the name'],
    ['SK1606', { environment: { A: 'x\0' } }, 'the environment variable A contains a NUL character'],
  ])('with %s for %j', (code, wrong, message) => {
    const { cwd = '', ...rest } = { command: ['sh'] as const, environment: {}, ...wrong } as {
      cwd?: string;
      command: ['sh'];
    };
    const options = { environment: {}, ...rest, cwd: join(folder, cwd) };
    expect(() => checkedRequest(options)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });
});
