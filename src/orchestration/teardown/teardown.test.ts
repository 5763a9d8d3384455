import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultsOf } from '../../errors/index.ts';
import type { ServiceId } from '../../workspace/index.ts';
import { ManualClock } from '../manual-clock.ts';
import { type TeardownProgress, type TeardownRequest, type TeardownResult, tearDown } from './teardown.ts';

/** What a scripted service does with a stop, and afterwards with a kill. */
interface Script {
  readonly stop:
    | 'never'
    | 'throws-at-once'
    | { readonly afterMs: number; readonly error?: string; readonly answer?: 'forced' };
  readonly force?:
    | 'dies'
    | 'never'
    | 'may-run'
    | { readonly error: string }
    | { readonly diesAfterMs: number };
  readonly stopTimeoutMs?: number;
}

interface Happened {
  readonly atMs: number;
  readonly what: 'stop' | 'force' | 'settled';
  readonly id: string;
}

interface Scene {
  readonly clock: ManualClock;
  readonly happened: Happened[];
  readonly progress: TeardownProgress[];
  readonly hurry: (budgetMs: number) => void;
  readonly result: Promise<TeardownResult>;
}

function begin(
  scripts: Readonly<Record<string, Script>>,
  edges: readonly (readonly [consumer: string, dependency: string])[],
  options: Partial<Pick<TeardownRequest, 'budgetMs' | 'observe'>> = {},
): Scene {
  const clock = new ManualClock();
  const happened: Happened[] = [];
  const progress: TeardownProgress[] = [];
  let listener: ((budgetMs: number) => void) | undefined;
  const log = (what: Happened['what'], id: string): void =>
    void happened.push({ atMs: clock.now(), what, id });
  const after = (ms: number): Promise<void> => new Promise((resolve) => clock.setTimeout(resolve, ms));
  const result = tearDown({
    operation: 'stop',
    participants: Object.entries(scripts).map(([id, { stopTimeoutMs = 0 }]) => ({
      id: id as ServiceId,
      stopTimeoutMs,
    })),
    edges: edges.map(([consumer, dependency]) => ({
      consumer: consumer as ServiceId,
      dependency: dependency as ServiceId,
    })),
    clock,
    hurry: (heard) => {
      listener = heard;
      return {
        [Symbol.dispose]: () => {
          listener = undefined;
        },
      };
    },
    stop: (id) => {
      log('stop', id);
      const script = scripts[id]?.stop;
      if (script === 'throws-at-once') throw new Error('cannot even try');
      if (script === undefined || script === 'never') return new Promise(() => undefined);
      return after(script.afterMs).then(() => {
        if (script.error !== undefined) throw new Error(script.error);
        return script.answer ?? 'stopped';
      });
    },
    force: async (id) => {
      log('force', id);
      const script = scripts[id]?.force ?? 'dies';
      if (script === 'never') return new Promise(() => undefined);
      if (script === 'may-run') return { kind: 'may-run', why: 'its start identity is not the recorded one' };
      if (script !== 'dies' && 'error' in script) throw new Error(script.error);
      if (script !== 'dies') await after(script.diesAfterMs);
      return { kind: 'dead' };
    },
    ...options,
    observe: (step) => {
      progress.push(step);
      if (step.type === 'resource-settled') log('settled', step.resource.id);
      options.observe?.(step);
    },
  });
  return { clock, happened, progress, result, hurry: (budgetMs) => listener?.(budgetMs) };
}

const stopsAfter = (afterMs: number): Script => ({ stop: { afterMs } });
const outcomes = ({ receipt }: TeardownResult): string[] =>
  receipt.resources.map(({ id, layer, outcome, durationMs }) => `${layer} ${id} ${outcome} ${durationMs}`);

