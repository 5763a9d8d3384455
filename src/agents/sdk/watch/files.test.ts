import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changesBetween, readDigest, type SeenFile, seenFile } from './files.ts';

const file = (content: string, more: Partial<SeenFile> = {}): SeenFile => ({
  size: BigInt(content.length),
  mtimeNs: 1n,
  ctimeNs: 1n,
  inode: 1n,
  digest: content,
  ...more,
});

describe('run-21 what has changed', () => {
  test.each<[string, SeenFile, boolean]>([
    ['nothing', file('a'), false],
    ['other content of the same length', file('b', { mtimeNs: 2n }), true],
    ['other content of the same length and time', file('b'), true],
    ['more content', file('ab', { mtimeNs: 2n }), true],
    ['chmod', file('a', { ctimeNs: 2n }), false],
    ['touch', file('a', { ctimeNs: 2n, mtimeNs: 2n }), false],
    ['another file of the same content', file('a', { ctimeNs: 2n, mtimeNs: 2n, inode: 2n }), false],
    ['a write to a file that is too large to be read', file('a', { mtimeNs: 2n, digest: undefined }), true],
    ['chmod of such a file', file('a', { ctimeNs: 2n, digest: undefined }), false],
  ])('%s', (_, now, isChanged) => {
    const { files, created } = changesBetween(new Map([['f', file('a')]]), new Map([['f', now]]));
    expect(files).toEqual(isChanged ? ['f'] : []);
    expect(created).toEqual([]);
  });

  test('what is created and what is gone is told too, and nothing else, whatever the trees', () => {
    const tree = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('x', 'y'));
    fc.assert(
      fc.property(tree, tree, (before, now) => {
        const seen = (one: Record<string, string>): Map<string, SeenFile> =>
          new Map(Object.entries(one).map(([path, content]) => [path, file(content)]));
        const { files, created } = changesBetween(seen(before), seen(now));
        expect(files).toEqual(['a', 'b', 'c', 'd'].filter((path) => before[path] !== now[path]));
        expect(created).toEqual(files.filter((path) => before[path] === undefined));
      }),
    );
  });
});

describe('the digest of a file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'skein-files-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const seen = (path: string): SeenFile => seenFile(statSync(path, { bigint: true }));

  test('is that of its content', () => {
    const digests = ['a', 'b', 'a'].map((content, at) => {
      const path = join(folder, `${at}`);
      writeFileSync(path, content);
      const found = seen(path);
      readDigest(path, found);
      return found.digest;
    });
    expect(digests[0]).toBeDefined();
    expect(digests[0]).toBe(digests[2]);
    expect(digests[0]).not.toBe(digests[1]);
  });

  test.each<[string, (path: string) => void]>([
    ['was written to', (path) => writeFileSync(path, 'b')],
    ['was touched', (path) => utimesSync(path, 1, 1)],
    ['got another mode', (path) => chmodSync(path, 0o777)],
    ['is gone', (path) => rmSync(path)],
    [
      'is a folder now',
      (path) => {
        rmSync(path);
        symlinkSync('/', path);
      },
    ],
  ])('is not taken of a file that %s after it was seen', (_, happen) => {
    const path = join(folder, 'f');
    writeFileSync(path, 'aa');
    const found = seen(path);
    happen(path);
    readDigest(path, found);
    expect(found.digest).toBeUndefined();
  });
});
