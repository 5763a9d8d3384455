import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { diskError } from './disk-error.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-owner-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const refusal = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });

test("U-3 what is another user's is said to be, with the file or folder whose owner that is", () => {
  const isRoot = process.getuid?.() === 0;
  // Only root can give a folder away; for everybody else the folder of all folders is root's.
  if (isRoot) chownSync(folder, 4242, 4242);
  const error = diskError(isRoot ? join(folder, 'a', 'b.json') : '/b.json', 'read', refusal);
  const place = isRoot ? `${folder} belongs to another user (4242)` : '/ belongs to root';
  expect(error).toMatchObject({ code: 'SK1506', message: expect.stringContaining(place), cause: refusal });
  expect(error.remedy).toContain('chown');
});

test('what is ours is not, and neither is what fails for another reason', () => {
  const path = join(folder, 'a.json');
  expect(diskError(path, 'written', refusal).message).toBe(`${path} cannot be written`);
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  expect(diskError('/proc/a', 'made', full)).toMatchObject({
    message: '/proc/a cannot be made',
    remedy: undefined,
  });
});
