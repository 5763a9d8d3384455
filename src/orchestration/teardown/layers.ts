/** In which order the participants of a teardown are stopped (T-1). */
import { dependencyEdges, type ServiceId, type Workspace } from '../../workspace/index.ts';

/** `consumer` depends on `dependency`, and is stopped before it. */
export interface TeardownEdge<Id extends string> {
  readonly consumer: Id;
  readonly dependency: Id;
}

/** The layers in which a run of all of a workspace's services is torn down. */
export function workspaceLayers(workspace: Pick<Workspace, 'services'>): readonly (readonly ServiceId[])[] {
  const edges = dependencyEdges(workspace, 'run').map(({ consumer, producer }) => ({
    consumer,
    dependency: producer,
  }));
  return teardownLayers(workspace.services.keys(), edges);
}

/**
 * Reverse layers: layer 0 holds each participant that no other participant depends on (so also whatever has no edges
 * among the participants), and every other stands in the first layer after all of its consumers. A cycle, and what only
 * lies behind one, is one last layer. Within a layer the order is that of `participants`; each is there exactly once.
 * Edges to others than the participants do not count. Kahn's algorithm by generations: linear in nodes plus edges.
 */
export function teardownLayers<Id extends string>(
  participants: Iterable<Id>,
  edges: Iterable<TeardownEdge<Id>>,
): readonly (readonly Id[])[] {
  const position = new Map<Id, number>();
  for (const id of participants) if (!position.has(id)) position.set(id, position.size);
  const consumersLeft = new Map<Id, number>();
  const dependencies = new Map<Id, Id[]>();
  for (const { consumer, dependency } of edges) {
    if (consumer === dependency || !position.has(consumer) || !position.has(dependency)) continue;
    consumersLeft.set(dependency, (consumersLeft.get(dependency) ?? 0) + 1);
    const known = dependencies.get(consumer);
    if (known === undefined) dependencies.set(consumer, [dependency]);
    else known.push(dependency);
  }
  const layers: Id[][] = [];
  const remaining = new Set(position.keys());
  let layer = [...remaining].filter((id) => !consumersLeft.has(id));
  while (layer.length > 0) {
    layers.push(layer);
    const next: Id[] = [];
    for (const id of layer) {
      remaining.delete(id);
      for (const dependency of dependencies.get(id) ?? []) {
        const left = (consumersLeft.get(dependency) ?? 0) - 1;
        consumersLeft.set(dependency, left);
        if (left === 0) next.push(dependency);
      }
    }
    layer = next.sort((a, b) => (position.get(a) ?? 0) - (position.get(b) ?? 0));
  }
  if (remaining.size > 0) layers.push([...remaining]);
  return layers;
}
