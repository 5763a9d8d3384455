/** What is left when a supervisor and its agents are killed together, so that nobody stops the services (T-8, T-11, T-13). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { registryFolder } from '../../src/processes/index.ts';
import { needs, shellService, staying } from '../support/declared-services.ts';
import { isAlive } from '../support/process-scan.ts';
import type { Document } from '../support/running-command.ts';
import { Site } from '../support/site.ts';
import { agentsOf, crash, killTogether } from './crash.ts';

/** Word for word what a service runs, and a stranger too. */
const plain = ['/bin/sh', '-c', 'sleep 600; true'] as const;

/** A chain of three, each of which notes its end in the file `order`. */
const chain = [
  shellService('db', staying('echo db >> order')),
  shellService('api', staying('echo api >> order'), needs('db')),
  shellService('web', staying('echo web >> order'), needs('api')),
];

/** The file of the record of a group. */
function recordOf(site: Site, group: number): string {
  const folder = registryFolder(site.environment);
  const name = readdirSync(folder).find((file) =>
    readFileSync(join(folder, file), 'utf8').includes(`"pid":${group},`),
  );
  return join(folder, name ?? `the record of ${group}`);
}

function outcomes(receipt: Document): ReadonlyMap<string, string> {
  return new Map(
    (receipt['resources'] as Document[]).map(({ id, outcome }) => [String(id), String(outcome)]),
  );
}

