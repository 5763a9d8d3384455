import { describe, expect, test } from 'vitest';
import { SkeinError } from '../errors/index.ts';
import type { ServiceId, Workspace } from '../workspace/index.ts';
import { Course } from './course.ts';
import type { Receipt, RunState } from './events.ts';
import { RunHistory } from './history.ts';
import { ManualClock } from './manual-clock.ts';
import { initialRunSnapshot } from './snapshot.ts';

const receipt: Receipt = { operation: 'stop', layers: 0, resources: [] };
const overdue = new SkeinError('SK1451', 'not ready within 5 s', {
  place: { service: 'shop/api' as ServiceId, phase: 'tcp-connect' },
});

interface Run {
  readonly course: Course;
  readonly clock: ManualClock;
  readonly states: readonly RunState[];
  readonly budgets: readonly (number | undefined)[];
}

/** With 5 s to become ready, once it has begun. */
function planned(): Run {
  const clock = new ManualClock();
  const workspace = { name: 'shop', root: '/shop' } as Workspace;
  const history = new RunHistory(initialRunSnapshot({ workspace, runId: 'r1' }, [], 0), clock);
  const states: RunState[] = [];
  history.onEvent(({ happening }) => {
    if (happening.type === 'run-state') states.push(happening.state);
  });
  const budgets: (number | undefined)[] = [];
  const course = new Course({
    history,
    clock,
    readinessTimeoutMs: 5_000,
    overdue: () => overdue,
    tearDown: (budgetMs) => {
      budgets.push(budgetMs);
      return Promise.resolve(receipt);
    },
  });
  return { course, clock, states, budgets };
}

function begun(): Run {
  const run = planned();
  run.course.begin();
  return run;
}

describe('the course of a run', () => {
  test('R-7 one that is not ready at its deadline fails and ends', async () => {
    const { course, clock, states } = begun();
    const waiting = course.waitReady(false, undefined);
    const refused = expect(waiting).rejects.toBe(overdue);
    await clock.advance(5_000);
    await refused;
    expect(await course.ended).toBe(receipt);
    expect(states).toEqual(['starting', 'failed', 'stopping', 'stopped']);
    await expect(course.waitReady(true, undefined)).rejects.toBe(overdue);
  });

  test('R-1 one that was ready in time has no deadline any more, and may be degraded and ready again', async () => {
    const { course, clock, states } = begun();
    const waiting = course.waitReady(false, undefined);
    course.becameReady();
    await waiting;
    course.degraded('connection refused');
    expect([clock.pending, course.wasReady]).toEqual([0, true]);
    course.becameReady();
    expect(states).toEqual(['starting', 'ready', 'degraded', 'ready']);
  });

  test('T-1 whoever ends it joins the end under way; it does not fail, or become ready, afterwards', async () => {
    const { course, states, budgets } = begun();
    const waiting = course.waitReady(false, undefined);
    const refused = expect(waiting).rejects.toMatchObject({ code: 'SK1404' });
    const first = course.end('interrupt', 2_000);
    expect(course.end('stop')).toBe(first);
    course.fail(overdue);
    course.becameReady();
    course.degraded('');
    expect(await first).toBe(receipt);
    await refused;
    expect([budgets, states]).toEqual([[2_000], ['starting', 'stopping', 'stopped']]);
    await expect(course.waitReady(true, undefined)).rejects.toMatchObject({ code: 'SK1404' });
  });

  test('one that was ended before it began does not begin', async () => {
    const { course, clock, states } = planned();
    await course.end('stop');
    course.begin();
    expect([clock.pending, states]).toEqual([0, ['stopping', 'stopped']]);
  });
});
