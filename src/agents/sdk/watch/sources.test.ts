/** On the real file system. That nothing is told is seen from what is told next. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Sources } from './sources.ts';

let folder: string;
let sources: Sources;
let wishes: string[];
let wake: () => void;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-sources-'));
  wishes = [];
  wake = () => undefined;
  sources = new Sources({
    desire: (phase, cause) => {
      wishes.push(`${phase}: ${cause}`);
      wake();
    },
    say: (text) => wishes.push(text),
  });
});
afterEach(() => {
  sources.forget();
  rmSync(folder, { recursive: true });
});

const write = (name: string, text = name): void => writeFileSync(join(folder, name), text);
const wanted = (phase: 'init' | 'start', ...paths: readonly string[]): Parameters<Sources['watch']>[0] => ({
  written: { paths, ignore: [], folder, workspaceFolder: folder },
  phase,
});
async function wish(): Promise<string | undefined> {
  while (wishes.length === 0) await new Promise<void>((resolve) => (wake = resolve));
  return wishes.shift();
}

describe('F-15 the sources of an instance', () => {
  test('that was stopped while the watch began are not watched, until its next Start', async () => {
    const beginning = sources.watch(wanted('init', '.'));
    sources.rest();
    await beginning;
    write('a');
    await sources.began('start');
    write('b');
    expect(await wish()).toBe('init: b changed');
  });

  test('are known as they are when an Init that builds begins, or a Start where nothing is built', async () => {
    await sources.watch(wanted('init', '.'));
    write('a');
    await sources.watch(wanted('init', '.'));
    write('b');
    expect(await wish()).toBe('init: b changed');
    await sources.watch(wanted('start', '.'));
    write('c');
    await sources.began('start');
    write('d');
    expect(await wish()).toBe('start: d changed');
  });

  test('that changed between the build and the Start are built again', async () => {
    await sources.watch(wanted('init', '.'));
    sources.ended();
    write('a');
    await sources.began('start');
    expect(await wish()).toBe('init: a changed');
  });

  test('that changed while the instance was stopped are built after its next Start, for a Start does not build', async () => {
    await sources.watch(wanted('init', '.'));
    sources.initialized();
    write('a');
    sources.rest();
    await sources.began('start');
    expect(await wish()).toBe('init: a changed');
  });

  test('whose build was interrupted by a Stop are built after the next Start', async () => {
    await sources.watch(wanted('init', '.'));
    sources.initialized();
    write('a');
    expect(await wish()).toBe('init: a changed');
    await sources.began('init');
    await sources.watch(wanted('init', '.'));
    sources.rest();
    sources.ended();
    await sources.began('start');
    expect(await wish()).toBe('init: a changed');
    await sources.began('init');
    await sources.watch(wanted('init', '.'));
    sources.initialized();
    sources.rest();
    await sources.began('start');
    write('b');
    expect(await wish()).toBe('init: b changed');
  });

  test('are others where something else is wanted, and none where an Init after a Load does not ask', async () => {
    await sources.watch(wanted('start', 'a'));
    await sources.watch(wanted('start', 'b'));
    write('a');
    write('b');
    expect(wishes.shift()).toMatch(/\/a does not exist/);
    expect(wishes.shift()).toMatch(/\/b does not exist/);
    expect(await wish()).toBe('start: b changed');
    sources.loaded();
    sources.initialized();
    write('b', 'new');
    await sources.watch(wanted('start', 'a'));
    write('a', 'new');
    expect(await wish()).toBe('start: a changed');
  });
});
