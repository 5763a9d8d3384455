/**
 * Which services a run is made of, in which part, and what orders them (F-2, F-3); pure. A run that changes replaces its
 * composition whole (F-17).
 */
import { referencedProducers } from '../configuration/index.ts';
import { SkeinError } from '../errors/index.ts';
import {
  dependencyEdges,
  type Service,
  type ServiceId,
  type Wait,
  type Workspace,
} from '../workspace/index.ts';
import { closure } from './closure.ts';
import { type PlaybookGraph, playbookGraph } from './playbook/index.ts';

/**
 * How much of a root and its dependencies is started. `stand-alone`: the root without them; `without-root`: they without
 * the root, which somebody else runs. Both need a single root.
 */
export type Part = 'whole' | 'stand-alone' | 'without-root';

/** What a run was asked for. */
export interface Selection {
  /** Empty: every service of the workspace. The first is the origin (F-3). */
  readonly roots: readonly ServiceId[];
  readonly part: Part;
  /** Of `--exclude-service`: not started, and nothing is started for them. */
  readonly excluded: ReadonlySet<ServiceId>;
}

/** An edge that orders the run. */
export interface RunEdge {
  readonly service: ServiceId;
  readonly wait: Wait;
}

export interface Composition {
  readonly workspace: Workspace;
  /** Never empty; the first names the run (F-3). One that is excluded still selects what it consumes. */
  readonly roots: readonly [ServiceId, ...ServiceId[]];
  /** Those that run, producers first. */
  readonly services: readonly Service[];
  /** Those that are left out although they belong to it, with the option that says so. */
  readonly excluded: ReadonlyMap<ServiceId, string>;
  /** All of both, producers first. */
  readonly everyone: readonly Service[];
  /** Of those that run; an edge to one that does not holds nobody up. */
  readonly graph: PlaybookGraph;
  /** What each service of the workspace waits for at run time (W-9). */
  readonly edges: ReadonlyMap<ServiceId, readonly RunEdge[]>;
}

/**
 * The roots and all that they need, by dependency or because a variable refers to it (C-9), without what is excluded and
 * what only that would need.
 * @throws {SkeinError} SK1403 when nothing is left to run; SK1412 for a choice that contradicts itself
 */
export function compose(workspace: Workspace, selection: Selection): Composition {
  const roots = rootsOf(workspace, selection);
  const [origin] = roots;
  const edges = runEdges(workspace);
  const reached = closure(roots, (id) => {
    const isLeaf =
      id === origin ? selection.excluded.has(id) : optionExcluding(selection, origin, id) !== undefined;
    return isLeaf ? [] : neededBy(workspace, edges, id);
  });
  const all = new Set([...reached, ...selection.excluded]);
  const excluded = new Map(
    [...all].flatMap((id): [ServiceId, string][] => {
      const option = optionExcluding(selection, origin, id);
      return option === undefined ? [] : [[id, option]];
    }),
  );
  const edgesOf = (id: string): readonly RunEdge[] => edges.get(id as ServiceId) ?? [];
  const known = [...all].filter((id) => workspace.services.has(id));
  const graph = playbookGraph(
    known.filter((id) => !excluded.has(id)),
    edgesOf,
  );
  if (graph.services.length === 0)
    throw new SkeinError('SK1403', `${[...excluded.keys()].join(', ')} left out, nothing is left to run`);
  const ordered = excluded.size === 0 ? graph : playbookGraph(known, edgesOf);
  const everyone = ordered.services.flatMap((id) => workspace.services.get(id as ServiceId) ?? []);
  const services = graph.services.flatMap((id) => workspace.services.get(id as ServiceId) ?? []);
  return { workspace, roots, services, excluded, everyone, graph, edges };
}

/** What is wrong with a choice of services by itself, all of it: SK1412. */
export function contradictions(selection: Selection, rootCount: number): readonly SkeinError[] {
  const faults: SkeinError[] = [];
  if (selection.part !== 'whole' && rootCount !== 1)
    faults.push(
      refused(
        `${partOption(selection.part)} is about one service and what it depends on, and ${rootCount} are to run`,
        `Name one service: \`skein run SERVICE ${partOption(selection.part)}\`.`,
      ),
    );
  for (const root of selection.roots)
    if (selection.excluded.has(root))
      faults.push(
        refused(
          `${root} is both to run and excluded by --exclude-service`,
          'Leave out one of them; to run what it depends on without it, use --exclude-root.',
        ),
      );
  return faults;
}

/** Direct needs of a service that the workspace has; a producer that does not exist is the plan gate's to refuse. */
export function neededBy(
  workspace: Workspace,
  edges: ReadonlyMap<ServiceId, readonly RunEdge[]>,
  id: ServiceId,
): readonly ServiceId[] {
  const service = workspace.services.get(id);
  if (service === undefined) return [];
  const needed = (edges.get(id) ?? []).map((edge) => edge.service);
  return [...needed, ...referencedProducers(service)].filter((producer) => workspace.services.has(producer));
}

function rootsOf(workspace: Workspace, selection: Selection): readonly [ServiceId, ...ServiceId[]] {
  const { roots, excluded } = selection;
  const [origin, ...coRoots] =
    roots.length > 0 ? new Set(roots) : [...workspace.services.keys()].filter((id) => !excluded.has(id));
  if (origin === undefined) {
    const none =
      workspace.services.size === 0 ? 'declares no service' : 'has no service that is not excluded';
    throw new SkeinError('SK1403', `workspace ${workspace.name} ${none}`, {
      place: { file: workspace.file, line: 1, column: 1 },
    });
  }
  const [fault] = contradictions(selection, coRoots.length + 1);
  if (fault !== undefined) throw fault;
  return [origin, ...coRoots];
}

/** The option by which a service is left out; `undefined` where none does. */
function optionExcluding(
  { part, excluded }: Selection,
  origin: ServiceId,
  id: ServiceId,
): string | undefined {
  if (excluded.has(id)) return `--exclude-service ${id}`;
  if (part === 'stand-alone' && id !== origin) return partOption(part);
  if (part === 'without-root' && id === origin) return partOption(part);
  return undefined;
}

function partOption(part: Exclude<Part, 'whole'>): string {
  return part === 'stand-alone' ? '--stand-alone' : '--exclude-root';
}

function refused(message: string, remedy: string): SkeinError {
  return new SkeinError('SK1412', message, { remedy });
}

function runEdges(workspace: Workspace): ReadonlyMap<ServiceId, readonly RunEdge[]> {
  const edges = new Map<ServiceId, RunEdge[]>([...workspace.services.keys()].map((id) => [id, []]));
  for (const { consumer, producer, dependency } of dependencyEdges(workspace, 'run'))
    edges.get(consumer)?.push({ service: producer, wait: dependency.wait });
  return edges;
}
