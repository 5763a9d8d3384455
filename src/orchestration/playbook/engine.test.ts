import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Wait } from '../../workspace/index.ts';
import { createEngine, type Engine, type Output } from './engine.ts';
import { type PlaybookGraph, type Prerequisite, playbookGraph } from './graph.ts';
import { runPolicy } from './policies/run.ts';
import type { Action, Phase } from './policy.ts';

const phases: readonly Phase[] = ['load', 'init', 'start'];

function graphOf(edges: Record<string, readonly (string | readonly [string, Wait])[]>): PlaybookGraph {
  return playbookGraph(Object.keys(edges), (service) =>
    (edges[service] ?? []).map((edge) =>
      typeof edge === 'string' ? { service: edge, wait: 'ready' } : { service: edge[0], wait: edge[1] },
    ),
  );
}

function label(outputs: readonly Output[]): string[] {
  return outputs.map((output) =>
    output.type === 'dispatch'
      ? `${output.action.phase} ${output.action.service} #${output.action.round}`
      : `pause ${output.service} ${output.attempt}`,
  );
}

function act(phase: Phase, service: string, round = 0): Action {
  return { phase, service, round };
}

function finish(engine: Engine, action: Action, hash: string | null = null): string[] {
  return label(engine.step({ type: 'done', action, hash }));
}

/** Drives every dispatched action to its end at once; gates open when a service has started. */
function drain(engine: Engine, graph: PlaybookGraph, outputs: readonly Output[], hash = 'same'): string[] {
  const seen: string[] = [];
  const work = [...outputs];
  for (let output = work.shift(); output !== undefined; output = work.shift()) {
    seen.push(...label([output]));
    if (output.type !== 'dispatch') continue;
    const { action } = output;
    work.push(...engine.step({ type: 'done', action, hash }));
    if (action.phase === 'start')
      for (const dependent of graph.dependents.get(action.service) ?? [])
        work.push(...engine.step({ type: 'gate', dependent, dependency: action.service, open: true }));
  }
  return seen;
}

describe('the order of phases', () => {
  test('F-6 a phase waits for the same phase of each prerequisite, and for nothing else', () => {
    const engine = createEngine(graphOf({ db: [], cache: [], api: ['db'] }), runPolicy, new Set());
    expect(label(engine.begin())).toEqual(['load db #0', 'load cache #0']);
    expect(finish(engine, act('load', 'db'))).toEqual(['load api #0', 'init db #0']);
    expect(finish(engine, act('load', 'api'))).toEqual([]);
    expect(finish(engine, act('init', 'db'))).toEqual(['init api #0', 'start db #0']);
  });

  test('R-5 a start waits for the gate of each edge by itself', () => {
    const graph = graphOf({ db: [], cache: [], api: ['db', 'cache'] });
    const engine = createEngine(graph, runPolicy, new Set());
    const outputs = [...engine.begin()];
    const starts: Action[] = [];
    for (let output = outputs.shift(); output !== undefined; output = outputs.shift())
      if (output.type === 'dispatch' && output.action.phase === 'start') starts.push(output.action);
      else if (output.type === 'dispatch')
        outputs.push(...engine.step({ type: 'done', action: output.action, hash: null }));
    for (const action of starts) expect(finish(engine, action)).toEqual([]);
    expect(label(engine.step({ type: 'gate', dependent: 'api', dependency: 'db', open: true }))).toEqual([]);
    expect(label(engine.step({ type: 'gate', dependent: 'api', dependency: 'cache', open: true }))).toEqual([
      'start api #0',
    ]);
  });

  test('R-5 a gate that closes again before the dependent starts holds it', () => {
    const graph = graphOf({ a: [], b: ['a'] });
    const engine = createEngine(graph, runPolicy, new Set());
    engine.begin();
    engine.step({ type: 'gate', dependent: 'b', dependency: 'a', open: true });
    engine.step({ type: 'gate', dependent: 'b', dependency: 'a', open: false });
    for (const phase of phases) finish(engine, act(phase, 'a'));
    for (const phase of ['load', 'init'] as const) finish(engine, act(phase, 'b'));
    expect(engine.isSettled()).toBe(false);
    expect(label(engine.step({ type: 'gate', dependent: 'b', dependency: 'a', open: true }))).toEqual([
      'start b #0',
    ]);
  });

  test('R-5 `started` needs the start of the dependency and no gate', () => {
    const graph = graphOf({ a: [], b: [['a', 'started']] });
    const engine = createEngine(graph, runPolicy, new Set());
    engine.begin();
    for (const phase of ['load', 'init'] as const) finish(engine, act(phase, 'a'));
    for (const phase of ['load', 'init'] as const) finish(engine, act(phase, 'b'));
    expect(finish(engine, act('start', 'a'))).toEqual(['start b #0']);
  });
});

