/** On the real file system. That something is no change is seen from what the next change tells: itself alone. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  type watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TreeWatcher } from './tree-watcher.ts';

let folder: string;
const open: Disposable[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-watch-'));
});
afterEach(() => {
  for (const watcher of open.splice(0)) watcher[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

function write(path: string, text = path): void {
  const whole = join(folder, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
}

interface Watched {
  /** What the watcher tells next. */
  next(): Promise<readonly string[]>;
  readonly said: readonly string[];
  readonly watcher: TreeWatcher;
}

async function watched(
  paths: readonly string[],
  more: { ignore?: readonly string[]; listen?: typeof watch; isIdle?: (path: string) => boolean } = {},
): Promise<Watched> {
  const told: (readonly string[])[] = [];
  const said: string[] = [];
  let wake: () => void = () => undefined;
  const { ignore = [], isIdle = () => false, listen } = more;
  const watcher = await TreeWatcher.open({
    written: { paths, ignore, folder: join(folder, 'app'), workspaceFolder: folder },
    onChange: ({ files }) => {
      told.push(files.map((path) => relative(join(folder, 'app'), path)));
      wake();
    },
    say: (text) => said.push(text),
    isIdle,
    ...(listen !== undefined && { listen }),
  });
  open.push(watcher);
  return {
    watcher,
    said,
    async next() {
      while (told.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return told.shift() ?? [];
    },
  };
}

describe('F-15 a watched tree', () => {
  test('tells of files that are written, created and deleted', async () => {
    write('app/src/a.js');
    const { next } = await watched(['src']);
    write('app/src/a.js', 'new');
    expect(await next()).toEqual(['src/a.js']);
    write('app/src/deep/b.js');
    expect(await next()).toEqual(['src/deep/b.js']);
    rmSync(join(folder, 'app/src/a.js'));
    expect(await next()).toEqual(['src/a.js']);
  });

  test('run-21 is not changed by reads, chmod, touch, a save of the same text, or a file that comes and goes', async () => {
    write('app/src/a.js');
    write('app/src/b.js');
    const { next } = await watched(['src']);
    const a = join(folder, 'app/src/a.js');
    readFileSync(a);
    chmodSync(a, 0o755);
    utimesSync(a, 1, 1);
    write('app/src/a.js');
    write('app/src/a.js.new', 'app/src/a.js');
    renameSync(`${a}.new`, a);
    write('app/src/4913');
    write('app/src/.a.js.swp');
    write('app/src/brief');
    rmSync(join(folder, 'app/src/brief'));
    write('app/src/b.js', 'new');
    expect(await next()).toEqual(['src/b.js']);
  });

  test('run-21 tells of 200 files that are written in turns as one change', async () => {
    write('app/src/0.js');
    const { next } = await watched(['src']);
    for (let at = 0; at < 200; at++) {
      write(`app/src/${at % 7}/${at}.js`);
      if (at % 10 === 0) await new Promise(setImmediate);
    }
    expect(await next()).toHaveLength(200);
  });

  test('notices named paths when they appear, however much of the way is missing, and when they come again', async () => {
    write('app/other.js');
    const { next, said } = await watched(['src/lib', 'config/app.json']);
    expect(said).toEqual([
      expect.stringContaining('app/src/lib does not exist'),
      expect.stringContaining('app/config/app.json does not exist'),
    ]);
    write('app/config/app.json');
    expect(await next()).toEqual(['config/app.json']);
    for (let round = 0; round < 3; round++) {
      write('app/src/lib/a.js');
      expect(await next()).toEqual(['src/lib/a.js']);
      rmSync(join(folder, 'app/src'), { recursive: true });
      expect(await next()).toEqual(['src/lib/a.js']);
    }
    write('app/src/lib/b.js');
    expect(await next()).toEqual(['src/lib/b.js']);
    write('app/src/lib/b.js', 'new');
    expect(await next()).toEqual(['src/lib/b.js']);
  });

  test('goes on after a folder was moved away and another one took its place', async () => {
    write('app/src/a.js', 'old');
    const { next } = await watched(['.']);
    renameSync(join(folder, 'app/src'), join(folder, 'away'));
    write('app/src/a.js', 'new');
    expect(await next()).toEqual(['src/a.js']);
    write('away/a.js', 'elsewhere');
    write('app/src/a.js', 'newer');
    expect(await next()).toEqual(['src/a.js']);
  });

  test('follows links to folders and files, also one that leads back to where it stands', async () => {
    write('shared/lib/a.js');
    write('shared/settings.json');
    write('app/src/b.js');
    symlinkSync(join(folder, 'shared/lib'), join(folder, 'app/src/lib'));
    symlinkSync('..', join(folder, 'app/src/back'));
    symlinkSync(join(folder, 'shared/settings.json'), join(folder, 'app/src/settings.json'));
    symlinkSync('nowhere', join(folder, 'app/src/dangling'));
    symlinkSync('itself', join(folder, 'app/src/itself'));
    const { next, said } = await watched(['src', 'src/lib']);
    write('shared/lib/a.js', 'new');
    expect(await next()).toEqual(['src/lib/a.js']);
    write('shared/settings.json', 'new');
    expect(await next()).toEqual(['src/settings.json']);
    expect(said).toEqual([]);
  });

  test('leaves out what `ignore` and the .gitignore files from the root of the workspace on leave out', async () => {
    write('.gitignore', '*.gen.js\n/app/out\n');
    write('app/.gitignore', 'cache/\n');
    write('app/src/.gitignore', '!kept.gen.js\n');
    const { next } = await watched(['.'], { ignore: ['*.log', '/tmp'] });
    for (const path of [
      'out/a',
      'a.gen.js',
      'src/b.gen.js',
      'cache/a',
      'deep/a.log',
      'tmp/a',
      'node_modules/x/a.js',
    ])
      write(`app/${path}`);
    write('app/.git/index');
    write('app/src/tmp/a');
    write('app/src/kept.gen.js');
    expect(await next()).toEqual(['src/kept.gen.js', 'src/tmp/a']);
  });

  test('takes what is named although a rule leaves it out', async () => {
    write('.gitignore', 'dist\n');
    write('app/dist/a.js');
    write('app/node_modules/lib/index.js');
    const { next } = await watched(['dist', 'node_modules/lib']);
    write('app/dist/a.js', 'new');
    expect(await next()).toEqual(['dist/a.js']);
    write('app/node_modules/lib/index.js', 'new');
    expect(await next()).toEqual(['node_modules/lib/index.js']);
  });

  test('takes of a glob what it matches, also in folders that come later', async () => {
    write('app/src/a.ts');
    const { next } = await watched(['src/**/*.{ts,tsx}', '*.json', '!src/gen']);
    write('app/src/a.css');
    write('app/src/gen/a.ts');
    write('app/src/new/b.tsx');
    expect(await next()).toEqual(['src/new/b.tsx']);
    write('app/src/c.json');
    write('app/package.json');
    expect(await next()).toEqual(['package.json']);
  });

  test('takes what is there as known from a rebase on', async () => {
    write('app/src/a.js');
    const { next, watcher } = await watched(['src']);
    write('app/src/a.js', 'seen by a build');
    await watcher.rebase();
    write('app/src/b.js');
    expect(await next()).toEqual(['src/b.js']);
  });

  test('looks at the files in a rhythm, and says so once, where the system listens to no more folders', async () => {
    write('app/src/a/b.js');
    const listen = (() => {
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    }) as unknown as typeof watch;
    const { next, said } = await watched(['src'], { listen });
    write('app/src/a/b.js', 'new');
    expect(await next()).toEqual(['src/a/b.js']);
    expect(said).toEqual([expect.stringMatching(/ENOSPC.*every 2 s.*max_user_watches/)]);
  });

  test('says what cannot be looked at, and goes on with the rest', async () => {
    write('app/src/a.js');
    symlinkSync('loop', join(folder, 'app/loop'));
    const { next, said } = await watched(['loop', 'src']);
    expect(said).toEqual([expect.stringMatching(/app\/loop cannot be watched: ELOOP/)]);
    write('app/src/a.js', 'new');
    expect(await next()).toEqual(['src/a.js']);
  });
});
