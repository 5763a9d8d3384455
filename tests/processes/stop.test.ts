import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type GroupProcess,
  killGroup,
  signalGroup,
  spawnGroup,
  stopGroup,
} from '../../src/processes/index.ts';
import { isAlive } from '../support/process-scan.ts';
import { outcome, pidsIn, printed, shell } from './fixtures.ts';

const started: GroupProcess[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((group) => killGroup(group)));
});

async function start(script: string): Promise<GroupProcess> {
  const group = await spawnGroup(shell(script));
  started.push(group);
  return group;
}

/** Waits for the word `up`, and returns the pids printed before it. */
async function up(group: GroupProcess): Promise<number[]> {
  return pidsIn(await printed(group.stdout, 'up\n'));
}

const sleeper = 'sleep 600 & echo $!';
const stubborn = `sh -c 'trap "" TERM; echo ready >&2; while :; do sleep 600; done' & echo $!`;
const patient = { signal: 'SIGTERM', timeoutMs: 20_000 } as const;
const impatient = { signal: 'SIGTERM', timeoutMs: 50 } as const;

describe('T-4 stopping a group', () => {
  test('signals all of it and returns when it is empty', async () => {
    const group = await start(`${sleeper}; ${sleeper}; echo up; wait`);
    const children = await up(group);
    expect(children.filter(isAlive)).toHaveLength(2);
    expect(await stopGroup(group, patient)).toEqual({ outcome: 'stopped' });
    expect([group.pid, ...children].filter(isAlive)).toEqual([]);
    expect(group.exit).toEqual({ kind: 'signalled', signal: 'SIGTERM' });
  });

  test('run-01 kills a child that ignores TERM though its leader has left with 0, and says so', async () => {
    const group = await start(`trap 'exit 0' TERM; ${stubborn}; echo up; wait`);
    const ready = printed(group.stderr, 'ready');
    const [child = 0] = await up(group);
    await ready;
    const stopped = await stopGroup(group, { signal: 'SIGTERM', timeoutMs: 300 });
    expect(await group.exited).toEqual({ kind: 'exited', code: 0 });
    expect(stopped).toMatchObject({ outcome: 'forced' });
    const survivors = stopped.outcome === 'forced' ? stopped.survivors : [];
    expect(survivors.map(({ pid }) => pid)).toContain(child);
    expect(survivors.find(({ pid }) => pid === child)?.command).toContain('trap "" TERM');
    expect(survivors.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });

  test('kills a leader that ignores TERM', async () => {
    const group = await start(`trap '' TERM; echo up; while :; do sleep 0.05; done`);
    await up(group);
    expect(await stopGroup(group, impatient)).toMatchObject({ outcome: 'forced' });
    expect(await group.exited).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
  });

  test('run-05 waits for what a service does on its way out', async () => {
    const group = await spawnGroup(
      shell(`trap 'sleep 0.3; echo done; exit 0' INT; echo up; while :; do sleep 0.05; done`),
    );
    started.push(group);
    const whole = outcome(group);
    await up(group);
    expect(await stopGroup(group, { signal: 'SIGINT', timeoutMs: 20_000 })).toEqual({ outcome: 'stopped' });
    expect(await group.exited).toEqual({ kind: 'exited', code: 0 });
    expect((await whole).stdout).toContain('done\n');
  });

  test('lets a suspended service act on the signal', async () => {
    const group = await start(`trap 'exit 4' TERM; echo up; while :; do sleep 0.05; done`);
    await up(group);
    signalGroup(group, 'SIGSTOP');
    await stopGroup(group, patient);
    expect(await group.exited).toEqual({ kind: 'exited', code: 4 });
  });

  test('of a group that has gone is done at once', async () => {
    const group = await start('exit 0');
    await group.exited;
    expect(await stopGroup(group, patient)).toEqual({ outcome: 'stopped' });
    expect(await killGroup(group)).toEqual({ outcome: 'stopped' });
    expect(signalGroup(group, 'SIGTERM')).toBe(false);
  });

  test.runIf(process.platform === 'linux')('takes zombies that nobody reaps for dead', async () => {
    // The background child leaves the group, keeps its own child and never reaps it.
    const keeper = `import os, signal, time
child = os.fork()
if child == 0:
    signal.pause()
os.setsid()
print(os.getpid(), flush=True)
print('up', flush=True)
time.sleep(600)`;
    const group = await spawnGroup(
      shell(`python3 -c "$KEEPER" & wait`, {
        environment: { PATH: process.env['PATH'] ?? '', KEEPER: keeper },
      }),
    );
    const [outside = 0] = await up(group);
    try {
      expect(await stopGroup(group, patient)).toEqual({ outcome: 'stopped' });
      // The zombie still answers for the group.
      expect(() => process.kill(-group.pid, 0)).not.toThrow();
    } finally {
      process.kill(outside, 'SIGKILL');
    }
  });

  test('works on a group known by its number only', async () => {
    const group = await start(`${stubborn}; echo up; wait`);
    const ready = printed(group.stderr, 'ready');
    const [child = 0] = await up(group);
    await ready;
    const stopped = await stopGroup({ pid: group.pid }, impatient);
    expect(stopped).toMatchObject({ outcome: 'forced' });
    expect(isAlive(child)).toBe(false);
  });

  test('never signals a number that has become a process again', async () => {
    const stranger = await start('echo up; sleep 600');
    await up(stranger);
    // Our leader is long collected, and its number is a live process's: not ours.
    const past = { pid: stranger.pid, exit: { kind: 'exited', code: 0 } as const };
    expect(signalGroup(past, 'SIGKILL')).toBe(false);
    expect(await stopGroup(past, impatient)).toEqual({ outcome: 'stopped' });
    expect(await killGroup(past)).toEqual({ outcome: 'stopped' });
    expect(isAlive(stranger.pid)).toBe(true);
  });

  test('T-5 is given up on abort, and goes on by killing', async () => {
    const group = await start(`trap '' TERM; echo up; while :; do sleep 0.05; done`);
    await up(group);
    const secondCtrlC = new AbortController();
    const reason = new Error('hurry');
    const first = stopGroup(group, { ...patient, abort: secondCtrlC.signal });
    await setImmediate();
    secondCtrlC.abort(reason);
    await expect(first).rejects.toBe(reason);
    expect(isAlive(group.pid)).toBe(true);
    expect(await killGroup(group)).toMatchObject({ outcome: 'forced' });
    await expect(stopGroup(group, { ...patient, abort: secondCtrlC.signal })).rejects.toBe(reason);
  });

  test('of many at once stops them all', async () => {
    const groups = await Promise.all(Array.from({ length: 20 }, () => start(`${sleeper}; echo up; wait`)));
    await Promise.all(groups.map(up));
    const outcomes = await Promise.all(groups.map((group) => stopGroup(group, patient)));
    expect(outcomes).toEqual(groups.map(() => ({ outcome: 'stopped' })));
  });
});