describe('change', () => {
  test('F-8 an unchanged hash repeats nothing in the dependents', () => {
    const graph = graphOf({ a: [], b: ['a'] });
    const engine = createEngine(graph, runPolicy, new Set());
    drain(engine, graph, engine.begin());
    expect(drain(engine, graph, engine.step({ type: 'reenter', service: 'a', phase: 'init' }))).toEqual([
      'init a #1',
      'start a #1',
    ]);
  });

  test('F-8 a changed hash makes the direct dependents repeat the phase, and theirs only if they change', () => {
    const graph = graphOf({ a: [], b: ['a'], c: ['b'] });
    const engine = createEngine(graph, runPolicy, new Set());
    drain(engine, graph, engine.begin());
    engine.step({ type: 'reenter', service: 'a', phase: 'init' });
    expect(finish(engine, act('init', 'a', 1), 'other').sort()).toEqual(['init b #1', 'start a #1']);
    expect(finish(engine, act('init', 'b', 1), 'same')).toEqual(['start b #1']);
  });

  test('F-15 a re-entry during an action is not lost, and supersedes it in the queue', () => {
    const graph = graphOf({ a: [] });
    const engine = createEngine(graph, runPolicy, new Set());
    drain(engine, graph, engine.begin());
    engine.step({ type: 'reenter', service: 'a', phase: 'init' });
    engine.step({ type: 'reenter', service: 'a', phase: 'load' });
    expect(engine.isSuperseded(act('init', 'a', 1))).toBe(true);
    expect(label(engine.step({ type: 'superseded', action: act('init', 'a', 1) }))).toEqual(['load a #2']);
  });
});

