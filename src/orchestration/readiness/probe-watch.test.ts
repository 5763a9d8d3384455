import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DurationMs, ProbeTiming } from '../../workspace/index.ts';
import { accepted, gaps, refused, Scene, watched } from './scripted-monitor.ts';
import { id } from './service-fixture.ts';

const ms = (duration: number): DurationMs => duration as DurationMs;
const seconds = ms(1_000);

/** Answers as listed, one attempt after the other, then as the last. */
function answering(...answers: readonly boolean[]): () => typeof accepted {
  let next = 0;
  return () => (answers[Math.min(next++, answers.length - 1)] === true ? accepted : refused);
}

const kinds = (scene: Scene): string[] => scene.transitions.map((text) => text.replace(' shop/api:', ''));

describe('a declared interval', () => {
  test('R-4 R-6 is the pace, from the beginning of an attempt to that of the next, whatever happens', async () => {
    using scene = new Scene({ answer: answering(false, false, true, true, false, true) });
    scene.monitor.watch(watched('api', 1, { timing: { intervalMs: seconds } }));
    await scene.clock.advance(500);
    // Neither a listener that shows up nor an agent's word makes it run.
    scene.listening.add(1);
    scene.monitor.hint(id('api'));
    await scene.clock.advance(59_500);
    expect(scene.probesOf(1)).toHaveLength(61);
    expect(new Set(gaps(scene.probesOf(1)))).toEqual(new Set([1_000]));
    expect(scene.reads).toEqual([]);
  });

  test('R-4 an attempt that takes its whole time-out takes it of the interval', async () => {
    using scene = new Scene({ table: 'none', answer: () => 'never' });
    scene.monitor.watch(watched('api', 1, { timing: { intervalMs: seconds, timeoutMs: ms(300) } }));
    scene.monitor.watch(watched('db', 2, { timing: { intervalMs: ms(200), timeoutMs: ms(300) } }));
    await scene.clock.advance(3_000);
    expect(scene.probesOf(1)).toEqual([0, 1_000, 2_000, 3_000]);
    // One at a time: the next begins when the one before is over.
    expect(new Set(gaps(scene.probesOf(2)))).toEqual(new Set([300]));
    expect(scene.transitions[0]).toBe('300 shop/api: unknown → no answer within 300 ms');
  });
});

