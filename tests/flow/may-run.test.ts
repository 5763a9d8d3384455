/** The proof from the host that nothing of a service runs, on real process groups. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { killAll, nothingRuns, started, untold } from '../../src/orchestration/may-run.ts';
import {
  type GroupProcess,
  killGroup,
  type ProcessIdentity,
  processIdentity,
  Registrar,
  readRegistry,
  registryFolder,
  spawnGroup,
} from '../../src/processes/index.ts';

const { signal } = new AbortController();
const state = mkdtempSync(join(tmpdir(), 'may-run-'));
afterAll(() => rmSync(state, { recursive: true }));
const records = registryFolder({ XDG_STATE_HOME: state });
const registrar = new Registrar(records);
const registration = {
  workspaceRoot: '/',
  purpose: { kind: 'service', workspace: 'shop', run: 'r1', service: 'shop/api' },
} as const;

/** A group of its own, and what an agent would tell of it. */
async function sleeper(): Promise<{ readonly group: GroupProcess; readonly leader: ProcessIdentity }> {
  const environment = { PATH: process.env['PATH'] ?? '' };
  const group = await spawnGroup({ command: ['sleep', '600'], cwd: '/', environment });
  const leader = await processIdentity(group.pid);
  if (leader === undefined) throw new Error('it has ended already');
  return { group, leader };
}

test('T-4 groups that a Start told of are killed and gone', async () => {
  const { group, leader } = await sleeper();
  expect(await killAll(started([leader]), records, signal)).toEqual({
    answer: { kind: 'dead' },
    left: nothingRuns,
  });
  expect(await group.exited).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
});

test('T-4 T-7 a process that has the number of a former leader is left alone', async () => {
  const { group, leader } = await sleeper();
  const former = { ...leader, start: 'another time' };
  expect(await killAll(started([former]), records, signal)).toMatchObject({ answer: { kind: 'dead' } });
  expect((await processIdentity(group.pid))?.start).toBe(leader.start);
  await killAll(started([leader]), records, signal);
});

test('T-4 what an agent has not told of may run, also once all that it told of is dead', async () => {
  const { group, leader } = await sleeper();
  const { answer, left } = await killAll(untold('start', started([leader])), records, signal);
  expect(answer).toEqual({ kind: 'may-run', why: 'its agent did not come to say what it started in start' });
  expect(left).toEqual(untold('start', nothingRuns));
  await group.exited;
});

test('T-4 what runs elsewhere may run, whatever is killed here', async () => {
  const elsewhere = started([]);
  const why = 'it runs where only its agent can reach it';
  for (const mayRun of [elsewhere, untold('init', elsewhere)])
    expect(await killAll(mayRun, records, signal)).toEqual({
      answer: { kind: 'may-run', why },
      left: mayRun,
    });
});

/** A leader that ends and leaves a `sleep` behind, which holds no output. */
const leaving = {
  command: ['/bin/sh', '-c', 'sleep 600 > /dev/null 2>&1 & read go; exit 0'],
  cwd: '/',
  environment: { PATH: process.env['PATH'] ?? '' },
  stdin: 'pipe',
} as const;

async function leave(group: GroupProcess): Promise<ProcessIdentity> {
  const leader = await processIdentity(group.pid);
  group.stdin?.end('go\n');
  await Promise.all([text(group.stdout), group.exited]);
  if (leader === undefined) throw new Error('it has ended already');
  return leader;
}

test('T-7 what is left of a group without its leader is proven by its record, and killed', async () => {
  const { process: group } = await registrar.spawn(leaving, registration);
  const leader = await leave(group);
  expect(await killAll(started([leader]), records, signal)).toMatchObject({ answer: { kind: 'dead' } });
  expect(await killGroup({ pid: group.pid })).toEqual({ outcome: 'stopped' });
  expect(readdirSync(records)).toEqual([]);
});

test('T-7 without a record it is left alone, and may run', async () => {
  const group = await spawnGroup(leaving);
  const leader = await leave(group);
  const { answer } = await killAll(started([leader]), records, signal);
  expect(answer).toMatchObject({ kind: 'may-run', why: expect.stringContaining('nothing proves') });
  expect(process.kill(-group.pid, 0)).toBe(true);
  await killGroup({ pid: group.pid });
});

test('T-7 a group that an agent has started is on record by its leader alone', async () => {
  const { group, leader } = await sleeper();
  expect(await registrar.adopt({ ...leader, start: '1' }, registration)).toBeUndefined();
  expect(await registrar.adopt({ ...leader, boot: 'another' }, registration)).toBeUndefined();
  expect(readdirSync(records)).toEqual([]);
  const adopted = await registrar.adopt(leader, { ...registration, stopTimeoutMs: 3_000 });
  const [record = ''] = readdirSync(records);
  expect(readRegistry(records)).toMatchObject([
    {
      secret: record,
      record: { leader, reservation: { commandLine: expect.any(String), stopTimeoutMs: 3_000 } },
    },
  ]);
  await adopted?.conclude({ abort: signal });
  expect(await group.exited).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
  expect(readdirSync(records)).toEqual([]);
});

test('T-7 without its leader such a group is not proven, and the record stays', async () => {
  const group = await spawnGroup(leaving);
  const leader = await processIdentity(group.pid);
  const adopted = leader && (await registrar.adopt(leader, registration));
  await leave(group);
  await expect(adopted?.conclude({ abort: signal })).rejects.toMatchObject({ code: 'SK1617' });
  expect(process.kill(-group.pid, 0)).toBe(true);
  await killGroup({ pid: group.pid });
  await adopted?.conclude({ abort: signal });
  expect(readdirSync(records)).toEqual([]);
});