describe('failure', () => {
  test('F-9 a failed Init pauses the service, and begins again from Load', () => {
    const graph = graphOf({ a: [], b: ['a'], other: [] });
    const engine = createEngine(graph, runPolicy, new Set());
    engine.begin();
    finish(engine, act('load', 'a'));
    expect(label(engine.step({ type: 'failed', action: act('init', 'a'), retryable: true }))).toEqual([
      'pause a 1',
    ]);
    expect(finish(engine, act('load', 'other'))).toEqual(['init other #0']);
    expect(label(engine.step({ type: 'retry', service: 'a' }))).toEqual(['load a #1']);
    expect(finish(engine, act('load', 'a', 1))).toContain('init a #1');
  });

  test('F-9 a failure that cannot be retried waits for a change', () => {
    const graph = graphOf({ a: [] });
    const engine = createEngine(graph, runPolicy, new Set());
    engine.begin();
    expect(label(engine.step({ type: 'failed', action: act('load', 'a'), retryable: false }))).toEqual([]);
    expect(label(engine.step({ type: 'reenter', service: 'a', phase: 'load' }))).toEqual(['load a #2']);
  });

  const crash = { type: 'crashed', service: 'a', phase: 'start', retryable: true } as const;

  test('F-9 a crash of what runs pauses it; the attempts count up until it has been steady', () => {
    const graph = graphOf({ a: [] });
    const engine = createEngine(graph, runPolicy, new Set());
    drain(engine, graph, engine.begin());
    expect(label(engine.step(crash))).toEqual(['pause a 1']);
    expect(label(engine.step({ type: 'retry', service: 'a' }))).toEqual(['start a #1']);
    finish(engine, act('start', 'a', 1));
    expect(label(engine.step(crash))).toEqual(['pause a 2']);
    engine.step({ type: 'retry', service: 'a' });
    finish(engine, act('start', 'a', 2));
    engine.step({ type: 'steady', service: 'a' });
    expect(label(engine.step(crash))).toEqual(['pause a 1']);
  });

  test('F-15 a crash that is told before the Start is done is not lost', () => {
    const graph = graphOf({ a: [] });
    const engine = createEngine(graph, runPolicy, new Set());
    engine.begin();
    for (const phase of ['load', 'init'] as const) finish(engine, act(phase, 'a'));
    expect(label(engine.step(crash))).toEqual([]);
    expect(finish(engine, act('start', 'a'))).toEqual(['pause a 1']);
    expect(engine.isSettled()).toBe(false);
    expect(label(engine.step({ type: 'retry', service: 'a' }))).toEqual(['start a #1']);
  });

  test('A-12 an agent that is lost while its service pauses takes it back to Load', () => {
    const graph = graphOf({ a: [] });
    const engine = createEngine(graph, runPolicy, new Set());
    drain(engine, graph, engine.begin());
    engine.step(crash);
    expect(label(engine.step({ ...crash, phase: 'load' }))).toEqual([]);
    expect(label(engine.step({ type: 'retry', service: 'a' }))).toEqual(['load a #1']);
  });

  test('A-12 an agent that is lost during an action takes the service back to Load, whether it fails or not', () => {
    for (const type of ['done', 'failed'] as const) {
      const engine = createEngine(graphOf({ a: [] }), runPolicy, new Set());
      engine.begin();
      for (const phase of ['load', 'init'] as const) finish(engine, act(phase, 'a'));
      engine.step({ ...crash, phase: 'load' });
      engine.step(
        type === 'done'
          ? { type, action: act('start', 'a'), hash: null }
          : { type, action: act('start', 'a'), retryable: true },
      );
      expect(label(engine.step({ type: 'retry', service: 'a' }))).toEqual(['load a #1']);
    }
  });

  test('F-21 a service that is held is not started by a retry, a gate, or a change, and goes on when it is re-entered', () => {
    const graph = graphOf({ a: [], b: ['a'] });
    const engine = createEngine(graph, runPolicy, new Set());
    drain(engine, graph, engine.begin());
    engine.step({ type: 'crashed', service: 'b', phase: 'start', retryable: true });
    engine.step({ type: 'hold', service: 'b' });
    expect(label(engine.step({ type: 'retry', service: 'b' }))).toEqual([]);
    engine.step({ type: 'gate', dependent: 'b', dependency: 'a', open: false });
    expect(label(engine.step({ type: 'gate', dependent: 'b', dependency: 'a', open: true }))).toEqual([]);
    engine.step({ type: 'reenter', service: 'a', phase: 'init' });
    expect(finish(engine, act('init', 'a', 1), 'other')).toEqual(['start a #1']);
    expect(label(engine.step({ type: 'reenter', service: 'b', phase: 'start' }))[0]).toMatch(/^init b/);
  });

  test('F-21 a service that is told to hold during its Start rests when that has ended', () => {
    const graph = graphOf({ a: [] });
    const engine = createEngine(graph, runPolicy, new Set());
    engine.begin();
    for (const phase of ['load', 'init'] as const) finish(engine, act(phase, 'a'));
    engine.step({ type: 'hold', service: 'a' });
    expect(finish(engine, act('start', 'a'))).toEqual([]);
    expect(label(engine.step(crash))).toEqual([]);
    expect(label(engine.step({ type: 'reenter', service: 'a', phase: 'start' }))).toEqual(['start a #2']);
  });

  test('F-7 an answer to an action that is not under way changes nothing', () => {
    const engine = createEngine(graphOf({ a: [] }), runPolicy, new Set());
    engine.begin();
    finish(engine, act('load', 'a'));
    expect(finish(engine, act('load', 'a'))).toEqual([]);
    expect(finish(engine, act('init', 'a', 7))).toEqual([]);
  });
});

