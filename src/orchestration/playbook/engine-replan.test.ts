/** Engines whose graph changes while they work (F-17, F-18), against a plain restatement of the rules. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ServiceId } from '../../workspace/index.ts';
import { closure } from '../closure.ts';
import { teardownLayers } from '../teardown/layers.ts';
import type { Engine } from './engine.ts';
import { act, drain, engineFor, finish, graphOf, label, phases } from './engine-fixture.ts';
import { type PlaybookGraph, playbookGraph } from './graph.ts';
import type { Action } from './policy.ts';
import type { Output } from './protocol.ts';

/** Services s0, s1, …; each depends on some of those before it. */
type Universe = readonly (readonly number[])[];

const universes: fc.Arbitrary<Universe> = fc
  .array(fc.array(fc.nat({ max: 9 }), { maxLength: 3 }), { minLength: 3, maxLength: 10 })
  .map((rows) => rows.map((row, index) => [...new Set(row.filter((other) => other < index))]));

function composed(universe: Universe, roots: readonly number[]): PlaybookGraph {
  const needs = (name: string): string[] =>
    (universe[Number(name.slice(1))] ?? []).map((other) => `s${other}`);
  const names = closure(
    roots.map((root) => `s${root}` as ServiceId),
    (name) => needs(name) as ServiceId[],
  );
  return playbookGraph(names, (name) => needs(name).map((service) => ({ service, wait: 'ready' })));
}

/** Plays the flow around an engine: agents that answer, gates that open with a start, services that come and go. */
class ChangingRun {
  readonly #engine: Engine;
  #graph: PlaybookGraph;
  /** Next phase of each service that is in the run. */
  readonly #progress = new Map<string, number>();
  readonly #acting = new Map<string, Action>();
  /** Of services that left in the middle of them: their ends come all the same. */
  readonly #stale: Action[] = [];
  readonly #seen = new Set<string>();

  constructor(graph: PlaybookGraph) {
    this.#graph = graph;
    this.#engine = engineFor(graph);
    for (const service of graph.services) this.#progress.set(service, 0);
    this.#take(this.#engine.begin());
  }

  get isGoingOn(): boolean {
    return this.#acting.size + this.#stale.length > 0;
  }

