/** `skein graph`: the services of the workspace and their dependencies, without a run (U-7). */
import {
  dependencyEdges,
  findWorkspace,
  loadWorkspace,
  resolveServiceName,
  type Service,
  type ServiceId,
  type Stage,
  type Workspace,
} from '../../workspace/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';

export interface GraphOptions extends CommonOptions {
  readonly format: 'json' | 'mermaid' | 'dot';
  readonly stage?: Stage | undefined;
}

export async function graph(roots: readonly string[], options: GraphOptions): Promise<ExitStatus> {
  const workspace = await loadWorkspace(findWorkspace(options.cwd));
  const wanted = roots.map((root) => resolveServiceName(workspace, root));
  const document = graphDocument(workspace, wanted, options.stage);
  process.stdout.write(`${formats[options.json ? 'json' : options.format](document)}\n`);
  return exitStatus.done;
}

export interface GraphDocument {
  readonly workspace: string;
  readonly nodes: readonly {
    readonly id: ServiceId;
    readonly kind: Service['kind'];
    readonly agent: string;
    readonly endpoints: readonly { readonly id: string; readonly api: string; readonly visibility: string }[];
  }[];
  readonly edges: readonly {
    /** The consumer. */
    readonly from: ServiceId;
    /** The producer. */
    readonly to: ServiceId;
    readonly kind: string;
    readonly wait: string;
    readonly endpoints: readonly string[];
  }[];
}

/** `roots`: where to begin from; empty: everywhere. `stage`: absent, every dependency. */
export function graphDocument(
  workspace: Workspace,
  roots: readonly ServiceId[],
  stage: Stage | undefined,
): GraphDocument {
  const stages =
    stage === undefined
      ? undefined
      : new Set(dependencyEdges(workspace, stage).map((edge) => edge.dependency));
  const dependenciesOf = (service: Service): Service['dependencies'] =>
    service.dependencies.filter((dependency) => stages?.has(dependency) ?? true);
  const reached = new Set<ServiceId>(roots.length > 0 ? roots : workspace.services.keys());
  // A set hands out what is added while it is walked.
  for (const id of reached) {
    const service = workspace.services.get(id);
    for (const dependency of service === undefined ? [] : dependenciesOf(service))
      reached.add(dependency.service);
  }
  const services = [...workspace.services.values()].filter((service) => reached.has(service.id));
  return {
    workspace: workspace.name,
    nodes: services.map((service) => ({
      id: service.id,
      kind: service.kind,
      agent: agentName(service),
      endpoints: service.endpoints.map(({ id, api, visibility }) => ({ id, api, visibility })),
    })),
    edges: services.flatMap((service) =>
      dependenciesOf(service).map((dependency) => ({
        from: service.id,
        to: dependency.service,
        kind: dependency.kind,
        wait: dependency.wait,
        endpoints: dependency.endpoints,
      })),
    ),
  };
}

function agentName({ agent }: Service): string {
  return agent.kind === 'name' ? `${agent.publisher}/${agent.name}` : agent.written;
}

export const formats: Readonly<Record<GraphOptions['format'], (graph: GraphDocument) => string>> = {
  json: (document) => JSON.stringify(document, null, 2),
  mermaid,
  dot,
};

function mermaid({ nodes, edges }: GraphDocument): string {
  const names = new Map(nodes.map((node, index) => [node.id, `s${index}`]));
  return [
    'flowchart TD',
    ...nodes.map(({ id, kind }) => `  ${names.get(id)}${kind === 'job' ? `(["${id}"])` : `["${id}"]`}`),
    ...edges.map(
      ({ from, to, kind, wait }) => `  ${names.get(from)} -->|${edgeLabel(kind, wait)}| ${names.get(to)}`,
    ),
  ].join('\n');
}

function dot({ workspace, nodes, edges }: GraphDocument): string {
  return [
    `digraph ${JSON.stringify(workspace)} {`,
    '  node [shape=box];',
    ...nodes.map(({ id, kind }) => `  ${JSON.stringify(id)}${kind === 'job' ? ' [style=rounded]' : ''};`),
    ...edges.map(
      ({ from, to, kind, wait }) =>
        `  ${JSON.stringify(from)} -> ${JSON.stringify(to)} [label=${JSON.stringify(edgeLabel(kind, wait))}];`,
    ),
    '}',
  ].join('\n');
}

function edgeLabel(kind: string, wait: string): string {
  return kind === 'runtime' ? wait : kind;
}
