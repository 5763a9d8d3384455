/** `skein clear`: what dead runs have left on disk goes, and nothing of a live one does (T-10). */
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { registryFolder } from '../../src/processes/index.ts';
import { shellJob, shellService, staying } from '../support/declared-services.ts';
import { type FoundProcess, isAlive } from '../support/process-scan.ts';
import { Site } from '../support/site.ts';

/** A run of one service, all of whose processes are killed at once. */
async function killedRun(site: Site): Promise<void> {
  site.declare('gone', [shellService('a', staying())]);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  const pids = site.processes().map(({ pid }) => pid);
  // Suspended first, so that nobody who still lives for a moment puts anything in order.
  for (const name of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of pids) process.kill(pid, name);
  await expect.poll(() => pids.some(isAlive), { timeout: 30_000 }).toBe(false);
}

/** A run whose supervisor and agents are killed at once, and whose service lives on. */
async function orphanedRun(site: Site): Promise<void> {
  site.declare('gone', [shellService('a', staying())]);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  const isOfSkein = ({ command }: FoundProcess): boolean => command.includes(process.execPath);
  const pids = site
    .processes()
    .filter(isOfSkein)
    .map(({ pid }) => pid);
  expect(pids).toHaveLength(2);
  for (const name of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of pids) process.kill(pid, name);
  await expect.poll(() => pids.some(isAlive), { timeout: 30_000 }).toBe(false);
}

/** Absolute paths, oldest first. */
function runFolders(site: Site): readonly string[] {
  const folder = join(site.root, '.skein', 'runs');
  return readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name));
}

/** Absolute paths of the sockets of runs and the folders of agents' sockets, in order. */
function sockets(site: Site): readonly string[] {
  const folder = join(site.environment['XDG_RUNTIME_DIR'] ?? '', 'skein');
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .toSorted();
}

/** Absolute paths, in order. */
function records(site: Site): readonly string[] {
  return site.records().map((name) => join(registryFolder(site.environment), name));
}

/** Makes them `ageMs` old. */
function age(paths: readonly string[], ageMs: number): void {
  const time = new Date(Date.now() - ageMs);
  for (const path of paths) utimesSync(path, time, time);
}

const hourMs = 3_600_000;

