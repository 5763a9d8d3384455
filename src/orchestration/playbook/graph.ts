/** The graph that a playbook walks: services, and for each the edges to what it depends on. */
import { alg, Graph } from '@dagrejs/graphlib';
import type { Wait } from '../../workspace/index.ts';

/** An edge to a prerequisite. */
export interface Prerequisite {
  readonly service: string;
  readonly wait: Wait;
}

export interface PlaybookGraph {
  /** Producers before consumers; among equals in the order given. */
  readonly services: readonly string[];
  /** By service: what it depends on, and what it waits for there; one entry a dependency. */
  readonly prerequisites: ReadonlyMap<string, ReadonlyMap<string, Wait>>;
  readonly dependents: ReadonlyMap<string, readonly string[]>;
  /** Edges on the longest path from the service to a service that nobody depends on: work on the critical path first. */
  readonly height: ReadonlyMap<string, number>;
}

/** Of two waits for the same dependency the stricter one holds. */
const strictness: Readonly<Record<Wait, number>> = { started: 0, ready: 1, completed: 2 };

/**
 * Builds the graph. Edges to services outside `services` are left out.
 * @throws {Error} for a cycle: the workspace reader refuses those (W-9), so it would be a bug.
 */
export function playbookGraph(
  services: Iterable<string>,
  prerequisitesOf: (service: string) => readonly Prerequisite[],
): PlaybookGraph {
  const nodes = new Set(services);
  const prerequisites = new Map<string, ReadonlyMap<string, Wait>>();
  const dependents = new Map<string, string[]>([...nodes].map((service) => [service, []]));
  for (const service of nodes) {
    const waits = new Map<string, Wait>();
    for (const edge of prerequisitesOf(service)) {
      if (!nodes.has(edge.service)) continue;
      const known = waits.get(edge.service);
      if (known === undefined || strictness[edge.wait] > strictness[known])
        waits.set(edge.service, edge.wait);
    }
    prerequisites.set(service, waits);
    for (const dependency of waits.keys()) dependents.get(dependency)?.push(service);
  }
  const sorted = topologicalOrder([...nodes], prerequisites, dependents);
  if (sorted.length < nodes.size)
    throw new Error(`the graph has cycles: ${describeCycles(nodes, dependents)}`);
  return { services: sorted, prerequisites, dependents, height: heights(sorted, dependents) };
}

function describeCycles(
  nodes: ReadonlySet<string>,
  dependents: ReadonlyMap<string, readonly string[]>,
): string {
  const graph = new Graph({ directed: true });
  for (const service of nodes)
    for (const dependent of dependents.get(service) ?? []) graph.setEdge(service, dependent);
  return alg
    .findCycles(graph)
    .map((cycle) => cycle.join(' → '))
    .join('; ');
}

/** Kahn's algorithm with a queue: stable, and iterative, so that a chain of 10,000 services cannot overflow the stack. */
function topologicalOrder(
  services: readonly string[],
  prerequisites: ReadonlyMap<string, ReadonlyMap<string, Wait>>,
  dependents: ReadonlyMap<string, readonly string[]>,
): string[] {
  const missing = new Map(services.map((service) => [service, prerequisites.get(service)?.size ?? 0]));
  const order = services.filter((service) => missing.get(service) === 0);
  for (let next = 0; next < order.length; next++) {
    for (const dependent of dependents.get(order[next] as string) ?? []) {
      const left = (missing.get(dependent) ?? 0) - 1;
      missing.set(dependent, left);
      if (left === 0) order.push(dependent);
    }
  }
  return order;
}

function heights(
  sorted: readonly string[],
  dependents: ReadonlyMap<string, readonly string[]>,
): Map<string, number> {
  const height = new Map<string, number>();
  for (const service of sorted.toReversed()) {
    let highest = -1;
    for (const dependent of dependents.get(service) ?? [])
      highest = Math.max(highest, height.get(dependent) ?? 0);
    height.set(service, highest + 1);
  }
  return height;
}
