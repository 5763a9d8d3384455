import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dataVersion } from './data-version.ts';

let folder: string;
let cluster: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sk-version-'));
  cluster = join(folder, 'cluster');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('existing data', () => {
  test('are of the version that they name', () => {
    mkdirSync(cluster);
    writeFileSync(join(cluster, 'PG_VERSION'), '17\n');
    expect(dataVersion(cluster, statSync(cluster).uid)).toBe('17');
  });

  test('are none where there is no folder', () => {
    expect(dataVersion(cluster, 0)).toBeUndefined();
  });

  test.each([
    ['without a PG_VERSION', () => mkdirSync(cluster), 'has no PG_VERSION'],
    ['that are a file', () => writeFileSync(cluster, ''), 'is not a folder'],
    [
      'whose PG_VERSION is empty',
      () => {
        mkdirSync(cluster);
        writeFileSync(join(cluster, 'PG_VERSION'), '');
      },
      'names no version',
    ],
  ])('%s are broken', (_title, make, why) => {
    make();
    const broken = { code: 'POSTGRES_DATA_BROKEN', message: expect.stringContaining(why) };
    expect(() => dataVersion(cluster, undefined)).toThrow(expect.objectContaining(broken));
  });

  test('of another owner are refused, with the command that gives them back', () => {
    mkdirSync(cluster);
    const { uid } = statSync(cluster);
    expect(() => dataVersion(cluster, uid + 1)).toThrow(
      expect.objectContaining({
        code: 'POSTGRES_DATA_OWNER',
        options: { remedy: expect.stringContaining(`chown -R ${uid + 1} ${cluster}`) },
      }),
    );
  });
});