describe('T-10 `skein clear`', () => {
  test('removes records and sockets of a killed run; with --dry-run it only tells', async () => {
    await using site = new Site();
    await killedRun(site);
    const left = { records: records(site), sockets: sockets(site) };
    expect([left.records.length, left.sockets.length]).toEqual([2, 2]);
    age(left.sockets, hourMs);
    const told = await site.json('clear', '--dry-run');
    expect(told).toEqual({ dryRun: true, ...left, records: expect.any(Array), runs: [], damaged: [] });
    expect((told['records'] as string[]).toSorted()).toEqual(left.records.toSorted());
    expect({ records: records(site), sockets: sockets(site) }).toEqual(left);
    const { status, stdout, stderr } = await site.skein('clear');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const path of [...left.records, ...left.sockets]) expect(stdout).toContain(`  ${path}\n`);
    site.expectNothingLeft();
    expect(await site.skein('clear')).toMatchObject({ status: 0, stdout: 'there is nothing to clear\n' });
  });

  test('leaves sockets that may be listened on in a moment, and files that are not of skein', async () => {
    await using site = new Site();
    await killedRun(site);
    const [folder = '', socket = ''] = sockets(site).toSorted((_, path) => (path.endsWith('.sock') ? -1 : 1));
    const foreign = join(folder, '..', 'notes');
    writeFileSync(foreign, '');
    age([foreign], hourMs);
    age([folder, socket], 0);
    expect(await site.json('clear')).toMatchObject({ sockets: [] });
    age([folder, socket], hourMs);
    writeFileSync(join(folder, 'more'), '');
    age([folder], hourMs);
    await site.skein('clear');
    expect(sockets(site)).toEqual([folder, foreign].toSorted());
    expect(readdirSync(folder)).toEqual(['more']);
  });

  test('disturbs no live run beside a killed one', async () => {
    await using site = new Site();
    await killedRun(site);
    const old = sockets(site);
    // Of another workspace: a run of the same one settles the killed one.
    await using other = new Site({ environment: site.environment });
    other.declare('live', [shellService('a', staying())]);
    expect((await other.skein('run', '--detach', '--wait')).status).toBe(0);
    const { pid } = await other.service('live/a');
    const live = sockets(site).filter((path) => !old.includes(path));
    expect(live).toHaveLength(2);
    age(sockets(site), hourMs);
    // Whoever is suspended lives too.
    const suspended = site.processes().map((process) => process.pid);
    for (const each of suspended) process.kill(each, 'SIGSTOP');
    expect(await site.json('clear')).toMatchObject({ sockets: old, damaged: [] });
    for (const each of suspended) process.kill(each, 'SIGCONT');
    expect(sockets(site)).toEqual(live);
    const status = await other.json('status');
    expect(status).toMatchObject({ state: 'ready', services: [{ ready: true, pid }] });
    expect(site.records()).toHaveLength(2);
    expect((await other.skein('restart', 'a')).status).toBe(0);
    expect((await other.skein('stop')).status).toBe(0);
    site.expectNothingLeft();
  });

  test('keeps a damaged record, and names it', async () => {
    await using site = new Site();
    await killedRun(site);
    const [damaged = ''] = records(site);
    writeFileSync(damaged, readFileSync(damaged, 'utf8').slice(0, -5));
    const { status, stdout, stderr } = await site.skein('clear', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      damaged: [{ record: damaged, why: 'its last line has no end' }],
    });
    expect(stderr).toMatch(/^warning SK1616: /);
    expect(stderr).toContain(damaged);
    expect(records(site)).toEqual([damaged]);
  });

  test('finds nothing where nothing has ever run, and makes nothing', async () => {
    await using site = new Site();
    expect(await site.json('clear')).toEqual({
      dryRun: false,
      records: [],
      sockets: [],
      runs: [],
      damaged: [],
    });
    expect(readdirSync(site.environment['XDG_RUNTIME_DIR'] ?? '')).toEqual([]);
  });

  test('removes the folders of ended runs but that of the last, which can still be read', async () => {
    await using site = new Site();
    site.declare('past', [shellJob('a', 'echo said')]);
    for (let count = 0; count < 3; count++) expect((await site.skein('run')).status).toBe(0);
    const folders = runFolders(site);
    expect(folders).toHaveLength(3);
    expect(await site.json('clear', '--dry-run')).toMatchObject({ runs: folders.slice(0, 2) });
    expect(runFolders(site)).toEqual(folders);
    expect(await site.json('clear')).toMatchObject({ runs: folders.slice(0, 2) });
    expect(runFolders(site)).toEqual(folders.slice(2));
    expect((await site.skein('logs')).stdout).toContain('said');
    expect(await site.json('status', '--last')).toMatchObject({ last: { state: 'stopped' } });
    // Where there is no workspace around, nothing of one is looked at.
    expect(await site.json('clear', '--cwd', '/')).toMatchObject({ runs: [] });
  });

  test('keeps the folders of runs that live, that begin, that left something running, or whose record is damaged', async () => {
    await using site = new Site();
    await orphanedRun(site);
    const [orphaned = ''] = runFolders(site);
    const folderOf = (run: string): string => join(site.root, '.skein', 'runs', run);
    for (const run of ['20000101-000000-begi', '20000101-000000-dama', '20000101-000000-dead'])
      mkdirSync(folderOf(run));
    writeFileSync(join(folderOf('20000101-000000-dama'), 'run.json'), '{');
    age([folderOf('20000101-000000-dead')], hourMs);
    // The newest that left a record.
    const record = JSON.parse(readFileSync(join(orphaned, 'run.json'), 'utf8')) as object;
    mkdirSync(folderOf('99990101-000000-last'));
    writeFileSync(
      join(folderOf('99990101-000000-last'), 'run.json'),
      JSON.stringify({ ...record, run: '99990101-000000-last' }),
    );
    const { status, stdout, stderr } = await site.skein('clear', '--json');
    expect([status, stderr]).toEqual([0, expect.stringMatching(/SK1515.*-dama/)]);
    expect(JSON.parse(stdout)).toMatchObject({ runs: [folderOf('20000101-000000-dead')] });
    expect(runFolders(site)).toEqual(
      [
        folderOf('20000101-000000-begi'),
        folderOf('20000101-000000-dama'),
        orphaned,
        folderOf('99990101-000000-last'),
      ].toSorted(),
    );
    await site.skein('stop');
    expect(await site.json('clear')).toMatchObject({ runs: [orphaned] });
  });

  test('deletes no data while something of a dead run lives that may use it', async () => {
    await using site = new Site();
    await orphanedRun(site);
    const data = join(site.root, '.skein', 'data', 'gone', 'a');
    mkdirSync(data, { recursive: true });
    const refused = await site.skein('clear', '--data', '--yes');
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/SK1519[\s\S]*gone\/a[\s\S]*skein stop/),
    });
    expect(readdirSync(join(data, '..'))).toEqual(['a']);
    expect((await site.skein('stop')).status).toBe(0);
    expect(await site.json('clear', '--data', '--yes')).toMatchObject({
      data: [{ service: 'gone/a', path: data, removed: true }],
    });
    expect([site.processes(), site.records()]).toEqual([[], []]);
  });
});
