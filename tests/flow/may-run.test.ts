/** The proof from the host that nothing of a service runs, on real process groups. */
import { expect, test } from 'vitest';
import { killAll, nothingRuns, started, untold } from '../../src/orchestration/may-run.ts';
import {
  type GroupProcess,
  type ProcessIdentity,
  processIdentity,
  spawnGroup,
} from '../../src/processes/index.ts';

const { signal } = new AbortController();

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
  expect(await killAll(started([leader]), signal)).toEqual({ answer: { kind: 'dead' }, left: nothingRuns });
  expect(await group.exited).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
});

test('T-4 T-7 a process that has the number of a former leader is left alone', async () => {
  const { group, leader } = await sleeper();
  const former = { ...leader, start: 'another time' };
  expect(await killAll(started([former]), signal)).toMatchObject({ answer: { kind: 'dead' } });
  expect((await processIdentity(group.pid))?.start).toBe(leader.start);
  await killAll(started([leader]), signal);
});

test('T-4 what an agent has not told of may run, also once all that it told of is dead', async () => {
  const { group, leader } = await sleeper();
  const { answer, left } = await killAll(untold('start', started([leader])), signal);
  expect(answer).toEqual({ kind: 'may-run', why: 'its agent did not come to say what it started in start' });
  expect(left).toEqual(untold('start', nothingRuns));
  await group.exited;
});

test('T-4 what runs elsewhere may run, whatever is killed here', async () => {
  const elsewhere = started([]);
  const why = 'it runs where only its agent can reach it';
  for (const mayRun of [elsewhere, untold('init', elsewhere)])
    expect(await killAll(mayRun, signal)).toEqual({ answer: { kind: 'may-run', why }, left: mayRun });
});