/** A random acyclic graph: a service may depend on those before it. */
const graphs = fc
  .integer({ min: 1, max: 12 })
  .chain((count) =>
    fc.array(
      fc.array(
        fc.record({ to: fc.nat({ max: 11 }), wait: fc.constantFrom<Wait>('ready', 'started', 'completed') }),
        { maxLength: 4 },
      ),
      { minLength: count, maxLength: count },
    ),
  )
  .map((rows) => {
    const names = rows.map((_, index) => `s${index}`);
    return playbookGraph(names, (name) => {
      const index = names.indexOf(name);
      const edges = rows[index] ?? [];
      return edges
        .filter((edge) => edge.to < index)
        .map((edge): Prerequisite => ({ service: `s${edge.to}`, wait: edge.wait }));
    });
  });

/**
 * A plain restatement of the rules, kept apart from the engine's counters: it recomputes from the history alone what
 * may run.
 */
class Oracle {
  readonly cursor = new Map<string, number>();
  readonly acting = new Map<string, Action>();
  readonly gates = new Set<string>();
  readonly graph: PlaybookGraph;

  constructor(graph: PlaybookGraph) {
    this.graph = graph;
    for (const service of graph.services) this.cursor.set(service, 0);
  }

  mayAct(service: string): boolean {
    const cursor = this.cursor.get(service) ?? 0;
    if (cursor >= phases.length || this.acting.has(service)) return false;
    return [...(this.graph.prerequisites.get(service) ?? [])].every(([dependency, wait]) =>
      phases[cursor] === 'start' && wait !== 'started'
        ? this.gates.has(`${service} ${dependency}`)
        : (this.cursor.get(dependency) ?? 0) > cursor,
    );
  }

  idle(): string[] {
    return this.graph.services.filter((service) => this.mayAct(service));
  }
}

