import { describe, expect, test } from 'vitest';
import { ManualClock } from '../manual-clock.ts';
import {
  type ActionResult,
  createDispatcher,
  type Dispatcher,
  type DispatcherOptions,
} from './dispatcher.ts';
import { graphOf } from './engine-fixture.ts';
import { runPolicy } from './policies/run.ts';

const done: ActionResult = { outcome: 'done', hash: null };
const failed: ActionResult = { outcome: 'failed', retryable: true };

interface Play {
  readonly dispatcher: Dispatcher;
  readonly clock: ManualClock;
  /** `load api #0`, as they were carried out. */
  readonly seen: readonly string[];
  readonly pauses: readonly number[];
}

/** One service `api`, begun, with time standing still. */
async function play(
  execute: (phase: string, signal: AbortSignal) => ActionResult | Promise<ActionResult>,
  options: Partial<DispatcherOptions> = {},
): Promise<Play> {
  const clock = new ManualClock();
  const seen: string[] = [];
  const pauses: number[] = [];
  const dispatcher = createDispatcher({
    graph: graphOf({ api: [] }),
    policy: runPolicy,
    roots: new Set(),
    clock,
    random: () => 0,
    retryingOf: () => ({ attempts: Number.POSITIVE_INFINITY, backoffMs: 1_000 }),
    parallelism: Number.POSITIVE_INFINITY,
    execute: async ({ phase, service, round }, signal) => {
      seen.push(`${phase} ${service} #${round}`);
      return execute(phase, signal);
    },
    onPause: (_, __, delayMs) => void pauses.push(delayMs),
    ...options,
  });
  // Whoever expects a bug looks at it later.
  dispatcher.ended.catch(() => undefined);
  dispatcher.start();
  await clock.advance(0);
  return { dispatcher, clock, seen, pauses };
}

describe('the pause after a failure', () => {
  test('F-9 doubles from 1 s to 30 s, and then the service is tried again', async () => {
    const { clock, seen, pauses } = await play(() => failed);
    await clock.advance(120_000);
    expect(pauses.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(seen.slice(0, 3)).toEqual(['load api #0', 'load api #1', 'load api #2']);
  });

  test('F-9 is shorter by up to a fifth', async () => {
    const { pauses } = await play(() => failed, { random: () => 0.999_999 });
    expect(pauses).toEqual([800]);
  });

  test('F-21 ends with its timer when the service is held', async () => {
    const { dispatcher, clock, seen } = await play(() => failed);
    expect(clock.pending).toBe(1);
    dispatcher.tell({ type: 'hold', service: 'api' });
    expect(clock.pending).toBe(0);
    await clock.advance(60_000);
    expect(seen).toEqual(['load api #0']);
  });

  test('F-9 that a re-entry cuts short sets nothing off later', async () => {
    let results = [failed, { outcome: 'failed', retryable: false } as const];
    const { dispatcher, clock, seen } = await play(() => results.shift() ?? done);
    dispatcher.tell({ type: 'reenter', service: 'api', phase: 'load' });
    await clock.advance(60_000);
    // The second failure waits for a change: the timer of the first must not end that wait.
    expect(seen).toEqual(['load api #0', 'load api #2']);
    results = [];
    dispatcher.tell({ type: 'reenter', service: 'api', phase: 'load' });
    await clock.advance(0);
    expect(seen.slice(2)).toEqual(['load api #4', 'init api #4', 'start api #4']);
  });
});

describe('cancelling', () => {
  test('F-10 aborts what runs, waits for its end, and begins nothing more', async () => {
    let release: (result: ActionResult) => void = () => undefined;
    let aborted: unknown;
    const { dispatcher, clock, seen } = await play(
      (_, signal) =>
        new Promise((resolve) => {
          release = resolve;
          signal.addEventListener('abort', () => {
            aborted = signal.reason;
          });
        }),
    );
    const reason = new Error('enough');
    let isOver = false;
    const cancelled = dispatcher.cancel(reason).then(() => {
      isOver = true;
    });
    await clock.advance(0);
    expect([aborted, isOver]).toEqual([reason, false]);
    release(done);
    await cancelled;
    await dispatcher.ended;
    expect(seen).toEqual(['load api #0']);
  });

  test('F-10 leaves no timer', async () => {
    const { dispatcher, clock } = await play(() => failed);
    await dispatcher.cancel(new Error('enough'));
    expect(clock.pending).toBe(0);
  });
});

test('F-6 no more actions run at once than are allowed, and the critical path goes first', async () => {
  const releases: (() => void)[] = [];
  const { clock, seen } = await play(() => new Promise((resolve) => releases.push(() => resolve(done))), {
    graph: graphOf({ first: [], leaf: [], base: [], top: ['base'] }),
    parallelism: 1,
  });
  for (let begun = 1; begun <= 4; begun++) {
    expect(seen).toHaveLength(begun);
    releases.shift()?.();
    await clock.advance(0);
  }
  expect(seen.slice(0, 4)).toEqual(['load first #0', 'init first #0', 'start first #0', 'load base #0']);
});

test('an executor that throws is a bug: it ends the playbook with what was thrown', async () => {
  const bug = new Error('a bug');
  const { dispatcher } = await play(() => {
    throw bug;
  });
  await expect(dispatcher.ended).rejects.toBe(bug);
});