describe('thresholds', () => {
  test('R-4 so many successes in a row make it ready; a failure between them begins the count anew', async () => {
    using scene = new Scene({ table: 'none', answer: answering(true, true, false, true, true, true) });
    scene.monitor.watch(watched('api', 1, { timing: { intervalMs: seconds, successThreshold: 3 } }));
    await scene.clock.advance(10_000);
    expect(kinds(scene)).toEqual([
      '0 unknown → answered 1 of 3 times in a row',
      '1000 failing → answered 2 of 3 times in a row',
      '2000 failing → connection refused',
      '3000 failing → answered 1 of 3 times in a row',
      '4000 failing → answered 2 of 3 times in a row',
      '5000 failing → holding',
    ]);
  });

  test('R-4 so many failures in a row revoke it, and no fewer', async () => {
    using scene = new Scene({
      table: 'none',
      answer: answering(true, false, false, true, false, false, false, true),
    });
    scene.monitor.watch(watched('api', 1, { timing: { intervalMs: seconds, failureThreshold: 3 } }));
    await scene.clock.advance(10_000);
    expect(kinds(scene)).toEqual([
      '0 unknown → holding',
      '6000 holding → connection refused',
      '7000 failing → holding',
    ]);
  });

  test('R-6 without an interval the attempts that decide follow each other soon', async () => {
    using scene = new Scene({ table: 'none', answer: answering(true, true, true, false) });
    const timing = { successThreshold: 2, failureThreshold: 3 };
    scene.monitor.watch(watched('api', 1, { predicate: 'grpc-health', timing }));
    await scene.clock.advance(4_000);
    expect(gaps(scene.probesOf(1)).slice(0, 5)).toEqual([25, 1_000, 2_000, 25, 33]);
    expect(kinds(scene).at(-1)).toBe('3083 holding → connection refused');
  });

  test('R-4 R-1 never ready before the successes, never revoked before the failures, and never late', async () => {
    const run = fc.record({
      answers: fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }),
      successThreshold: fc.integer({ min: 1, max: 4 }),
      failureThreshold: fc.integer({ min: 1, max: 4 }),
      intervalMs: fc.option(fc.integer({ min: 1, max: 2_000 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(run, async ({ answers, intervalMs, ...thresholds }) => {
        const seen: boolean[] = [];
        let holds = false;
        using scene = new Scene({
          table: 'none',
          answer: () => {
            const ok = answers[seen.length] ?? false;
            seen.push(ok);
            const { successThreshold, failureThreshold } = thresholds;
            const last = seen.slice(-(ok ? successThreshold : failureThreshold));
            const decides = last.length === (ok ? successThreshold : failureThreshold);
            if (decides && last.every((outcome) => outcome === ok)) holds = ok;
            return ok ? accepted : refused;
          },
        });
        const timing: ProbeTiming = {
          ...thresholds,
          ...(intervalMs !== undefined && { intervalMs: ms(intervalMs) }),
        };
        const subject = watched('api', 1, { timing });
        scene.monitor.watch(subject);
        while (seen.length < answers.length) {
          await scene.clock.advance(1_000);
          expect(scene.monitor.stateOf(subject.key)?.kind === 'holding').toBe(holds);
        }
        scene.monitor.unwatch(id('api'));
        expect(scene.clock.pending).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});

describe('an initial delay', () => {
  test('R-4 counts from the Start; until then neither table nor hint makes it run', async () => {
    using scene = new Scene();
    scene.listening.add(1);
    await scene.clock.advance(2_000);
    scene.monitor.watch(watched('api', 1, { timing: { initialDelayMs: ms(5_000) } }), 1_000);
    await scene.clock.advance(3_999);
    scene.monitor.hint(id('api'));
    expect(scene.probes).toEqual([]);
    await scene.clock.advance(1);
    expect(scene.probesOf(1)).toEqual([6_000]);
    expect(kinds(scene)).toEqual(['6000 unknown → holding']);
  });

  test('R-4 leaves no timer where the service ends within it', async () => {
    using scene = new Scene({ table: 'none' });
    scene.monitor.watch(watched('api', 1, { timing: { initialDelayMs: ms(5_000) } }));
    scene.monitor.unwatch(id('api'));
    expect(scene.clock.pending).toBe(0);
  });
});

describe('what gives up', () => {
  test('R-4 liveness is taken for granted, and told with the failure that reaches the threshold', async () => {
    using scene = new Scene({ table: 'none', answer: answering(false, false, true, false) });
    scene.monitor.watch(watched('api', 1, { purpose: 'liveness' }));
    await scene.clock.advance(60_000);
    expect(new Set(gaps(scene.probesOf(1)))).toEqual(new Set([10_000]));
    expect(scene.exhausted).toEqual(['50000 shop/api liveness ×3: connection refused']);
  });

  test('R-4 a start may take as long as it likes, unless it is told how often it may fail', async () => {
    using scene = new Scene({ table: 'none', answer: () => refused });
    scene.monitor.watch(watched('api', 1, { purpose: 'startup' }));
    const timing = { failureThreshold: 4, intervalMs: seconds };
    scene.monitor.watch(watched('db', 2, { purpose: 'startup', timing }));
    await scene.clock.advance(600_000);
    expect(scene.exhausted).toEqual(['3000 shop/db startup ×4: connection refused']);
  });

  test('R-1 what a liveness probe finds is no requirement', async () => {
    using scene = new Scene({ table: 'none', answer: () => refused });
    const subject = watched('api', 1, { purpose: 'liveness' });
    scene.monitor.watch(subject);
    await scene.clock.advance(60_000);
    expect(scene.monitor.stateOf(subject.key)).toBeUndefined();
  });
});

test('R-9 a listener that is another one than before is probed again, though its port never went', async () => {
  using scene = new Scene();
  scene.listening.add(1);
  scene.monitor.watch(watched('api', 1));
  await scene.clock.advance(10_000);
  expect(scene.probes).toHaveLength(1);
  scene.inode = 'another';
  await scene.clock.advance(5_000);
  expect(scene.probes).toHaveLength(2);
  await scene.clock.advance(20_000);
  expect(scene.probes).toHaveLength(2);
});
