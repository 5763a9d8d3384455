/** Who takes part in a run, and what orders it; pure. */
import { referencedProducers } from '../configuration/index.ts';
import {
  dependencyEdges,
  type Service,
  type ServiceId,
  type Wait,
  type Workspace,
} from '../workspace/index.ts';
import { closure } from './closure.ts';

/** An edge that orders the run. */
export interface RunEdge {
  readonly service: ServiceId;
  readonly wait: Wait;
}

/** What each service waits for at run time (W-9). */
export function runEdges(workspace: Workspace): ReadonlyMap<ServiceId, readonly RunEdge[]> {
  const edges = new Map<ServiceId, RunEdge[]>([...workspace.services.keys()].map((id) => [id, []]));
  for (const { consumer, producer, dependency } of dependencyEdges(workspace, 'run'))
    edges.get(consumer)?.push({ service: producer, wait: dependency.wait });
  return edges;
}

/** The roots and all that they need: by dependency, or because a variable refers to it (C-9). */
export function participants(
  workspace: Workspace,
  roots: readonly ServiceId[],
  edges: ReadonlyMap<ServiceId, readonly RunEdge[]>,
): readonly Service[] {
  const ids = closure(roots, (id) => {
    const service = workspace.services.get(id);
    const needed = (edges.get(id) ?? []).map((edge) => edge.service);
    const referenced = service === undefined ? [] : [...referencedProducers(service)];
    // A producer that does not exist is the plan gate's to refuse.
    return [...needed, ...referenced].filter((producer) => workspace.services.has(producer));
  });
  return [...ids].flatMap((id) => workspace.services.get(id) ?? []);
}
