import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mayEnter, stateFolder } from '../folders.ts';
import { dataPlace, removeData } from './place.ts';

const isRoot = process.getuid?.() === 0;
const nobody = { name: 'nobody', uid: 65_534, gid: 65_534 };
let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sk-place-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the place of the data', () => {
  test('is the folder of the host where this user runs the server', () => {
    const place = dataPlace(join(root, 'shop', 'db'), undefined);
    expect(place).toMatchObject({ home: place.kept, cluster: join(root, 'shop', 'db', 'cluster') });
  });

  test('is elsewhere where the server cannot come; a moved workspace finds it again, a copied one gets its own', (context) => {
    context.skip(!isRoot, 'only root has to change users');
    const at = (workspace: string): string => join(root, workspace, 'data', 'db');
    const first = dataPlace(at('one'), nobody);
    expect(first.home.startsWith(root)).toBe(false);
    expect(mayEnter(first.home, nobody)).toBe(true);
    expect(dataPlace(at('one'), nobody)).toEqual(first);
    cpSync(join(root, 'one'), join(root, 'copy'), { recursive: true });
    const copy = dataPlace(at('copy'), nobody);
    expect(copy.home).not.toBe(first.home);
    renameSync(join(root, 'one'), join(root, 'moved'));
    const moved = dataPlace(at('moved'), nobody);
    expect(moved.home).toBe(first.home);
    expect(dataPlace(at('moved'), nobody).home).toBe(first.home);
    for (const place of [copy, moved]) removeData(place);
    expect([copy.home, moved.home].filter(existsSync)).toEqual([]);
  });

  test('is the folder of the host where the server can come there', (context) => {
    context.skip(!isRoot, 'only root has to change users');
    chmodSync(root, 0o755);
    const place = dataPlace(join(root, 'db'), nobody);
    expect(place.home).toBe(place.kept);
  });

  test('a link in the state folder is refused', (context) => {
    context.skip(!isRoot, 'the state folder of a person is left alone');
    const name = `test-${process.pid}`;
    const link = join(dirname(stateFolder('postgres-data')), name);
    mkdirSync(join(root, 'elsewhere'));
    symlinkSync(join(root, 'elsewhere'), link);
    try {
      expect(() => stateFolder(name)).toThrow(expect.objectContaining({ code: 'POSTGRES_STATE_FOLDER' }));
    } finally {
      rmSync(link);
    }
  });
});
