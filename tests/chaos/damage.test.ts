/** A run of 20 services is killed whole, and its records are damaged besides: strangers live, what is proven is stopped (T-8, T-13). */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { processIdentity, registryFolder } from '../../src/processes/index.ts';
import { isAlive } from '../support/process-scan.ts';
import type { Document, RunningCommand } from '../support/running-command.ts';
import type { Damage } from './cases.ts';
import { chosen } from './chosen.ts';
import { Ground, recordsOf } from './ground.ts';
import { SmallDisk } from './small-disk.ts';

const actions: Readonly<Record<Damage, (context: TestContext) => Promise<void>>> = {
  'a half-written record': async () => {
    await using ground = await Ground.make();
    const run = await crashed(ground);
    const { file, content, leader } = serviceRecord(ground);
    writeFileSync(file, content.slice(0, -7));
    const stopped = await ground.site.skein('stop');
    expect(stopped.status).toBe(1);
    expect(stopped.stderr).toMatch(new RegExp(`SK1616: .*${file}`));
    expect(isAlive(leader)).toBe(true);
    expect(recordsOf(ground.site)).toHaveLength(1);
    writeFileSync(file, content);
    await expectStopped(ground, run);
  },

  'a re-used pid': async () => {
    await using ground = await Ground.make();
    const run = await crashed(ground);
    for (const pid of ground.strangers) await forge(ground, { pid, start: '1' });
    await expectStopped(ground, run);
  },

  'a record of another boot': async () => {
    await using ground = await Ground.make();
    const run = await crashed(ground);
    const files = await Promise.all(ground.strangers.map((pid) => forge(ground, { pid, boot: 'another' })));
    const stopped = await ground.site.skein('stop');
    expect(stopped.status).toBe(1);
    for (const pid of ground.strangers)
      expect(stopped.stderr).toContain(`skein recover process-group ${pid} --preview`);
    ground.expectStrangersAlive();
    expect(recordsOf(ground.site)).toHaveLength(files.length);
    for (const file of files) rmSync(file);
    await expectStopped(ground, run);
  },

  'a full disk before the run': async (context) => {
    using disk = SmallDisk.make();
    if (disk === undefined) return context.skip('mounts are not allowed here');
    disk.fill();
    await using ground = await Ground.make({ XDG_STATE_HOME: disk.folder });
    const run = ground.start(true);
    expect((await run.ended).status).toBe(1);
    expect((await run.ended).stderr).toContain('ENOSPC');
    await ground.expectOver(run);
  },

  'a full disk before the crash': async (context) => {
    using disk = SmallDisk.make();
    if (disk === undefined) return context.skip('mounts are not allowed here');
    await using ground = await Ground.make({ XDG_STATE_HOME: disk.folder });
    const run = await crashed(ground, () => disk.fill());
    await expectStopped(ground, run);
  },

  'a state folder that cannot be written': async (context) => {
    using disk = SmallDisk.make();
    if (disk === undefined) return context.skip('mounts are not allowed here');
    await using ground = await Ground.make({ XDG_STATE_HOME: disk.folder });
    const run = await crashed(ground, () => disk.lock());
    const stopped = await ground.site.skein('stop');
    expect(stopped.status).toBe(1);
    expect(stopped.stderr).toContain('SK1614');
    expect(ground.site.processes()).toEqual([]);
    ground.expectStrangersAlive();
    disk.unlock();
    await expectStopped(ground, run);
  },
};

for (const damage of chosen().damages) test(`T-13 everybody killed, with ${damage}`, actions[damage]);

async function crashed(ground: Ground, before: () => void = () => undefined): Promise<RunningCommand> {
  const run = ground.start(true);
  await run.runState('ready');
  before();
  const pids = [...ground.agents(), run.pid];
  for (const name of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of pids) process.kill(pid, name);
  await run.ended;
  await expect.poll(() => pids.filter(isAlive), { timeout: 30_000 }).toEqual([]);
  return run;
}

async function expectStopped(ground: Ground, run: RunningCommand): Promise<void> {
  const { status, stderr } = await ground.site.skein('stop', '--json');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  await ground.expectOver(run);
}

interface ServiceRecord {
  readonly file: string;
  readonly content: string;
  /** Its pid. */
  readonly leader: number;
}

/** That of one service, by chance of the folder's order. */
function serviceRecord({ site }: Ground): ServiceRecord {
  const folder = registryFolder(site.environment);
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const content = readFileSync(file, 'utf8');
    const [reservation = '{}', leader = '{}'] = content.split('\n');
    if ((JSON.parse(reservation) as { purpose?: Document }).purpose?.['kind'] === 'service')
      return { file, content, leader: Number((JSON.parse(leader) as Document)['pid']) };
  }
  throw new Error('no service is on record');
}

/** A record that names a stranger, but for what is changed. */
async function forge(ground: Ground, changed: { readonly pid: number } & Document): Promise<string> {
  const { file, content } = serviceRecord(ground);
  const secret = changed.pid.toString(16).padStart(32, '0');
  const [reservation = ''] = content.split('\n');
  const forged = JSON.stringify({ ...(JSON.parse(reservation) as Document), secret });
  const leader = { ...(await processIdentity(changed.pid)), ...changed };
  const path = join(file, '..', secret);
  writeFileSync(path, `${forged}\n${JSON.stringify(leader)}\n`, { mode: 0o600 });
  return path;
}
