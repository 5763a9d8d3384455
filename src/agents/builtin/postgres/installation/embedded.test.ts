import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mayEnter } from '../folders.ts';
import { type EmbeddedPackage, usableEmbedded } from './embedded.ts';

const isRoot = process.getuid?.() === 0;
const nobody = { name: 'nobody', uid: 65_534, gid: 65_534 };
let folder: string;
let found: EmbeddedPackage;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sk-embedded-')));
  const native = join(folder, 'native');
  mkdirSync(join(native, 'bin'), { recursive: true });
  mkdirSync(join(native, 'lib'));
  writeFileSync(join(native, 'bin', 'postgres'), 'program', { mode: 0o700 });
  writeFileSync(join(native, 'lib', 'libpq.so.5.18'), 'library', { mode: 0o600 });
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links));
  const packageVersion = `18.0.0-test.${process.pid}`;
  found = { engine: 'embedded', folder, packageVersion, version: '18.0', major: '18' };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the server that comes with skein', () => {
  test('is used where it lies, with the links that its package could not hold', () => {
    const { bin } = usableEmbedded(found, undefined);
    expect(bin).toBe(join(folder, 'native', 'bin'));
    expect(readlinkSync(join(folder, 'native', 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
    expect(usableEmbedded(found, undefined).bin).toBe(bin);
  });

  test('is copied to where its user can run it', (context) => {
    context.skip(!isRoot, 'only root has to change users');
    const { bin } = usableEmbedded(found, nobody);
    const copy = dirname(dirname(bin));
    try {
      expect(bin.startsWith(folder)).toBe(false);
      expect(mayEnter(bin, nobody)).toBe(true);
      expect(statSync(join(bin, 'postgres')).mode & 0o777).toBe(0o755);
      expect(readFileSync(join(copy, 'native', 'lib', 'libpq.so.5'), 'utf8')).toBe('library');
      expect(usableEmbedded(found, nobody).bin).toBe(bin);
    } finally {
      rmSync(copy, { recursive: true });
    }
  });

  test('is used where it lies when its user can come there', (context) => {
    context.skip(!isRoot, 'only root has to change users');
    chmodSync(folder, 0o755);
    expect(usableEmbedded(found, nobody).bin).toBe(join(folder, 'native', 'bin'));
  });

  test('whose list of links leads out of the package is refused', () => {
    const links = [{ source: 'native/lib/libpq.so.5.18', target: '../elsewhere' }];
    writeFileSync(join(folder, 'native', 'pg-symlinks.json'), JSON.stringify(links));
    expect(() => usableEmbedded(found, undefined)).toThrow(
      expect.objectContaining({ code: 'POSTGRES_EMBEDDED_BROKEN' }),
    );
  });
});
