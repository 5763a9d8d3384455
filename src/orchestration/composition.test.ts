import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Service, ServiceId, Workspace } from '../workspace/index.ts';
import { type Composition, compose, type Part, type Selection } from './composition.ts';

const id = (index: number): ServiceId => `site/s${index}` as ServiceId;

/** Each service depends on some of those before it. */
function workspaceOf(rows: readonly (readonly number[])[]): Workspace {
  const services = rows.map((row, index) => ({
    id: id(index),
    dependencies: row
      .filter((other) => other < index)
      .map((other) => ({ service: id(other), kind: 'runtime', wait: 'ready', endpoints: [] })),
    environment: new Map(),
    endpoints: [],
  }));
  const place = { file: '/site/workspace.skein.yaml', line: 1, column: 1 };
  return {
    name: 'site',
    root: '/site',
    file: place.file,
    modules: [],
    services: new Map(services.map((service) => [service.id, service as unknown as Service])),
  };
}

const workspaces = fc
  .array(fc.uniqueArray(fc.nat({ max: 9 }), { maxLength: 3 }), { minLength: 1, maxLength: 10 })
  .map(workspaceOf);

/** What is composed; `undefined` where nothing is left to run, or the choice contradicts itself. */
function composed(workspace: Workspace, selection: Selection): Composition | undefined {
  try {
    return compose(workspace, selection);
  } catch (error) {
    expect(['SK1403', 'SK1412']).toContain((error as { code?: string }).code);
    return undefined;
  }
}

const dependenciesOf = (workspace: Workspace, service: ServiceId): readonly ServiceId[] =>
  workspace.services.get(service)?.dependencies.map((edge) => edge.service) ?? [];

describe('what a run is made of', () => {
  test('F-2 F-3 whatever is chosen: whoever runs is a root or needed, and whoever is needed runs or is named as left out', () => {
    const choice = fc.record({
      roots: fc.uniqueArray(fc.nat({ max: 9 }), { maxLength: 3 }),
      excluded: fc.uniqueArray(fc.nat({ max: 9 }), { maxLength: 3 }),
      part: fc.constantFrom<Part>('whole', 'stand-alone', 'without-root'),
    });
    fc.assert(
      fc.property(workspaces, choice, (workspace, { roots, excluded, part }) => {
        const known = (indexes: readonly number[]): ServiceId[] =>
          indexes.map(id).filter((each) => workspace.services.has(each));
        const selection = { roots: known(roots), excluded: new Set(known(excluded)), part };
        const composition = composed(workspace, selection);
        if (composition === undefined) return;
        const running = composition.services.map((service) => service.id);
        const [origin] = composition.roots;
        const consumers = part === 'without-root' ? [...running, origin] : running;
        for (const [index, service] of running.entries()) {
          expect(composition.excluded.has(service)).toBe(false);
          const isNeeded = consumers.some((other) => dependenciesOf(workspace, other).includes(service));
          expect(isNeeded || composition.roots.includes(service)).toBe(true);
          for (const dependency of dependenciesOf(workspace, service)) {
            const at = running.indexOf(dependency);
            if (at === -1) expect(composition.excluded.get(dependency)).toMatch(/^--/);
            else expect(at).toBeLessThan(index);
          }
        }
        expect(composition.graph.services).toEqual(running);
        const everyone = new Set([...running, ...composition.excluded.keys()]);
        expect(new Set(composition.everyone.map((service) => service.id))).toEqual(everyone);
      }),
      { numRuns: 500 },
    );
  });

  test('W-14 what is excluded is shown, and what only it needs is not started for it', () => {
    const workspace = workspaceOf([[], [0], [1], [0]]);
    const { services, excluded } = compose(workspace, {
      roots: [id(2)],
      part: 'whole',
      excluded: new Set([id(1)]),
    });
    expect(services.map((service) => service.id)).toEqual([id(2)]);
    expect([...excluded]).toEqual([[id(1), '--exclude-service site/s1']]);
  });

  test('R-2 without its root, the root selects and does not run', () => {
    const composition = compose(workspaceOf([[], [0], [1]]), {
      roots: [id(2)],
      part: 'without-root',
      excluded: new Set(),
    });
    expect(composition.roots).toEqual([id(2)]);
    expect(composition.graph.services).toEqual([id(0), id(1)]);
    expect(composition.everyone.map((service) => service.id)).toEqual([id(0), id(1), id(2)]);
  });
});