describe('properties on random graphs', () => {
  test('F-6 F-7 F-11 order is respected, each action runs once, concurrency is maximal, and it ends', () => {
    fc.assert(
      fc.property(graphs, fc.infiniteStream(fc.nat()), (graph, choices) => {
        const engine = createEngine(graph, runPolicy, new Set());
        const oracle = new Oracle(graph);
        const seen = new Set<string>();
        const take = (outputs: readonly Output[]): void => {
          for (const output of outputs) {
            if (output.type !== 'dispatch') throw new Error('nothing failed');
            const { action } = output;
            const key = `${action.phase} ${action.service} ${action.round}`;
            expect(seen.has(key)).toBe(false);
            seen.add(key);
            expect(oracle.mayAct(action.service)).toBe(true);
            expect(phases[oracle.cursor.get(action.service) ?? -1]).toBe(action.phase);
            oracle.acting.set(action.service, action);
          }
          expect(oracle.idle()).toEqual([]);
        };
        take(engine.begin());
        const closed: [string, string][] = [];
        while (oracle.acting.size > 0 || closed.length > 0) {
          const choice = choices.next().value ?? 0;
          const index = choice % (oracle.acting.size + closed.length);
          if (index >= oracle.acting.size) {
            const [gate] = closed.splice(index - oracle.acting.size, 1);
            const [dependent, dependency] = gate as [string, string];
            oracle.gates.add(`${dependent} ${dependency}`);
            take(engine.step({ type: 'gate', dependent, dependency, open: true }));
            continue;
          }
          const action = [...oracle.acting.values()][index] as Action;
          oracle.acting.delete(action.service);
          oracle.cursor.set(action.service, phases.indexOf(action.phase) + 1);
          if (action.phase === 'start')
            for (const dependent of graph.dependents.get(action.service) ?? [])
              closed.push([dependent, action.service]);
          take(engine.step({ type: 'done', action, hash: 'same' }));
        }
        expect(engine.isSettled()).toBe(true);
        expect(seen.size).toBe(graph.services.length * phases.length);
      }),
      { numRuns: 500 },
    );
  });

  test('F-9 F-11 F-15 with failures, crashes and re-entries: no double action, no lost re-entry, no deadlock', () => {
    const disturbances = fc.array(
      fc.record({
        at: fc.nat({ max: 60 }),
        service: fc.nat({ max: 11 }),
        kind: fc.constantFrom('reenter', 'crash', 'fail', 'change') as fc.Arbitrary<
          'reenter' | 'crash' | 'fail' | 'change'
        >,
        phase: fc.constantFrom<Phase>('load', 'init', 'start'),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(graphs, disturbances, fc.infiniteStream(fc.nat()), (graph, planned, choices) => {
        const engine = createEngine(graph, runPolicy, new Set());
        const acting = new Map<string, Action>();
        const pausedServices = new Set<string>();
        const rounds = new Map<string, number>();
        const owed = new Map<string, Phase>();
        const seen = new Set<string>();
        const take = (outputs: readonly Output[]): void => {
          for (const output of outputs) {
            if (output.type === 'pause') {
              pausedServices.add(output.service);
              continue;
            }
            const { action } = output;
            expect(acting.has(action.service)).toBe(false);
            const key = `${action.phase} ${action.service} ${action.round}`;
            expect(seen.has(key)).toBe(false);
            seen.add(key);
            expect(action.round).toBeGreaterThanOrEqual(rounds.get(action.service) ?? 0);
            rounds.set(action.service, action.round);
            acting.set(action.service, action);
            pausedServices.delete(action.service);
            const phase = owed.get(action.service);
            if (phase !== undefined && phases.indexOf(action.phase) <= phases.indexOf(phase))
              owed.delete(action.service);
          }
        };
        const open = (): void => {
          for (const service of graph.services)
            for (const dependent of graph.dependents.get(service) ?? [])
              take(engine.step({ type: 'gate', dependent, dependency: service, open: true }));
        };
        take(engine.begin());
        open();
        let steps = 0;
        let version = 0;
        while (acting.size > 0 || pausedServices.size > 0) {
          expect(++steps).toBeLessThan(5_000);
          const fail = new Set<string>();
          for (const item of planned.filter((candidate) => candidate.at === steps)) {
            const service = graph.services[item.service % graph.services.length] as string;
            if (item.kind === 'reenter') {
              owed.set(service, item.phase);
              take(engine.step({ type: 'reenter', service, phase: item.phase }));
            } else if (item.kind === 'crash') {
              take(engine.step({ type: 'crashed', service, phase: 'start', retryable: true }));
            } else if (item.kind === 'fail') fail.add(service);
            else version++;
          }
          const waiting = [...pausedServices];
          const choice = choices.next().value ?? 0;
          const index = choice % (acting.size + waiting.length || 1);
          const action = [...acting.values()][index];
          if (action === undefined) {
            const service = waiting[index - acting.size];
            if (service === undefined) continue;
            pausedServices.delete(service);
            take(engine.step({ type: 'retry', service }));
            continue;
          }
          acting.delete(action.service);
          take(
            fail.has(action.service)
              ? engine.step({ type: 'failed', action, retryable: true })
              : engine.step({ type: 'done', action, hash: `v${version}` }),
          );
        }
        expect(engine.isSettled()).toBe(true);
        expect([...owed]).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('F-12 a chain of 10,000 services and a wide graph end settled', () => {
    const chain = playbookGraph(
      Array.from({ length: 10_000 }, (_, index) => `s${index}`),
      (name) => (name === 's0' ? [] : [{ service: `s${Number(name.slice(1)) - 1}`, wait: 'ready' }]),
    );
    const engine = createEngine(chain, runPolicy, new Set());
    expect(drain(engine, chain, engine.begin()).length).toBe(30_000);
    expect(engine.isSettled()).toBe(true);
  });
});

test('W-9 a cycle that the reader let through is named', () => {
  expect(() => graphOf({ a: ['b'], b: ['a'], c: [] })).toThrow(/a → b|b → a/);
});