describe('tearDown', () => {
  test('T-1 run-07 d, then b and c together, then a, which is not touched before both are gone', async () => {
    const second = stopsAfter(1_000);
    const { clock, happened, result } = begin({ a: second, b: second, c: second, d: second }, [
      ['b', 'a'],
      ['c', 'a'],
      ['d', 'b'],
      ['d', 'c'],
      ['d', 'a'],
    ]);
    const ended = await clock.runUntil(result);
    expect(happened.map(({ atMs, what, id }) => `${atMs} ${what} ${id}`)).toEqual([
      '0 stop d',
      '1000 settled d',
      '1000 stop b',
      '1000 stop c',
      '2000 settled b',
      '2000 settled c',
      '2000 stop a',
      '3000 settled a',
    ]);
    expect(ended.receipt).toMatchObject({ operation: 'stop', layers: 3 });
    expect(outcomes(ended)).toEqual([
      '0 d stopped 1000',
      '1 b stopped 1000',
      '1 c stopped 1000',
      '2 a stopped 1000',
    ]);
    expect(ended.faults).toBeUndefined();
  });

  test('T-3 the receipt is in layer order, then in registration order, whoever ended first', async () => {
    const { clock, result } = begin({ db: stopsAfter(1), slow: stopsAfter(900), fast: stopsAfter(10) }, [
      ['slow', 'db'],
      ['fast', 'db'],
    ]);
    expect(outcomes(await clock.runUntil(result))).toEqual([
      '0 slow stopped 900',
      '0 fast stopped 10',
      '1 db stopped 1',
    ]);
  });

  test('T-2 a layer that overruns its budget is cut off and forced, and the next goes on', async () => {
    const { clock, happened, result } = begin({ db: stopsAfter(20), api: { stop: 'never' } }, [
      ['api', 'db'],
    ]);
    const ended = await clock.runUntil(result);
    expect(outcomes(ended)).toEqual(['0 api forced 15000', '1 db stopped 20']);
    expect(ended.receipt.resources[0]?.error).toBe('it did not stop within 15 s');
    expect(ended.faults).toBeUndefined();
    expect(happened.map(({ what, id }) => `${what} ${id}`)).toEqual([
      'stop api',
      'force api',
      'settled api',
      'stop db',
      'settled db',
    ]);
  });

  test('T-2 the stop is told by its signal that it is cut off', async () => {
    const clock = new ManualClock();
    let signal: AbortSignal | undefined;
    const result = tearDown({
      operation: 'stop',
      participants: [{ id: 'api' as ServiceId, stopTimeoutMs: 0 }],
      edges: [],
      clock,
      stop: (_id, limits) => {
        signal = limits.signal;
        return new Promise(() => undefined);
      },
      force: async () => ({ kind: 'dead' }),
    });
    await clock.advance(14_999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(signal?.aborted).toBe(true);
    await result;
  });

  test.each([
    ['the declared budget', 15_000, 1_000, 15_000],
    ['the largest stop-timeout and 5 s', 15_000, 20_000, 25_000],
    ['a budget that was asked for', 60_000, 1_000, 60_000],
  ])('T-2 a layer has %s', async (_title, budget, stopTimeoutMs, expected) => {
    const { clock, result } = begin({ quick: stopsAfter(1), hung: { stop: 'never', stopTimeoutMs } }, [], {
      budgetMs: () => budget,
    });
    expect(outcomes(await clock.runUntil(result))).toEqual([
      '0 quick stopped 1',
      `0 hung forced ${expected}`,
    ]);
  });

  test('T-2 each layer has a budget of its own: the stateful last one does not pay for slow consumers', async () => {
    const { clock, progress, result } = begin({ db: stopsAfter(14_000), api: { stop: 'never' } }, [
      ['api', 'db'],
    ]);
    expect(outcomes(await clock.runUntil(result))).toEqual(['0 api forced 15000', '1 db stopped 14000']);
    expect(progress.filter(({ type }) => type === 'layer-begins')).toMatchObject([
      { budgetMs: 15_000 },
      { budgetMs: 15_000 },
    ]);
  });

  test('T-3 an error of the agent is a failure that names its resource, and the process is killed all the same', async () => {
    const { clock, happened, result } = begin(
      {
        a: { stop: { afterMs: 5, error: 'the engine is gone' } },
        b: { stop: 'throws-at-once' },
        c: stopsAfter(1),
      },
      [],
    );
    const ended = await clock.runUntil(result);
    expect(outcomes(ended)).toEqual(['0 a failed 5', '0 b failed 0', '0 c stopped 1']);
    expect(
      faultsOf(ended.faults as NonNullable<typeof ended.faults>).map(
        ({ code, message }) => `${code} ${message}`,
      ),
    ).toEqual(['SK1470 a: the engine is gone', 'SK1470 b: cannot even try']);
    expect(happened.filter(({ what }) => what === 'force').map(({ id }) => id)).toEqual(['b', 'a']);
  });

  test('T-3 a stop that says that it had to kill is told as forced', async () => {
    const { clock, result } = begin({ a: { stop: { afterMs: 1_000, answer: 'forced' } } }, []);
    const ended = await clock.runUntil(result);
    expect(outcomes(ended)).toEqual(['0 a forced 1000']);
    expect(ended.receipt.resources[0]?.error).not.toBeNull();
  });

  test.each([
    ['cannot be proven', 'may-run', 15_000, 'its start identity is not the recorded one'],
    ['fails', { error: 'not permitted' }, 15_000, 'killing it failed: not permitted'],
    ['does not end', 'never', 20_000, 'killing it took longer than 5 s'],
  ] as const)('T-3 what may still run is said when killing %s', async (_title, force, durationMs, why) => {
    const { clock, result } = begin({ db: stopsAfter(1), api: { stop: 'never', force } }, [['api', 'db']]);
    const ended = await clock.runUntil(result);
    expect(outcomes(ended)).toEqual([`0 api timed-out ${durationMs}`, '1 db stopped 1']);
    expect(ended.faults?.message).toBe(`api: it did not stop within 15 s, and may still run: ${why}`);
    expect(ended.faults?.code).toBe('SK1471');
  });

  test('T-5 a hurry shortens the layer that is running, and every later one', async () => {
    const { clock, progress, hurry, result } = begin(
      { db: { stop: 'never', stopTimeoutMs: 30_000 }, api: { stop: 'never' }, web: stopsAfter(2_500) },
      [
        ['api', 'db'],
        ['web', 'db'],
      ],
    );
    await clock.advance(1_000);
    hurry(2_000);
    expect(outcomes(await clock.runUntil(result))).toEqual([
      '0 api forced 3000',
      '0 web stopped 2500',
      '1 db forced 2000',
    ]);
    expect(progress.filter(({ type }) => type === 'hurried')).toEqual([{ type: 'hurried', budgetMs: 2_000 }]);
  });

  test('T-5 a hurry never gives a layer more time than it has left', async () => {
    const { clock, hurry, result } = begin({ api: { stop: 'never' } }, []);
    await clock.advance(14_000);
    hurry(2_000);
    hurry(9_000);
    expect(outcomes(await clock.runUntil(result))).toEqual(['0 api forced 15000']);
  });

  test('T-5 the third Ctrl-C kills everything now, without waiting for layers and without a stop', async () => {
    const slow: Script = { stop: 'never', force: { diesAfterMs: 100 } };
    const { clock, happened, hurry, result } = begin({ a: slow, b: slow, c: slow }, [
      ['c', 'b'],
      ['b', 'a'],
    ]);
    await clock.advance(500);
    hurry(2_000);
    hurry(0);
    const ended = await clock.runUntil(result);
    expect(outcomes(ended)).toEqual(['0 c forced 600', '1 b forced 100', '2 a forced 100']);
    expect(happened.filter(({ what }) => what === 'stop').map(({ id }) => id)).toEqual(['c']);
    expect(happened.filter(({ what }) => what === 'force').map(({ atMs }) => atMs)).toEqual([500, 500, 500]);
    expect(ended.receipt.resources[1]?.error).toBe('it was killed at once, without a stop');
  });

  test('T-5 a view that breaks does not hold the teardown up, and is told', async () => {
    const { clock, result } = begin({ a: stopsAfter(1), b: stopsAfter(1) }, [['a', 'b']], {
      observe: () => {
        throw new Error('EPIPE');
      },
    });
    const ended = await clock.runUntil(result);
    expect(outcomes(ended)).toEqual(['0 a stopped 1', '1 b stopped 1']);
    expect(faultsOf(ended.faults as NonNullable<typeof ended.faults>).map(({ code }) => code)).toContain(
      'SK1472',
    );
  });

  test('a teardown of nothing ends at once', async () => {
    const { result } = begin({}, []);
    expect((await result).receipt).toEqual({ operation: 'stop', layers: 0, resources: [] });
  });

  test('no timer is left behind', async () => {
    const { clock, result } = begin({ a: stopsAfter(1), b: { stop: { afterMs: 1, error: 'no' } } }, [
      ['a', 'b'],
    ]);
    await clock.runUntil(result);
    expect(clock.pending).toBe(0);
  });

  const script: fc.Arbitrary<Script> = fc.record({
    stop: fc.oneof(
      fc.constantFrom('never' as const, 'throws-at-once' as const),
      fc.record({ afterMs: fc.nat(20_000) }),
      fc.record({ afterMs: fc.nat(20_000), error: fc.constant('no') }),
      fc.record({ afterMs: fc.nat(20_000), answer: fc.constant('forced' as const) }),
    ),
    force: fc.oneof(
      fc.constantFrom('dies' as const, 'never' as const, 'may-run' as const),
      fc.record({ error: fc.constant('no') }),
      fc.record({ diesAfterMs: fc.nat(10_000) }),
    ),
    stopTimeoutMs: fc.nat(20_000),
  });

  test('T-1 T-2 T-3 whatever the stops do, it ends in time, in order, with everybody in the receipt', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(script, { minLength: 1, maxLength: 8 }),
        fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 16 }),
        fc.option(fc.nat(40_000), { nil: undefined }),
        async (scripts, pairs, hurriedAtMs) => {
          const ids = scripts.map((_, index) => `s${index}`);
          const edges = pairs
            .filter(([from, to]) => from < to && to < scripts.length)
            .map(([from, to]) => [`s${from}`, `s${to}`] as const);
          const scene = begin(
            Object.fromEntries(ids.map((id, index) => [id, scripts[index] as Script])),
            edges,
          );
          if (hurriedAtMs !== undefined) scene.clock.setTimeout(() => scene.hurry(2_000), hurriedAtMs);
          const { receipt } = await scene.clock.runUntil(scene.result);

          expect(receipt.resources.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
          expect(receipt.resources.map(({ layer }) => layer)).toEqual(
            receipt.resources.map(({ layer }) => layer).toSorted((a, b) => a - b),
          );
          const at = (what: Happened['what'], id: string): number =>
            scene.happened.findIndex((entry) => entry.what === what && entry.id === id);
          for (const [consumer, dependency] of edges)
            expect(at('settled', consumer)).toBeLessThan(at('stop', dependency));
          for (const { outcome, error } of receipt.resources)
            if (outcome !== 'stopped') expect(error).not.toBeNull();
          // Per layer: the largest budget that a script can ask for, and the time for killing.
          expect(scene.clock.now()).toBeLessThanOrEqual(receipt.layers * (25_000 + 5_000));
        },
      ),
      { numRuns: 150 },
    );
  });

  test('T-5 whenever everything is killed, it ends within the time for killing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(script, { minLength: 1, maxLength: 8 }),
        fc.nat(30_000),
        async (scripts, killedAtMs) => {
          const chain = scripts.slice(1).map((_, index) => [`s${index}`, `s${index + 1}`] as const);
          const scene = begin(Object.fromEntries(scripts.map((entry, index) => [`s${index}`, entry])), chain);
          scene.clock.setTimeout(() => scene.hurry(0), killedAtMs);
          const { receipt } = await scene.clock.runUntil(scene.result);
          expect(receipt.resources).toHaveLength(scripts.length);
          expect(scene.clock.now()).toBeLessThanOrEqual(killedAtMs + 5_000);
        },
      ),
      { numRuns: 100 },
    );
  });
});