  get running(): readonly string[] {
    return [...this.#progress].flatMap(([service, next]) => (next === phases.length ? [service] : []));
  }

  change(next: PlaybookGraph): void {
    const staying = new Set(next.services);
    const leaving = this.#graph.services.filter((service) => !staying.has(service));
    for (const service of leaving) this.#take(this.#engine.step({ type: 'hold', service }));
    for (const service of leaving) {
      const action = this.#acting.get(service);
      if (action !== undefined) this.#stale.push(action);
      this.#acting.delete(service);
      this.#progress.delete(service);
    }
    this.#graph = next;
    for (const service of staying) if (!this.#progress.has(service)) this.#progress.set(service, 0);
    this.#take(this.#engine.replan(next, new Set()));
    for (const service of this.running) this.#open(service);
    this.#expectNobodyWithheld();
  }

  goOn(choice: number): void {
    const index = choice % (this.#acting.size + this.#stale.length);
    const action = [...this.#acting.values(), ...this.#stale][index] as Action;
    const isStale = index >= this.#acting.size;
    if (isStale) this.#stale.splice(index - this.#acting.size, 1);
    else {
      this.#acting.delete(action.service);
      this.#progress.set(action.service, phases.indexOf(action.phase) + 1);
    }
    const outputs = this.#engine.step({ type: 'done', action, hash: 'same' });
    if (isStale) expect(outputs).toEqual([]);
    this.#take(outputs);
    if (!isStale && action.phase === 'start') this.#open(action.service);
    this.#expectNobodyWithheld();
  }

  expectAllUp(): void {
    expect(new Set(this.running)).toEqual(new Set(this.#graph.services));
    expect(this.#engine.isSettled()).toBe(true);
  }

  #open(dependency: string): void {
    for (const dependent of this.#graph.dependents.get(dependency) ?? [])
      this.#take(this.#engine.step({ type: 'gate', dependent, dependency, open: true }));
  }

  #take(outputs: readonly Output[]): void {
    for (const output of outputs) {
      if (output.type !== 'dispatch') throw new Error(`nothing failed, and yet ${label([output]).join()}`);
      const { action } = output;
      const key = `${action.phase} ${action.service} ${action.round}`;
      expect(this.#seen.has(key)).toBe(false);
      this.#seen.add(key);
      expect(this.#mayAct(action.service)).toBe(true);
      expect(phases[this.#progress.get(action.service) ?? -1]).toBe(action.phase);
      this.#acting.set(action.service, action);
    }
  }

  #mayAct(service: string): boolean {
    const next = this.#progress.get(service) ?? phases.length;
    if (next >= phases.length || this.#acting.has(service)) return false;
    return [...(this.#graph.prerequisites.get(service)?.keys() ?? [])].every(
      (dependency) => (this.#progress.get(dependency) ?? 0) > next,
    );
  }

  #expectNobodyWithheld(): void {
    expect(this.#graph.services.filter((service) => this.#mayAct(service))).toEqual([]);
  }
}

describe('an engine whose graph changes', () => {
  test('F-17 F-18 whoever comes and goes: order kept, nobody started twice or held back, no deadlock', () => {
    const changes = fc.array(
      fc.record({ at: fc.nat({ max: 40 }), roots: fc.array(fc.nat({ max: 9 }), { maxLength: 5 }) }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(universes, changes, fc.infiniteStream(fc.nat()), (universe, planned, choices) => {
        // The origin is never withdrawn.
        const graphFor = (roots: readonly number[]): PlaybookGraph =>
          composed(universe, [1, ...roots.filter((root) => root < universe.length)]);
        const run = new ChangingRun(graphFor([]));
        const pending = [...planned].sort((a, b) => a.at - b.at);
        for (let step = 0; run.isGoingOn || pending.length > 0; step++) {
          expect(step).toBeLessThan(2_000);
          const due = pending[0] !== undefined && (pending[0].at <= step || !run.isGoingOn);
          if (due) run.change(graphFor(pending.shift()?.roots ?? []));
          else run.goOn(choices.next().value ?? 0);
        }
        run.expectAllUp();
      }),
      { numRuns: 500 },
    );
  });

  test('F-18 those that leave go consumers first, and leave nobody behind who needs them', () => {
    const roots = fc.array(fc.nat({ max: 9 }), { maxLength: 5 });
    fc.assert(
      fc.property(universes, roots, roots, (universe, before, after) => {
        const known = (wanted: readonly number[]): readonly number[] =>
          wanted.filter((root) => root < universe.length);
        const now = composed(universe, [1, ...known(before), ...known(after)]);
        const next = composed(universe, [1, ...known(after)]);
        const staying = new Set(next.services);
        const leaving = now.services.filter((service) => !staying.has(service));
        const edges = [...now.prerequisites].flatMap(([consumer, waits]) =>
          [...waits.keys()].map((dependency) => ({ consumer, dependency })),
        );
        for (const { consumer, dependency } of edges)
          if (leaving.includes(dependency)) expect(leaving).toContain(consumer);
        const layers = teardownLayers(leaving, edges);
        const layerOf = new Map(layers.flatMap((ids, layer) => ids.map((each) => [each, layer] as const)));
        expect([...layerOf.keys()].sort()).toEqual([...leaving].sort());
        for (const { consumer, dependency } of edges)
          if (layerOf.has(consumer) && layerOf.has(dependency))
            expect(layerOf.get(consumer)).toBeLessThan(layerOf.get(dependency) ?? -1);
      }),
    );
  });

  test('F-17 what is settled stays so, and is unsettled by those that come alone', () => {
    const small = graphOf({ db: [] });
    const engine = engineFor(small);
    drain(engine, small, engine.begin());
    expect(engine.isSettled()).toBe(true);
    const large = graphOf({ db: [], web: ['db'] });
    expect(label(engine.replan(large, new Set()))).toEqual(['load web #0']);
    expect(engine.isSettled()).toBe(false);
    expect(label(engine.replan(small, new Set()))).toEqual([]);
    expect(engine.isSettled()).toBe(true);
  });

  test('F-18 the retry of one that left is not waited for, and it begins in a round of its own when it is back', () => {
    const both = graphOf({ db: [], web: [] });
    const engine = engineFor(both);
    engine.begin();
    engine.step({ type: 'failed', action: act('load', 'web'), retryable: true });
    const alone = graphOf({ db: [] });
    expect(label(engine.replan(alone, new Set()))).toEqual(['unpause web']);
    expect(label(engine.replan(both, new Set()))).toEqual(['load web #2']);
    expect(finish(engine, act('load', 'web', 0))).toEqual([]);
    expect(finish(engine, act('load', 'web', 2))).toEqual(['init web #2']);
  });
});
