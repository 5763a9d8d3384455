import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isRegistryFolder, makeRegistryFolder, registryFolder } from './folder.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'rf-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test.each([
  ['XDG_STATE_HOME', { XDG_STATE_HOME: '/s', HOME: '/h' }, '/s/skein/process-groups'],
  ['HOME', { HOME: '/h' }, '/h/.local/state/skein/process-groups'],
  [
    'HOME where XDG_STATE_HOME is relative',
    { XDG_STATE_HOME: 's', HOME: '/h' },
    '/h/.local/state/skein/process-groups',
  ],
  ['the user', {}, join(homedir(), '.local/state/skein/process-groups')],
  ['the user where HOME is empty', { HOME: '' }, join(homedir(), '.local/state/skein/process-groups')],
])('T-7 the records are where %s says', (_what, environment, folder) => {
  expect(registryFolder(environment)).toBe(folder);
});

describe('T-7 the folder of the records', () => {
  test('is made with everything above it, 0700', () => {
    const folder = join(base, 'a', 'b', 'c');
    expect(isRegistryFolder(folder)).toBe(false);
    makeRegistryFolder(folder);
    makeRegistryFolder(folder);
    expect(isRegistryFolder(folder)).toBe(true);
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
  });

  test.each([
    ['a symbolic link', /is a symbolic link/, (folder: string) => symlinkSync(base, folder)],
    ['a file', /is not a folder/, (folder: string) => writeFileSync(folder, '')],
    ['open to others', /is open to others \(mode 755, must be 700\)/, (folder: string) => openFolder(folder)],
  ])('is refused where it is %s, and left as it is', (_what, says, put) => {
    const folder = join(base, 'records');
    put(folder);
    const before = lstatSync(folder).mode;
    for (const use of [makeRegistryFolder, isRegistryFolder])
      expect(() => use(folder)).toThrow(
        expect.objectContaining({ code: 'SK1613', message: expect.stringMatching(says) }),
      );
    expect(lstatSync(folder).mode).toBe(before);
  });

  test.runIf(process.getuid?.() === 0)('is refused where it is somebody else’s', () => {
    const folder = join(base, 'records');
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, 12_345, 12_345);
    expect(() => makeRegistryFolder(folder)).toThrow(/belongs to user 12345, not to you/);
  });

  test.each([
    ['below a file', () => join(base, 'file', 'records')],
    ['where nothing can be made', () => '/proc/none/records'],
  ])('is refused %s', (_what, folder) => {
    writeFileSync(join(base, 'file'), '');
    expect(() => makeRegistryFolder(folder())).toThrow(expect.objectContaining({ code: 'SK1613' }));
    expect(existsSync(folder())).toBe(false);
  });
});

function openFolder(folder: string): void {
  mkdirSync(folder);
  chmodSync(folder, 0o755);
}