describe('T-8 `skein stop` without a live run', () => {
  test('T-13 stops what a crash has left, consumers first; no record remains, and a stranger lives on', async () => {
    await using site = new Site();
    const stranger = spawn(plain[0], plain.slice(1), { stdio: 'ignore', detached: true });
    try {
      site.declare('left', [...chain, { name: 'plain', agent: 'process', spec: { command: plain } }]);
      await crash(site);
      const { status, stdout, stderr } = await site.skein('stop', '--json');
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const receipt = JSON.parse(stdout) as Document;
      expect(receipt).toMatchObject({ operation: 'stop', layers: 3 });
      const resources = receipt['resources'] as Document[];
      expect(resources.map(({ id, layer, outcome, error }) => [layer, id, outcome, error])).toEqual(
        expect.arrayContaining([
          [0, 'left/web', 'stopped', null],
          [0, 'left/plain', 'stopped', null],
          [1, 'left/api', 'stopped', null],
          [2, 'left/db', 'stopped', null],
        ]),
      );
      expect(resources).toHaveLength(4);
      expect(site.lines('order')).toEqual(['web', 'api', 'db']);
      expect(site.processes()).toEqual([]);
      expect(site.records()).toEqual([]);
      expect(isAlive(stranger.pid ?? 0)).toBe(true);
      expect(await site.skein('stop')).toMatchObject({ status: 0, stdout: 'no run is live\n', stderr: '' });
    } finally {
      process.kill(-(stranger.pid ?? 0), 'SIGKILL');
      await once(stranger, 'exit');
    }
  });

  test.each([0, 9, 19])('T-13 finds everything of 20 services that were killed at number %i', async (at) => {
    await using site = new Site();
    site.declare(
      'left',
      Array.from({ length: 20 }, (_, index) =>
        shellService(`s${index}`, staying(), index === 0 ? {} : needs(`s${index - 1}`)),
      ),
    );
    const run = site.start('run', '--json');
    await run.line(`left/s${at}`, 'up');
    await killTogether([...agentsOf(site), run.pid]);
    await run.ended;
    const services = site.processes().filter(({ command }) => command.startsWith('/bin/sh')).length;
    expect(services).toBeGreaterThan(at);
    const receipt = await site.json('stop');
    expect(new Set(outcomes(receipt).values())).toEqual(new Set(['stopped']));
    expect(receipt['layers']).toBe((receipt['resources'] as Document[]).length);
    expect(site.processes()).toEqual([]);
    // A draft, which a registrar was just writing, is no record yet: nothing was started with it.
    expect(site.records().filter((name) => !name.endsWith('.draft'))).toEqual([]);
  });

  test('stops one service alone, and refuses one that nobody knows', async () => {
    await using site = new Site();
    site.declare('left', chain);
    const pids = await crash(site);
    const refused = await site.skein('stop', 'nobody');
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('SK1031');
    expect(outcomes(await site.json('stop', 'api'))).toEqual(new Map([['left/api', 'stopped']]));
    expect([...pids].filter(([, pid]) => isAlive(pid)).map(([id]) => id)).toEqual(['left/db', 'left/web']);
    expect((await site.skein('stop')).status).toBe(0);
    expect(site.lines('order')).toEqual(['api', 'web', 'db']);
    expect(site.records()).toEqual([]);
  });

  test('knows what to stop where the workspace cannot be read any more', async () => {
    await using site = new Site();
    site.declare('left', chain);
    await crash(site);
    site.write('workspace.skein.yaml', 'name: [');
    expect(outcomes(await site.json('stop')).size).toBe(3);
    expect(site.processes()).toEqual([]);
    expect(site.records()).toEqual([]);
  });

  test('leaves a group with a damaged record running, says so, and stops the others', async () => {
    await using site = new Site();
    site.declare('left', chain);
    const pids = await crash(site);
    const api = pids.get('left/api') ?? 0;
    const record = recordOf(site, api);
    const whole = readFileSync(record, 'utf8');
    writeFileSync(record, whole.slice(0, -5));
    const { status, stdout, stderr } = await site.skein('stop', '--json');
    expect(status).toBe(1);
    expect(outcomes(JSON.parse(stdout))).toEqual(
      new Map([
        ['left/web', 'stopped'],
        ['left/api', 'failed'],
        ['left/db', 'stopped'],
      ]),
    );
    const [fault, ...others] = (JSON.parse(stderr) as { errors: Document[] }).errors;
    expect(others).toEqual([]);
    expect(fault).toMatchObject({
      code: 'SK1616',
      message: expect.stringContaining(record),
      remedy: expect.stringContaining(`skein recover process-group ${api} --preview`),
    });
    expect([...pids.values()].filter(isAlive)).toEqual([api]);
    expect(readFileSync(record, 'utf8')).toBe(whole.slice(0, -5));
    writeFileSync(record, whole);
    expect((await site.skein('stop')).status).toBe(0);
    expect(site.processes()).toEqual([]);
    expect(site.records()).toEqual([]);
  });

  test('at once after the supervisor was killed, beside its agent that is stopping the services too', async () => {
    await using site = new Site();
    site.declare('left', chain);
    expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
    process.kill(Number((await site.json('status'))['pid']), 'SIGKILL');
    const { status, stderr } = await site.skein('stop', '--json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(site.processes()).toEqual([]);
    expect(site.records()).toEqual([]);
    expect(site.lines('order').toSorted()).toEqual(['api', 'db', 'web']);
  });

  test('signals nobody when the records cannot be read', async () => {
    await using site = new Site();
    site.declare('left', chain);
    const pids = await crash(site);
    const folder = registryFolder(site.environment);
    renameSync(folder, `${folder}-away`);
    writeFileSync(folder, '');
    for (const words of [['stop'], ['stop', '--all']]) {
      const { status, stdout, stderr } = await site.skein(...words);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toContain('error SK1613');
    }
    expect([...pids.values()].every(isAlive)).toBe(true);
    rmSync(folder);
    renameSync(`${folder}-away`, folder);
    expect((await site.skein('stop')).status).toBe(0);
    expect(site.processes()).toEqual([]);
  });

  test('does not take the services of a run that lives and has lost its claim, and says who holds them', async () => {
    await using site = new Site();
    site.declare('left', chain);
    expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
    const { pid } = await site.json('status');
    renameSync(site.path('.skein'), site.path('gone'));
    const { status, stderr } = await site.skein('stop');
    expect(status).toBe(1);
    expect(stderr).toContain(`SK1516: process ${pid} `);
    renameSync(site.path('gone'), site.path('.skein'));
    expect(await site.json('status')).toMatchObject({ state: 'ready' });
    expect((await site.skein('stop')).status).toBe(0);
    site.expectNothingLeft();
  });
});

describe('T-8 `skein stop --all`', () => {
  test('stops the live run of one workspace and what is left of another', async () => {
    await using left = new Site();
    left.declare('left', chain);
    await using live = new Site({ environment: left.environment });
    live.declare('live', [shellService('a', staying('touch told'))]);
    await crash(left);
    expect((await live.skein('run', '--detach', '--wait')).status).toBe(0);
    const { status, stdout, stderr } = await left.skein('stop', '--all', '--json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const receipts = JSON.parse(stdout) as Document[];
    expect(new Map(receipts.map((receipt) => [receipt['root'], [...outcomes(receipt).keys()]]))).toEqual(
      new Map([
        [left.root, ['left/web', 'left/api', 'left/db']],
        [live.root, ['live/a']],
      ]),
    );
    expect(readdirSync(live.root)).toContain('told');
    expect([...left.processes(), ...live.processes()]).toEqual([]);
    expect(left.records()).toEqual([]);
    expect(await left.skein('stop', '--all')).toMatchObject({
      status: 0,
      stdout: 'no workspace has anything to stop\n',
    });
  });

  test('names a damaged record that does not say whose it is, and takes no service', async () => {
    await using site = new Site();
    site.declare('left', chain);
    await crash(site);
    const damaged = join(registryFolder(site.environment), 'd'.repeat(32));
    writeFileSync(damaged, '{"version":1', { mode: 0o600 });
    expect((await site.skein('stop', '--all', 'api')).stderr).toContain('SK1554');
    const { status, stderr } = await site.skein('stop', '--all');
    expect(status).toBe(1);
    expect(stderr).toContain(`SK1616: a process group is left alone: ${damaged} is damaged`);
    expect(site.processes()).toEqual([]);
    expect(site.records()).toEqual(['d'.repeat(32)]);
  });
});

describe('T-11 `skein run` after a crash', () => {
  test('first settles what was left, says so, and works', async () => {
    await using site = new Site();
    site.declare('left', chain);
    const before = await crash(site);
    const run = site.start('run', '--json');
    await run.runState('ready');
    expect(run.stderr).toMatch(/had left something running: .*left\/web \(stopped\)/);
    expect(site.lines('order')).toEqual(['web', 'api', 'db']);
    expect([...before.values()].filter(isAlive)).toEqual([]);
    run.signal('SIGINT');
    expect((await run.ended).status).toBe(130);
    expect(site.lines('order')).toEqual(['web', 'api', 'db', 'web', 'api', 'db']);
    expect(site.processes()).toEqual([]);
    expect(site.records()).toEqual([]);
  });

  test('starts beside what is not proven, and names it', async () => {
    await using site = new Site();
    site.declare('left', chain);
    const before = await crash(site);
    const db = before.get('left/db') ?? 0;
    const record = recordOf(site, db);
    const whole = readFileSync(record, 'utf8');
    writeFileSync(record, whole.slice(0, -5));
    const run = site.start('run', '--json');
    await run.runState('ready');
    expect(run.stderr).toContain('SK1616');
    expect(run.stderr).toContain('left/db');
    expect([...before.values()].filter(isAlive)).toEqual([db]);
    run.signal('SIGINT');
    expect((await run.ended).status).toBe(130);
    writeFileSync(record, whole);
    expect((await site.skein('stop')).status).toBe(0);
    expect(site.records()).toEqual([]);
  });
});

test('T-11 a copy of a workspace with a live run has no run, and stopping it leaves the original alone', async () => {
  await using site = new Site();
  site.declare('left', chain);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  await using copy = new Site({ environment: site.environment });
  cpSync(site.root, copy.root, { recursive: true });
  expect(await copy.json('status')).toMatchObject({ state: 'stopped', crashed: null });
  expect(await copy.skein('stop')).toMatchObject({ status: 0, stdout: 'no run is live\n' });
  expect(await site.json('status')).toMatchObject({ state: 'ready' });
  expect((await site.skein('stop')).status).toBe(0);
  site.expectNothingLeft();
});
