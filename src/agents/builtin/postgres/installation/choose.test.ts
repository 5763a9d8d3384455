import { describe, expect, test } from 'vitest';
import { chooseInstallation } from './choose.ts';

const native17 = { engine: 'native', version: '17.2', major: '17' } as const;
const native15 = { engine: 'native', version: '15.9', major: '15' } as const;
const embedded18 = { engine: 'embedded', version: '18.4', major: '18' } as const;
const all = [native17, native15, embedded18];

describe('the choice of a server', () => {
  test.each([
    ['auto takes the first native one', 'auto', undefined, undefined, native17],
    ['auto takes the one that made the data', 'auto', undefined, '15', native15],
    ['auto takes the embedded one where the data is of it', 'auto', undefined, '18', embedded18],
    ['auto takes the version asked for', 'auto', '18', undefined, embedded18],
    ['embedded takes the embedded one', 'embedded', undefined, undefined, embedded18],
    ['native takes the version asked for', 'native', '15', '15', native15],
  ] as const)('%s', (_title, engine, version, dataVersion, chosen) => {
    expect(chooseInstallation({ engine, version, dataVersion }, all)).toBe(chosen);
  });

  test('auto takes the embedded one where there is no other', () => {
    const request = { engine: 'auto', version: undefined, dataVersion: undefined } as const;
    expect(chooseInstallation(request, [embedded18])).toBe(embedded18);
  });

  test.each([
    [
      'a native one where none is',
      'native',
      undefined,
      undefined,
      'POSTGRES_NOT_FOUND',
      'Install PostgreSQL on',
    ],
    ['a version that is not there', 'auto', '16', undefined, 'POSTGRES_NOT_FOUND', 'Install PostgreSQL 16'],
    ['the embedded one', 'embedded', undefined, undefined, 'POSTGRES_NOT_FOUND', 'optional dependencies'],
    ['data of another version', 'auto', undefined, '14', 'POSTGRES_VERSION_MISMATCH', 'pg_dumpall of 14'],
    [
      'another version than the data is of',
      'auto',
      '17',
      '15',
      'POSTGRES_VERSION_MISMATCH',
      'dump it with pg_dumpall of 15',
    ],
  ] as const)('%s is refused with what to do', (_title, engine, version, dataVersion, code, remedy) => {
    const found = engine === 'auto' ? all : [];
    const choose = (): unknown => chooseInstallation({ engine, version, dataVersion }, found);
    expect(choose).toThrow(
      expect.objectContaining({ code, options: { remedy: expect.stringContaining(remedy) } }),
    );
  });
});
