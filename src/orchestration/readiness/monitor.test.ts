import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../manual-clock.ts';
import type { ProbeResult } from './attempt.ts';
import { ReadinessMonitor } from './monitor.ts';
import { accepted, gaps, refused, Scene, watched } from './scripted-monitor.ts';
import { id } from './service-fixture.ts';

describe('while a service is starting', () => {
  test('R-6 retries at 25 ms growing to 500 ms', async () => {
    using scene = new Scene({ table: 'none' });
    scene.monitor.watch(watched('api', 1));
    await scene.clock.advance(6_000);
    const pauses = gaps(scene.probesOf(1));
    expect(pauses.slice(0, 3)).toEqual([25, 33, 42]);
    expect(pauses.at(-1)).toBe(500);
    expect(Math.max(...pauses)).toBe(500);
  });

  test('R-6 a service is seen as soon as a retry finds it, and the transition says since when', async () => {
    using scene = new Scene({ table: 'none' });
    scene.monitor.watch(watched('api', 1));
    await scene.clock.advance(30);
    scene.listening.add(1);
    await scene.clock.advance(100);
    expect(scene.transitions).toEqual([
      '0 shop/api: unknown → connection refused',
      '58 shop/api: failing → holding',
    ]);
    expect(scene.monitor.stateOf(watched('api', 1).key)).toEqual({ kind: 'holding', sinceMs: 57.5 });
  });

  test('R-6 every attempt has its own time-out, and is told that it is over', async () => {
    using scene = new Scene({ table: 'none', answer: () => 'never' });
    scene.monitor.watch(watched('api', 1));
    await scene.clock.advance(1_000);
    expect(scene.transitions).toEqual(['1000 shop/api: unknown → no answer within 1 s']);
    expect(scene.probes[0]?.signal.aborted).toBe(true);
    await scene.clock.advance(25);
    expect(scene.probesOf(1)).toEqual([0, 1_025]);
  });

  test('R-6 one that hangs does not hold up the others', async () => {
    using scene = new Scene({ table: 'none', answer: (port) => (port === 1 ? 'never' : accepted) });
    scene.monitor.watch(watched('slow', 1));
    scene.monitor.watch(watched('fast', 2));
    await scene.clock.advance(0);
    expect(scene.transitions).toEqual(['0 shop/fast: unknown → holding']);
  });

  test('R-6 a port that shows up in the listener table is probed at once', async () => {
    using scene = new Scene();
    scene.monitor.watch(watched('api', 1));
    await scene.clock.advance(1_001);
    expect(gaps(scene.reads.slice(0, 100)).every((pause) => pause === 4)).toBe(true);
    scene.listening.add(1);
    await scene.clock.advance(20);
    expect(scene.transitions).toHaveLength(2);
    const seenAtMs = Number(scene.transitions.at(-1)?.split(' ')[0]);
    expect(scene.transitions.at(-1)).toContain('failing → holding');
    expect(seenAtMs - 1_001).toBeLessThanOrEqual(6);
  });

  test('R-6 a table that is costly is read ten times its cost apart', async () => {
    using scene = new Scene({ table: { costMs: 3 } });
    scene.monitor.watch(watched('api', 1));
    await scene.clock.advance(400);
    expect(new Set(gaps(scene.reads).slice(1))).toEqual(new Set([33]));
  });

  test('R-6 who has been starting for long is looked for less often, and found within half a percent of that', async () => {
    using scene = new Scene();
    scene.monitor.watch(watched('api', 1));
    await scene.clock.advance(60_000);
    const pauses = gaps(scene.reads);
    expect(pauses.at(-1)).toBeGreaterThan(250);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(500);
  });

  test('R-6 a port that is bound before it serves is not probed at every read', async () => {
    using scene = new Scene({ answer: () => refused });
    scene.listening.add(1);
    scene.monitor.watch(watched('api', 1, { predicate: 'grpc-health' }));
    await scene.clock.advance(500);
    expect(scene.reads.length).toBeGreaterThan(50);
    expect(scene.probes.length).toBeLessThan(12);
  });

  test('R-6 a port bound while an attempt is being refused is probed again as soon as that has failed', async () => {
    const attempts: PromiseWithResolvers[] = [];
    using scene = new Scene({ answer: () => attempts[attempts.push(resolvers()) - 1]?.promise ?? refused });
    scene.monitor.watch(watched('api', 1));
    scene.listening.add(1);
    await scene.clock.advance(4);
    expect(attempts).toHaveLength(1);
    attempts[0]?.resolve(refused);
    await scene.clock.advance(0);
    expect(attempts).toHaveLength(2);
    expect(scene.probesOf(1)).toEqual([0, 4]);
  });

  test('a hint probes at once, and only that service', async () => {
    using scene = new Scene({ table: 'none' });
    scene.monitor.watch(watched('api', 1));
    scene.monitor.watch(watched('db', 2));
    await scene.clock.advance(5);
    scene.listening.add(1).add(2);
    scene.monitor.hint(id('api'));
    await scene.clock.advance(0);
    expect(scene.transitions.slice(2)).toEqual(['5 shop/api: failing → holding']);
  });
});

