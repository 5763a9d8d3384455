import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type TeardownEdge, teardownLayers } from './layers.ts';

const on = (consumer: string, ...dependencies: string[]): TeardownEdge<string>[] =>
  dependencies.map((dependency) => ({ consumer, dependency }));

describe('teardownLayers', () => {
  test.each([
    ['nothing to do', [], [], []],
    [
      'T-1 what nobody depends on is in layer 0, its dependencies follow',
      ['db', 'api', 'web'],
      [...on('web', 'api'), ...on('api', 'db')],
      [['web'], ['api'], ['db']],
    ],
    [
      'T-1 a shared dependency comes once, after its last consumer',
      ['a', 'b', 'c', 'd'],
      [...on('b', 'a'), ...on('c', 'a'), ...on('d', 'b', 'c', 'a')],
      [['d'], ['b', 'c'], ['a']],
    ],
    [
      'T-1 a dependency whose consumer was never created is in layer 0',
      ['db', 'cache'],
      on('api', 'db', 'cache'),
      [['db', 'cache']],
    ],
    [
      'T-1 a cycle, and what lies behind it, is one last layer',
      ['x', 'a', 'b', 'db'],
      [...on('x', 'a'), ...on('a', 'b'), ...on('b', 'a', 'db')],
      [['x'], ['a', 'b', 'db']],
    ],
    [
      'a layer keeps the order of registration',
      ['c', 'b', 'a', 'z'],
      [...on('z', 'a', 'b', 'c')],
      [['z'], ['c', 'b', 'a']],
    ],
    [
      'an edge given twice and a participant given twice count once',
      ['a', 'b', 'a'],
      [...on('a', 'b'), ...on('a', 'b')],
      [['a'], ['b']],
    ],
    ['an edge to itself orders nothing', ['a'], on('a', 'a'), [['a']]],
  ])('%s', (_title, participants, edges, layers) => {
    expect(teardownLayers(participants, edges)).toEqual(layers);
  });

  const graph = fc.integer({ min: 1, max: 30 }).chain((size) =>
    fc.record({
      size: fc.constant(size),
      // Some edges name a service that takes no part.
      edges: fc.array(fc.tuple(fc.nat(size), fc.nat(size)), { maxLength: 80 }),
    }),
  );

  test('T-1 each participant is there once, in the order of registration, and layer 0 is what nobody depends on', () => {
    fc.assert(
      fc.property(graph, ({ size, edges }) => {
        const participants = Array.from({ length: size }, (_, index) => `s${index}`);
        const named = edges.map(([from, to]) => ({ consumer: `s${from}`, dependency: `s${to}` }));
        const layers = teardownLayers(participants, named);
        expect(layers.flat().toSorted()).toEqual(participants.toSorted());
        for (const layer of layers) {
          expect(layer).not.toHaveLength(0);
          expect(layer).toEqual(participants.filter((id) => layer.includes(id)));
        }
        const first = participants.filter(
          (id) =>
            !named.some(
              ({ consumer, dependency }) =>
                dependency === id && consumer !== id && participants.includes(consumer),
            ),
        );
        // Where nothing is free of consumers everything is in or behind a cycle, and the last layer is the only one.
        expect(layers[0]).toEqual(first.length > 0 ? first : participants);
      }),
    );
  });

  test('T-1 without a cycle every consumer is in a strictly earlier layer, and none waits longer than it must', () => {
    fc.assert(
      fc.property(graph, ({ size, edges }) => {
        const participants = Array.from({ length: size }, (_, index) => `s${index}`);
        const acyclic = edges
          .filter(([from, to]) => from < to && to < size)
          .map(([from, to]) => ({ consumer: `s${from}`, dependency: `s${to}` }));
        const layers = teardownLayers(participants.toReversed(), acyclic);
        const layerOf = new Map(layers.flatMap((layer, index) => layer.map((id) => [id, index] as const)));
        for (const id of participants) {
          const consumers = acyclic
            .filter(({ dependency }) => dependency === id)
            .map(({ consumer }) => layerOf.get(consumer) ?? -1);
          expect(layerOf.get(id)).toBe(Math.max(-1, ...consumers) + 1);
        }
      }),
    );
  });

  test('with cycles only what is in or behind one may share a layer with its dependency', () => {
    fc.assert(
      fc.property(graph, ({ size, edges }) => {
        const participants = Array.from({ length: size }, (_, index) => `s${index}`);
        const named = edges.map(([from, to]) => ({ consumer: `s${from}`, dependency: `s${to}` }));
        const layers = teardownLayers(participants, named);
        const layerOf = new Map(layers.flatMap((layer, index) => layer.map((id) => [id, index] as const)));
        for (const { consumer, dependency } of named) {
          const [earlier, later] = [layerOf.get(consumer), layerOf.get(dependency)];
          if (earlier === undefined || later === undefined || consumer === dependency || earlier < later)
            continue;
          expect([earlier, later]).toEqual([layers.length - 1, layers.length - 1]);
          expect(isBehindCycle(dependency, named)).toBe(true);
        }
      }),
    );
  });

  test('10,000 in one chain are ordered without a deep stack', () => {
    const participants = Array.from({ length: 10_000 }, (_, index) => `s${index}`);
    const edges = participants.slice(1).map((dependency, index) => ({ consumer: `s${index}`, dependency }));
    expect(teardownLayers(participants, edges)).toHaveLength(10_000);
  });
});

/** Whether walking from consumer to consumer ever returns to where it was. */
function isBehindCycle(start: string, edges: readonly TeardownEdge<string>[]): boolean {
  const consumersOf = (id: string): string[] =>
    edges
      .filter(({ consumer, dependency }) => dependency === id && consumer !== id)
      .map(({ consumer }) => consumer);
  const upstream = (from: string): Set<string> => {
    const met = new Set<string>();
    const left = consumersOf(from);
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (met.has(next)) continue;
      met.add(next);
      left.push(...consumersOf(next));
    }
    return met;
  };
  return [start, ...upstream(start)].some((id) => upstream(id).has(id));
}
