import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Wait } from '../../workspace/index.ts';
import type { Engine } from './engine.ts';
import { drain, engineFor, phases } from './engine-fixture.ts';
import { type PlaybookGraph, type Prerequisite, playbookGraph } from './graph.ts';
import type { Action, Phase } from './policy.ts';
import type { ActionInput, Output } from './protocol.ts';

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

type Disturbance = 'reenter' | 'crash' | 'fail' | 'keep' | 'change' | 'hold';

/** Failures in a row after which the engine gives a service up. */
const ATTEMPTS = 3;

/** Plays the dispatcher and the world around it, with every gate open, and checks each thing that the engine wants. */
class DisturbedRun {
  readonly #engine: Engine;
  readonly #acting = new Map<string, Action>();
  readonly #paused = new Set<string>();
  readonly #held = new Set<string>();
  readonly #givenUp = new Set<string>();
  /** Services whose action under way is going to fail; those that then keep what they had started before. */
  readonly #failing = new Set<string>();
  readonly #keeping = new Set<string>();
  /** Services that have been started once, and so have something to keep. */
  readonly #started = new Set<string>();
  /** Services of which a repeated phase failed: whatever comes next goes through Load. */
  readonly #stale = new Set<string>();
  /** Phases that a service was told to go through again and has not begun yet. */
  readonly #owed = new Map<string, Phase>();
  readonly #rounds = new Map<string, number>();
  readonly #seen = new Set<string>();
  #version = 0;

  constructor(graph: PlaybookGraph) {
    this.#engine = engineFor(graph, ATTEMPTS);
    this.#take(this.#engine.begin());
    for (const [dependency, dependents] of graph.dependents)
      for (const dependent of dependents)
        this.#take(this.#engine.step({ type: 'gate', dependent, dependency, open: true }));
  }

  get isGoingOn(): boolean {
    return this.#acting.size + this.#paused.size + this.#held.size + this.#givenUp.size > 0;
  }

  disturb(service: string, kind: Disturbance, phase: Phase): void {
    switch (kind) {
      case 'reenter':
        this.#reenter(service, phase);
        break;
      case 'crash':
        this.#take(this.#engine.step({ type: 'crashed', service, phase, retryable: true }));
        break;
      case 'hold':
        this.#held.add(service);
        this.#givenUp.delete(service);
        this.#owed.delete(service);
        this.#take(this.#engine.step({ type: 'hold', service }));
        break;
      case 'fail':
        this.#failing.add(service);
        break;
      case 'keep':
        this.#keeping.add(service);
        break;
      case 'change':
        this.#version++;
        break;
    }
  }

  /** One of the things that can happen next does: an action ends, a pause is over, a service is let go. */
  goOn(choice: number): void {
    const steps = [
      ...[...this.#acting.values()].map((action) => () => this.#end(action)),
      ...[...this.#paused].map((service) => () => this.#retry(service)),
      ...[...this.#held, ...this.#givenUp].map((service) => () => this.#reenter(service, 'start')),
    ];
    steps[choice % steps.length]?.();
  }

  expectAllDone(): void {
    expect(this.#engine.isSettled()).toBe(true);
    expect([...this.#owed]).toEqual([]);
  }

  #reenter(service: string, phase: Phase): void {
    this.#held.delete(service);
    this.#givenUp.delete(service);
    this.#owed.set(service, phase);
    this.#take(this.#engine.step({ type: 'reenter', service, phase }));
  }

  #retry(service: string): void {
    this.#paused.delete(service);
    this.#take(this.#engine.step({ type: 'retry', service }));
  }

  #end(action: Action): void {
    this.#acting.delete(action.service);
    this.#take(this.#engine.step(this.#outcome(action)));
  }

  #outcome(action: Action): ActionInput {
    const { service, phase } = action;
    if (this.#failing.delete(service)) {
      this.#started.delete(service);
      return { type: 'failed', action, retryable: true };
    }
    if (phase !== 'start' && this.#started.has(service) && this.#keeping.delete(service)) {
      this.#stale.add(service);
      return { type: 'kept', action };
    }
    if (phase === 'start') this.#started.add(service);
    return { type: 'done', action, hash: `v${this.#version}` };
  }

  #take(outputs: readonly Output[]): void {
    for (const output of outputs)
      switch (output.type) {
        case 'dispatch':
          this.#dispatched(output.action);
          break;
        case 'pause':
          expect(this.#paused.has(output.service)).toBe(false);
          this.#paused.add(output.service);
          break;
        case 'give-up':
          expect(output.attempts).toBeGreaterThanOrEqual(ATTEMPTS);
          this.#givenUp.add(output.service);
          break;
        case 'unpause':
          expect(this.#paused.delete(output.service)).toBe(true);
          break;
      }
  }

  #dispatched(action: Action): void {
    const { phase, service, round } = action;
    for (const busy of [this.#acting, this.#paused, this.#held, this.#givenUp])
      expect(busy.has(service)).toBe(false);
    const key = `${phase} ${service} ${round}`;
    expect(this.#seen.has(key)).toBe(false);
    this.#seen.add(key);
    expect(round).toBeGreaterThanOrEqual(this.#rounds.get(service) ?? 0);
    this.#rounds.set(service, round);
    this.#acting.set(service, action);
    if (this.#stale.delete(service)) expect(phase).toBe('load');
    const owed = this.#owed.get(service);
    if (owed !== undefined && phases.indexOf(phase) <= phases.indexOf(owed)) this.#owed.delete(service);
  }
}

describe('properties on random graphs', () => {
  test('F-6 F-7 F-11 order is respected, each action runs once, concurrency is maximal, and it ends', () => {
    fc.assert(
      fc.property(graphs, fc.infiniteStream(fc.nat()), (graph, choices) => {
        const engine = engineFor(graph);
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

  test('F-9 F-11 F-15 F-16 F-21 whatever happens in between: no double action, no lost re-entry, no deadlock', () => {
    const disturbances = fc.array(
      fc.record({
        at: fc.nat({ max: 60 }),
        service: fc.nat({ max: 11 }),
        kind: fc.constantFrom<Disturbance>('reenter', 'crash', 'fail', 'keep', 'change', 'hold'),
        phase: fc.constantFrom<Phase>('load', 'init', 'start'),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(graphs, disturbances, fc.infiniteStream(fc.nat()), (graph, planned, choices) => {
        const run = new DisturbedRun(graph);
        for (let step = 1; run.isGoingOn; step++) {
          expect(step).toBeLessThan(5_000);
          for (const { service, kind, phase } of planned.filter(({ at }) => at === step))
            run.disturb(graph.services[service % graph.services.length] as string, kind, phase);
          run.goOn(choices.next().value ?? 0);
        }
        run.expectAllDone();
      }),
      { numRuns: 500 },
    );
  });

  test('F-12 a chain of 10,000 services and a wide graph end settled', () => {
    const chain = playbookGraph(
      Array.from({ length: 10_000 }, (_, index) => `s${index}`),
      (name) => (name === 's0' ? [] : [{ service: `s${Number(name.slice(1)) - 1}`, wait: 'ready' }]),
    );
    const engine = engineFor(chain);
    expect(drain(engine, chain, engine.begin()).length).toBe(30_000);
    expect(engine.isSettled()).toBe(true);
  });
});