describe('while everything holds', () => {
  test('R-6 native TCP endpoints are checked by one read of the table every 1 to 5 s, and not probed', async () => {
    using scene = new Scene();
    for (let port = 1; port <= 200; port++) {
      scene.listening.add(port);
      scene.monitor.watch(watched(`s${port}`, port));
    }
    await scene.clock.advance(60_000);
    expect(scene.probes).toHaveLength(200);
    const pauses = gaps(scene.reads).filter((pause) => pause > 4);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000);
    expect(pauses.at(-1)).toBe(5_000);
    expect(scene.reads.length).toBeLessThan(20);
  });

  test('R-6 active probes back off from 1 s to 30 s', async () => {
    using scene = new Scene({ table: 'none' });
    scene.listening.add(1);
    scene.monitor.watch(watched('api', 1, { predicate: 'grpc-health' }));
    await scene.clock.advance(125_000);
    expect(gaps(scene.probesOf(1))).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test('R-1 readiness is revoked when a listener goes, and given again when it is back', async () => {
    using scene = new Scene();
    scene.listening.add(1);
    scene.monitor.watch(watched('api', 1));
    await scene.clock.advance(10_000);
    scene.listening.clear();
    await scene.clock.advance(6_000);
    scene.listening.add(1);
    await scene.clock.advance(50);
    expect(scene.transitions.map((text) => text.replace(/^\d+ /, ''))).toEqual([
      'shop/api: unknown → holding',
      'shop/api: holding → connection refused',
      'shop/api: failing → holding',
    ]);
    const [, revokedAtMs, backAtMs] = scene.transitions.map((text) => Number(text.split(' ')[0]));
    expect(revokedAtMs).toBeLessThanOrEqual(15_025);
    expect(backAtMs).toBeLessThanOrEqual(16_030);
  });

  test('R-6 a native endpoint with an active probe is examined as soon as its listener has gone', async () => {
    using scene = new Scene();
    scene.listening.add(1);
    scene.monitor.watch(watched('api', 1, { predicate: 'grpc-health' }));
    await scene.clock.advance(100_000);
    scene.listening.clear();
    await scene.clock.advance(5_100);
    expect(scene.transitions.at(-1)).toContain('holding → connection refused');
  });

  test('one failed attempt revokes nothing: a second one 25 ms later decides', async () => {
    let failures = 1;
    using scene: Scene = new Scene({
      table: 'none',
      answer: () => (scene.probes.length > 1 && failures-- > 0 ? refused : accepted),
    });
    scene.monitor.watch(watched('api', 1));
    await scene.clock.advance(1_100);
    expect(scene.probesOf(1)).toEqual([0, 1_000, 1_025]);
    expect(scene.transitions).toEqual(['0 shop/api: unknown → holding']);
  });

  test('an address that answers but is never in the table (a forwarded port) is probed by itself', async () => {
    using scene = new Scene({ answer: () => accepted });
    scene.monitor.watch(watched('api', 1));
    await scene.clock.advance(40_000);
    expect(scene.transitions).toEqual(['0 shop/api: unknown → holding']);
    expect(scene.probes.length).toBeGreaterThan(4);
    expect(scene.reads.length).toBeLessThanOrEqual(2);
  });

  test('an endpoint of a container is never looked up in the table', async () => {
    using scene = new Scene();
    scene.listening.add(1);
    scene.monitor.watch(watched('db', 1, { native: false }));
    await scene.clock.advance(20_000);
    expect(scene.reads).toEqual([]);
    expect(scene.probesOf(1)).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
  });

  test('a table that cannot be read is told once, and everything is probed by itself', async () => {
    using scene = new Scene({ table: 'broken' });
    scene.listening.add(1);
    scene.monitor.watch(watched('api', 1));
    scene.monitor.watch(watched('web', 2));
    await scene.clock.advance(20_000);
    expect(scene.warnings.map(({ code }) => code)).toEqual(['SK1452']);
    expect(scene.reads).toHaveLength(1);
    expect(scene.probesOf(1).length).toBeGreaterThan(3);
    expect(scene.probesOf(2).length).toBeGreaterThan(30);
  });
});

describe('the end of a watch', () => {
  test('unwatch makes unknown what was known, ends the attempt, and nothing happens afterwards', async () => {
    using scene = new Scene({ table: 'none', answer: (port) => (port === 1 ? accepted : 'never') });
    scene.monitor.watch(watched('api', 1));
    scene.monitor.watch(watched('db', 2));
    await scene.clock.advance(10);
    scene.monitor.unwatch(id('api'));
    scene.monitor.unwatch(id('db'));
    expect(scene.transitions).toEqual(['0 shop/api: unknown → holding', '10 shop/api: holding → unknown']);
    expect(scene.probes.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(scene.clock.pending).toBe(0);
    expect(scene.monitor.stateOf(watched('api', 1).key)).toBeUndefined();
  });

  test('watching again (a restart) begins anew', async () => {
    using scene = new Scene({ table: 'none' });
    scene.listening.add(1);
    scene.monitor.watch(watched('api', 1));
    await scene.clock.advance(10);
    scene.monitor.watch(watched('api', 1));
    await scene.clock.advance(0);
    expect(scene.transitions).toEqual([
      '0 shop/api: unknown → holding',
      '10 shop/api: holding → unknown',
      '10 shop/api: unknown → holding',
    ]);
  });

  test('a listener of transitions may end the watch that it hears of', async () => {
    const clock = new ManualClock();
    const monitor: ReadinessMonitor = new ReadinessMonitor({
      clock,
      probe: async () => accepted,
      onTransition: ({ service, to }) => void (to.kind === 'holding' && monitor.unwatch(service)),
      onExhausted: () => undefined,
      onWarning: () => undefined,
    });
    monitor.watch(watched('api', 1));
    await clock.advance(100);
    expect(clock.pending).toBe(0);
  });

  test('disposing leaves no timer and no attempt', async () => {
    const scene = new Scene({ answer: (port) => (port === 1 ? 'never' : refused) });
    for (const port of [1, 2, 3]) scene.monitor.watch(watched(`s${port}`, port));
    await scene.clock.advance(100);
    scene[Symbol.dispose]();
    expect(scene.clock.pending).toBe(0);
    expect(scene.probes.every(({ signal }) => signal.aborted)).toBe(true);
    const { length } = scene.transitions;
    await scene.clock.advance(10_000);
    expect(scene.transitions).toHaveLength(length);
  });

  test('R-1 whatever listens when, the state comes to agree with it, with the table and without', async () => {
    const change = fc.record({
      port: fc.integer({ min: 1, max: 3 }),
      up: fc.boolean(),
      afterMs: fc.nat(4_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), fc.boolean(), async (changes, withTable) => {
        using scene = new Scene(withTable ? {} : { table: 'none' });
        for (const port of [1, 2, 3]) scene.monitor.watch(watched(`s${port}`, port));
        for (const { port, up, afterMs } of changes) {
          await scene.clock.advance(afterMs);
          if (up) scene.listening.add(port);
          else scene.listening.delete(port);
        }
        await scene.clock.advance(31_000);
        for (const port of [1, 2, 3])
          expect(scene.monitor.stateOf(watched(`s${port}`, port).key)?.kind).toBe(
            scene.listening.has(port) ? 'holding' : 'failing',
          );
      }),
      { numRuns: 60 },
    );
  });
});

interface PromiseWithResolvers {
  readonly promise: Promise<ProbeResult>;
  readonly resolve: (result: ProbeResult) => void;
}

function resolvers(): PromiseWithResolvers {
  let resolve: (result: ProbeResult) => void = () => undefined;
  const promise = new Promise<ProbeResult>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
