import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPrivateFile } from './private-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'private-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('T-7 a file that this user alone can have written', () => {
  test('is read as text, up to the limit', () => {
    const path = join(folder, 'own');
    writeFileSync(path, 'text', { mode: 0o600 });
    expect(readPrivateFile(path, 4)).toEqual({ is: 'text', text: 'text' });
    expect(readPrivateFile(path, 3)).toEqual({ is: 'refused', why: 'it has 4 bytes' });
  });

  test('may be missing', () => {
    expect(readPrivateFile(join(folder, 'none'), 4)).toEqual({ is: 'missing' });
  });

  test.each<[string, (path: string) => void, RegExp]>([
    ['a link', (path) => symlinkSync('/etc/hostname', path), /^it is a symbolic link$/],
    ['a folder', (path) => mkdirSync(path), /^it is no file$/],
    [
      'open to the writing of others',
      (path) => {
        writeFileSync(path, '');
        chmodSync(path, 0o620);
      },
      /^others can write it \(mode 620\)$/,
    ],
  ])('is not %s', (name, put, why) => {
    const path = join(folder, name.replaceAll(' ', '-'));
    put(path);
    expect(readPrivateFile(path, 4)).toEqual({ is: 'refused', why: expect.stringMatching(why) });
  });
});
