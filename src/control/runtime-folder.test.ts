import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isRunSocket, presentRuntimeFolders, runtimeFolder, socketPath } from './runtime-folder.ts';
import { newRunId } from './skein-folder.ts';

let given: string;

beforeEach(() => {
  given = mkdtempSync(join(tmpdir(), 'skein-rt-'));
});

afterEach(() => rmSync(given, { recursive: true }));

describe('U-9 the folder of the sockets', () => {
  test('is made for this user alone', () => {
    const folder = runtimeFolder({ XDG_RUNTIME_DIR: given });
    expect(folder).toBe(join(given, 'skein'));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('a link, or one that is open to others, is refused', () => {
    mkdirSync(join(given, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(given, 'elsewhere'), join(given, 'skein'));
    expect(() => runtimeFolder({ XDG_RUNTIME_DIR: given })).toThrow('is a symbolic link');
    rmSync(join(given, 'skein'));
    mkdirSync(join(given, 'skein'));
    chmodSync(join(given, 'skein'), 0o755);
    expect(() => runtimeFolder({ XDG_RUNTIME_DIR: given })).toThrow('is open to others (mode ');
  });

  test('T-10 is looked for where it is ours alone, and not made', () => {
    const environment = { XDG_RUNTIME_DIR: given };
    const own = join(given, 'skein');
    expect(presentRuntimeFolders(environment)).not.toContain(own);
    mkdirSync(own, { mode: 0o700 });
    expect(presentRuntimeFolders(environment)).toContain(own);
    chmodSync(own, 0o750);
    expect(presentRuntimeFolders(environment)).not.toContain(own);
  });

  test('T-10 the socket of a run is known by its name', () => {
    const path = socketPath(newRunId(new Date()), { XDG_RUNTIME_DIR: given });
    expect([path, join(given, 'notes.sock'), `${path}.old`].map(isRunSocket)).toEqual([true, false, false]);
  });

  test('a socket whose path would be cut is refused', () => {
    const long = join(given, 'x'.repeat(80));
    mkdirSync(long);
    expect(() => socketPath('run', { XDG_RUNTIME_DIR: long })).toThrow(
      /has \d+ bytes; a socket may have 100/,
    );
  });

  test('ids of runs sort by time', () => {
    const ids = [new Date('2026-01-02T03:04:05Z'), new Date('2026-01-02T03:04:06Z')].map((now) =>
      newRunId(now, () => 0.5),
    );
    expect(ids).toEqual(['20260102-030405-i000', '20260102-030406-i000']);
  });
});
