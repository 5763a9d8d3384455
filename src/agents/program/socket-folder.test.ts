import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeSocketFolder, socketInFolder } from './socket-folder.ts';

let folder: string;
const uid = process.getuid?.() ?? 'user';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sf-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('A-7 the folder of a socket', () => {
  test('is fresh, 0700 and below XDG_RUNTIME_DIR, and goes when it is removed', () => {
    const places = { runtimeDirectory: folder };
    const [a, b] = [makeSocketFolder(places), makeSocketFolder(places)];
    expect(a.folder).not.toBe(b.folder);
    expect(a.socket.startsWith(join(folder, 'skein'))).toBe(true);
    expect(lstatSync(a.folder).mode & 0o777).toBe(0o700);
    expect(Buffer.byteLength(a.socket)).toBeLessThanOrEqual(100);
    a.remove();
    a.remove();
    expect([existsSync(a.folder), existsSync(b.folder)]).toEqual([false, true]);
  });

  test('T-10 is known by its name', () => {
    const made = makeSocketFolder({ runtimeDirectory: folder });
    expect(socketInFolder(made.folder)).toBe(made.socket);
    expect(['a-1', 'b-123456', 'a-1234567'].map(socketInFolder)).toEqual([undefined, undefined, undefined]);
  });

  test.each([
    ['is not set', () => undefined],
    ['is relative', () => 'run'],
    ['does not exist', () => join(folder, 'none')],
    ['is open to others', () => folderWithMode(0o755)],
    ['is too long', () => folderWithMode(0o700, 'x'.repeat(80))],
  ])(
    'is in a 0700 folder of the user in the temporary folder where XDG_RUNTIME_DIR %s',
    (_what, runtimeDirectory) => {
      const made = makeSocketFolder({ runtimeDirectory: runtimeDirectory(), temporaryDirectory: folder });
      expect(made.socket.startsWith(join(folder, `skein-${uid}`))).toBe(true);
      expect(lstatSync(join(folder, `skein-${uid}`)).mode & 0o777).toBe(0o700);
    },
  );

  test.each([
    ['a symbolic link', /is a symbolic link/, (base: string) => symlinkSync(folderWithMode(0o700), base)],
    ['a file', /is not a folder/, (base: string) => writeFileSync(base, '')],
    [
      'a folder open to others',
      /is open to others \(mode 755/,
      (base: string) => folderWithMode(0o755, base),
    ],
  ])('is refused where %s stands in its way', (_what, says, put) => {
    put(join(folder, `skein-${uid}`));
    expect(() => makeSocketFolder({ runtimeDirectory: undefined, temporaryDirectory: folder })).toThrow(says);
  });

  test.runIf(process.getuid?.() === 0)('is refused where the folder belongs to somebody else', async () => {
    const { chownSync } = await import('node:fs');
    chownSync(folderWithMode(0o700, join(folder, `skein-${uid}`)), 12_345, 12_345);
    expect(() => makeSocketFolder({ runtimeDirectory: undefined, temporaryDirectory: folder })).toThrow(
      /belongs to user 12345/,
    );
  });

  test('is refused where every path would be too long', () => {
    const temporaryDirectory = folderWithMode(0o700, 'y'.repeat(80));
    expect(() => makeSocketFolder({ runtimeDirectory: undefined, temporaryDirectory })).toThrow(
      /at most 100 bytes/,
    );
  });
});

function folderWithMode(mode: number, name = 'other'): string {
  const path = name.startsWith('/') ? name : join(folder, name);
  mkdirSync(path);
  chmodSync(path, mode);
  return path;
}
