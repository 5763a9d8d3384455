import { describe, expect, test } from 'vitest';
import { foldersAbove, ownRules, type Rules } from './rules.ts';
import { rootsOf, within } from './selection.ts';

const workspace = '/w';
/** The rules below /w/api, whose `ignore` is `lines`, and where .gitignore files stand in these folders. */
const rules = (lines: readonly string[], gitignores: Readonly<Record<string, string>> = {}): Rules =>
  Object.entries(gitignores).reduce(
    (all, [folder, text]) => all.and(folder, text),
    ownRules(lines, '/w/api'),
  );

describe('what is not watched', () => {
  test.each([
    ['.git', true],
    ['.skein', true],
    ['skein.lock', true],
    ['node_modules', true],
    ['src/.server.js.swp', true],
    ['src/server.js~', true],
    ['src/.#server.js', true],
    ['4913', true],
    ['src/server.js', false],
    ['.env', false],
    ['.gitignore', false],
  ])('without any rule: %s: %s', (path, isIgnored) => {
    expect(rules([]).ignores(`/w/api/${path}`, false)).toBe(isIgnored);
  });

  test.each<[string, string, boolean, boolean]>([
    ['dist', 'dist/a.js', false, true],
    ['/dist', 'src/dist', true, false],
    ['dist/', 'dist', false, false],
    ['dist/', 'dist', true, true],
    ['*.log', 'deep/er/a.log', false, true],
    ['./tmp', 'tmp', true, true],
    ['./tmp', 'src/tmp', true, false],
    ['../shared/dist', '../shared/dist/a', false, true],
    ['../shared/dist', '../shared/src/a', false, false],
    ['*.log', '../shared/a.log', false, true],
  ])('`ignore: [%s]` and %s (folder: %s): %s', (line, path, isFolder, isIgnored) => {
    expect(rules([line]).ignores(`/w/api/${path}`.replace('/w/api/..', '/w'), isFolder)).toBe(isIgnored);
  });

  test('F-15 the innermost .gitignore that has an opinion decides', () => {
    const nested = rules([], {
      '/w': '*.gen\nkept/',
      '/w/api': '!important.gen',
      '/w/api/src': 'important.gen',
    });
    expect(nested.ignores('/w/api/a.gen', false)).toBe(true);
    expect(nested.ignores('/w/api/important.gen', false)).toBe(false);
    expect(nested.ignores('/w/api/src/important.gen', false)).toBe(true);
  });

  test('the `ignore` of the service prevails over every .gitignore', () => {
    const own = rules(['!a.gen', 'b.js'], { '/w': '*.gen', '/w/api': '!b.js' });
    expect(own.ignores('/w/api/a.gen', false)).toBe(false);
    expect(own.ignores('/w/api/b.js', false)).toBe(true);
  });

  test('.gitignore files count from the root of the workspace', () => {
    expect(foldersAbove('/w/api/src', workspace)).toEqual(['/w', '/w/api']);
    expect(foldersAbove('/elsewhere/src', workspace)).toEqual([]);
  });
});

describe('what is watched', () => {
  const roots = (...paths: readonly string[]): ReturnType<typeof rootsOf> =>
    rootsOf(
      { paths, ignore: [], folder: '/w/api', workspaceFolder: workspace },
      (path) => path === '/w/api/[id]',
    );

  test.each<[string, string, string, boolean]>([
    ['src', '/w/api/src', 'a/b.ts', true],
    ['server.js', '/w/api/server.js', '', true],
    ['src/**/*.ts', '/w/api/src', 'a/b.ts', true],
    ['src/**/*.ts', '/w/api/src', 'a/b.js', false],
    ['src/**/*.{ts,tsx}', '/w/api/src', 'b.tsx', true],
    ['*.js', '/w/api', 'a.js', true],
    ['*.js', '/w/api', 'src/a.js', false],
    ['../shared/**', '/w/shared', '.env', true],
    ['[id]', '/w/api/[id]', 'a', true],
    ['./src/*.ts', '/w/api/src', 'a.ts', true],
    ['**/*.ts', '/w/api', 'src/deep/a.ts', true],
    ['/etc/app', '/etc/app', 'conf', true],
  ])('%s looks at %s and takes %s: %s', (written, path, file, isTaken) => {
    const [root] = roots(written);
    expect(root?.path).toBe(path);
    expect(root?.takes(file)).toBe(isTaken);
  });

  test.each([
    ['*.js', 0],
    ['src/*/*.js', 1],
    ['src/**/*.js', Number.POSITIVE_INFINITY],
    ['src', Number.POSITIVE_INFINITY],
  ])('%s goes %s folders deep', (written, depth) => {
    expect(roots(written)[0]?.depth).toBe(depth);
  });

  test.each([
    ['/w/api', '/w/api/a', 'a'],
    ['/w/api', '/w/api', ''],
    ['/w/api', '/w/apis', undefined],
    ['/w/api', '/w', undefined],
    ['/w/api', '/w/api/..a', '..a'],
  ])('within %s, %s is %s', (folder, path, inside) => {
    expect(within(folder, path)).toBe(inside);
  });
});
