/**
 * Which dependencies order what (W-9). Builds are ordered by `build` and `schema` edges: a schema is made before what is
 * built from it. Runs are ordered by `runtime` and `completion` edges. `external` orders neither: its producer is not ours
 * to start. The stages are judged apart, so that an edge one way in one and the other way in the other is legal.
 */
import { SkeinError } from '../errors/index.ts';
import type { DependencyKind, Service, ServiceDependency, ServiceId, Workspace } from './model.ts';

export type Stage = 'build' | 'run';

export interface DependencyEdge {
  readonly consumer: ServiceId;
  readonly producer: ServiceId;
  readonly dependency: ServiceDependency;
}

const stageOfKind: Readonly<Record<DependencyKind, Stage | 'none'>> = {
  runtime: 'run',
  completion: 'run',
  build: 'build',
  schema: 'build',
  external: 'none',
};

/** The edges that order a stage, consumers in written order; two dependencies on one producer are two edges. */
export function dependencyEdges(
  workspace: Pick<Workspace, 'services'>,
  stage: Stage,
): readonly DependencyEdge[] {
  return [...workspace.services.values()].flatMap((service) => edgesOf(service, stage));
}

/** One fault (SK1060) with the full path for each knot of services that wait for each other in a stage. */
export function cycleFaults(services: ReadonlyMap<ServiceId, Service>): readonly SkeinError[] {
  return (['build', 'run'] as const).flatMap((stage) => {
    const outgoing = new Map([...services.values()].map((service) => [service.id, edgesOf(service, stage)]));
    return knots(outgoing).map((knot) => cycleFault(stage, shortestCycle(knot, outgoing)));
  });
}

function edgesOf(service: Service, stage: Stage): DependencyEdge[] {
  return service.dependencies
    .filter((dependency) => stageOfKind[dependency.kind] === stage)
    .map((dependency) => ({ consumer: service.id, producer: dependency.service, dependency }));
}

function cycleFault(stage: Stage, cycle: readonly DependencyEdge[]): SkeinError {
  const path = [...cycle.map((edge) => edge.consumer), cycle[0]?.consumer].join(' → ');
  const verb = stage === 'build' ? 'build' : 'runtime';
  const last = cycle.at(-1);
  return new SkeinError('SK1060', `${verb} dependencies form a cycle: ${path}`, {
    ...(last && { place: last.dependency.place }),
  });
}

type Outgoing = ReadonlyMap<ServiceId, readonly DependencyEdge[]>;

/**
 * Strongly connected components of more than one service, the first reached first (a service on itself is refused before).
 * Tarjan's algorithm (SIAM J. Comput. 1972) with its recursion on a list, so that a long chain costs no stack.
 */
function knots(outgoing: Outgoing): readonly ReadonlySet<ServiceId>[] {
  const found: ReadonlySet<ServiceId>[] = [];
  const order = new Map<ServiceId, number>();
  const low = new Map<ServiceId, number>();
  const open: ServiceId[] = [];
  const isOpen = new Set<ServiceId>();
  const lower = (id: ServiceId, to: number): void => void low.set(id, Math.min(low.get(id) ?? to, to));
  const enter = (id: ServiceId): { id: ServiceId; next: number } => {
    order.set(id, order.size);
    low.set(id, order.size - 1);
    open.push(id);
    isOpen.add(id);
    return { id, next: 0 };
  };
  for (const root of outgoing.keys()) {
    if (order.has(root)) continue;
    const calls = [enter(root)];
    for (let call = calls.at(-1); call !== undefined; call = calls.at(-1)) {
      const edge = outgoing.get(call.id)?.[call.next++];
      if (edge !== undefined) {
        const seen = order.get(edge.producer);
        if (seen === undefined) calls.push(enter(edge.producer));
        else if (isOpen.has(edge.producer)) lower(call.id, seen);
        continue;
      }
      calls.pop();
      const caller = calls.at(-1);
      if (caller !== undefined) lower(caller.id, low.get(call.id) ?? 0);
      if (low.get(call.id) !== order.get(call.id)) continue;
      const members = open.splice(open.lastIndexOf(call.id));
      for (const member of members) isOpen.delete(member);
      if (members.length > 1) found.push(new Set(members));
    }
  }
  return found;
}

/** A shortest way from the knot's first member back to itself, breadth first. */
function shortestCycle(knot: ReadonlySet<ServiceId>, outgoing: Outgoing): readonly DependencyEdge[] {
  const [start] = knot;
  if (start === undefined) return [];
  const cameBy = new Map<ServiceId, DependencyEdge>();
  const queue = [start];
  for (const id of queue) {
    for (const edge of outgoing.get(id) ?? []) {
      if (!knot.has(edge.producer) || cameBy.has(edge.producer)) continue;
      cameBy.set(edge.producer, edge);
      if (edge.producer === start) return wayBack(start, cameBy);
      queue.push(edge.producer);
    }
  }
  return [];
}

function wayBack(
  start: ServiceId,
  cameBy: ReadonlyMap<ServiceId, DependencyEdge>,
): readonly DependencyEdge[] {
  const cycle: DependencyEdge[] = [];
  for (let edge = cameBy.get(start); edge !== undefined; edge = cameBy.get(edge.consumer)) {
    cycle.unshift(edge);
    if (edge.consumer === start) break;
  }
  return cycle;
}
