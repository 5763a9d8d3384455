import { type ChildProcess, spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claimRun, latestRun, liveRun } from '../../src/control/index.ts';

let scripts: string;
let root: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  scripts = mkdtempSync(join(tmpdir(), 'skein-claim-script-'));
  const claim = join(import.meta.dirname, '../../src/control/claim.ts');
  await build({
    stdin: {
      contents: `
        import { claimRun } from ${JSON.stringify(claim)};
        const [root, run] = process.argv.slice(2);
        process.stdin.once('data', async () => {
          try {
            await claimRun({ root, run, workspace: 'shop', socket: '/none', now: new Date() });
            console.log('won');
          } catch (error) {
            console.log(error.code ?? error.stack);
          }
        });
        console.log('waiting');`,
      resolveDir: import.meta.dirname,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['koffi'],
    outfile: join(scripts, 'claim.cjs'),
  });
});

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-claim-'));
});

afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  rmSync(root, { recursive: true });
});

afterAll(() => rmSync(scripts, { recursive: true }));

const options = (run: string) => ({
  root,
  run,
  workspace: 'shop',
  socket: join(root, 'run.sock'),
  now: new Date(0),
});

describe('T-11 one run of a workspace at a time', () => {
  test('of many that begin at once exactly one wins, also over a dead one', async () => {
    for (let round = 0; round < 3; round++) {
      const claimants = await Promise.all(
        Array.from({ length: 6 }, (_, index) => claimant(`run-${round}-${index}`)),
      );
      for (const { child } of claimants) child.stdin?.write('go\n');
      const answers = await Promise.all(claimants.map(({ next }) => next()));
      expect(answers.sort()).toEqual(['SK1501', 'SK1501', 'SK1501', 'SK1501', 'SK1501', 'won']);
      await Promise.all(children.splice(0).map(kill));
      expect(await liveRun(root)).toBeUndefined();
    }
    expect(readdirSync(join(root, '.skein', 'claims'))).toEqual(['3']);
  });

  test('the refusal names the live run and what to do', async () => {
    await claimRun(options('first'));
    const error = await claimRun(options('second')).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'SK1501' });
    expect(String(error)).toContain(`run first of the workspace in ${root} is live (process ${process.pid}`);
    expect(readdirSync(join(root, '.skein', 'runs'))).toEqual(['first']);
  });

  test('a released workspace can be claimed again, and the record of the ended run stays', async () => {
    const first = await claimRun(options('first'));
    first.serving({ ['shop/api' as never]: 'api.log' });
    expect(await liveRun(root)).toMatchObject({ run: 'first', state: 'serving' });
    first.release();
    first.release();
    expect(await liveRun(root)).toBeUndefined();
    expect(await latestRun(root)).toMatchObject({
      record: { run: 'first', state: 'ended', logs: { 'shop/api': 'api.log' } },
      damaged: [],
    });
    const second = await claimRun(options('second'));
    expect(await liveRun(root)).toMatchObject({ run: 'second' });
    second.release();
  });

  test('a process that has the number of a dead supervisor is not taken for it', async () => {
    const first = await claimRun(options('first'));
    const file = join(root, '.skein', 'claims', '1', 'claim.json');
    const claim = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...claim, supervisor: { ...claim.supervisor, start: 'another' } }));
    expect(await liveRun(root)).toBeUndefined();
    await claimRun(options('second'));
    expect(first.record.run).toBe('first');
  });

  test.each<[string, (claim: object) => unknown]>([
    ['empty', () => ''],
    ['half written', (claim) => JSON.stringify(claim).slice(0, 20)],
    ['a list', () => '[]'],
    ['nothing', () => 'null'],
    ['without its run', (claim) => JSON.stringify({ ...claim, run: undefined })],
    ['with a list for its run', (claim) => JSON.stringify({ ...claim, run: [] })],
    ['without a time', (claim) => JSON.stringify({ ...claim, startedAt: 7 })],
    ['without its root', (claim) => JSON.stringify({ ...claim, root: undefined })],
    ['without a process', (claim) => JSON.stringify({ ...claim, supervisor: null })],
  ])('a damaged claim locks nobody out: %s', async (_, damaged) => {
    await claimRun(options('first'));
    const file = join(root, '.skein', 'claims', '1', 'claim.json');
    writeFileSync(file, String(damaged(JSON.parse(readFileSync(file, 'utf8')))));
    expect(await liveRun(root)).toBeUndefined();
    await claimRun(options('second'));
    expect(await liveRun(root)).toMatchObject({ run: 'second' });
  });

  test('a copy of the workspace is free, also where the original is held, and the original stays held', async () => {
    await claimRun(options('first'));
    const copy = `${root}-copy`;
    cpSync(root, copy, { recursive: true });
    try {
      expect(await liveRun(copy)).toBeUndefined();
      const claim = await claimRun({ ...options('second'), root: copy });
      expect(await liveRun(copy)).toMatchObject({ run: 'second', root: copy });
      expect(await liveRun(root)).toMatchObject({ run: 'first', root });
      claim.release();
    } finally {
      rmSync(copy, { recursive: true });
    }
  });

  test('a workspace that was moved, or is reached by a link, is still held', async () => {
    await claimRun(options('first'));
    const [moved, link] = [`${root}-moved`, `${root}-link`];
    symlinkSync(root, link);
    try {
      expect(await liveRun(link)).toMatchObject({ run: 'first' });
      renameSync(root, moved);
      expect(await liveRun(moved)).toMatchObject({ run: 'first' });
    } finally {
      rmSync(link);
      renameSync(moved, root);
    }
  });

  test('a damaged record of the run that holds it is named, with its process', async () => {
    await claimRun(options('first'));
    writeFileSync(join(root, '.skein', 'runs', 'first', 'run.json'), '{');
    await expect(liveRun(root)).rejects.toMatchObject({
      code: 'SK1515',
      message: expect.stringContaining(`run first is live (process ${process.pid})`),
      remedy: expect.stringContaining(`kill -INT ${process.pid}`),
    });
    await expect(claimRun(options('second'))).rejects.toMatchObject({ code: 'SK1501' });
  });

  test('git looks away, others may not look in, ten ended runs are kept', async () => {
    for (let at = 10; at < 25; at++)
      mkdirSync(join(root, '.skein', 'runs', `run-${at}`), { recursive: true });
    const claim = await claimRun(options('run-99'));
    claim.release();
    expect(readFileSync(join(root, '.skein', '.gitignore'), 'utf8')).toBe('*\n');
    expect(readdirSync(join(root, '.skein', 'runs'))).toEqual([
      ...Array.from({ length: 9 }, (_, index) => `run-${index + 16}`),
      'run-99',
    ]);
  });
});

async function claimant(run: string): Promise<{ child: ChildProcess; next: () => Promise<string> }> {
  const child = spawn(process.execPath, [join(scripts, 'claim.cjs'), root, run], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  expect(await next()).toBe('waiting');
  return { child, next };
}

function kill(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
