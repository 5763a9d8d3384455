/**
 * The world of one flow (F-1): the workspace and who of it takes part, what has been published, which addresses are
 * proposed, the agents, the history. Shared by the parts of the flow; nothing here decides.
 */
import { join } from 'node:path';
import { AgentsHost } from '../agents/host/index.ts';
import { builtInAgents } from '../agents/program/index.ts';
import type { Variable } from '../configuration/index.ts';
import { SkeinError } from '../errors/index.ts';
import type { NetworkMapping } from '../network/index.ts';
import { Registrar, registryFolder } from '../processes/index.ts';
import type { Service, ServiceId, Workspace } from '../workspace/index.ts';
import { type Clock, realClock } from './clock.ts';
import { serviceEnvironment } from './environment.ts';
import type { FlowOptions } from './flow-options.ts';
import { RunHistory } from './history.ts';
import { participants, type RunEdge, runEdges } from './participants.ts';
import { type PlaybookGraph, playbookGraph } from './playbook/index.ts';
import { Proposals } from './proposals.ts';
import { SharedState } from './shared-state.ts';
import { initialRunSnapshot } from './snapshot.ts';
import { UnrecordedGroups } from './unrecorded-groups.ts';

export class World {
  readonly options: FlowOptions;
  readonly workspace: Workspace;
  readonly clock: Clock;
  /** Never empty; the first names the run (F-3). */
  readonly roots: readonly [ServiceId, ...ServiceId[]];
  /** Those that take part, producers first. */
  readonly services: readonly Service[];
  readonly graph: PlaybookGraph;
  readonly state: SharedState;
  readonly proposals: Proposals;
  readonly host: AgentsHost;
  readonly history: RunHistory;
  /** Of what this process starts itself. */
  readonly registrar: Registrar;
  readonly unrecordedGroups: UnrecordedGroups;
  readonly #edges: ReadonlyMap<ServiceId, readonly RunEdge[]>;
  readonly #participants: ReadonlySet<ServiceId>;
  readonly #warned = new Set<string>();

  /** @throws {SkeinError} SK1403 (no service), SK1201, SK1202 (ports) */
  constructor(options: FlowOptions) {
    const { workspace, clock = realClock } = options;
    const [origin, ...coRoots] = options.roots.length > 0 ? options.roots : workspace.services.keys();
    if (origin === undefined)
      throw new SkeinError('SK1403', `workspace ${workspace.name} declares no service`, {
        place: { file: workspace.file, line: 1, column: 1 },
      });
    this.options = options;
    this.workspace = workspace;
    this.clock = clock;
    this.roots = [origin, ...coRoots];
    this.#edges = runEdges(workspace);
    this.graph = playbookGraph(
      participants(workspace, this.roots, this.#edges).map(({ id }) => id),
      (id) => this.edgesOf(id as ServiceId),
    );
    this.services = this.graph.services.flatMap((id) => workspace.services.get(id as ServiceId) ?? []);
    this.#participants = new Set(this.services.map(({ id }) => id));
    this.state = new SharedState(workspace);
    this.proposals = new Proposals({
      workspace,
      overrides: options.ports,
      temporary: options.temporaryPorts,
      clock,
    });
    this.history = new RunHistory(initialRunSnapshot(options, this.services, clock.now()), clock);
    this.host = new AgentsHost({
      workspaceRoot: workspace.root,
      agentPaths: options.agentPaths,
      builtIns: builtInAgents(),
      environment: options.callerEnvironment,
      lockFile: join(workspace.root, 'skein.lock'),
    });
    this.registrar = new Registrar(registryFolder(options.callerEnvironment));
    this.unrecordedGroups = new UnrecordedGroups(this.registrar);
    if (options.startedAgents !== undefined) this.host.adopt(options.startedAgents);
  }

  /** What the service waits for at run time. */
  edgesOf(service: ServiceId): readonly RunEdge[] {
    return this.#edges.get(service) ?? [];
  }

  /** The environment of the service's process. @throws {SkeinError} SK11xx for what does not resolve, all together. */
  environment(id: ServiceId, mappings: readonly NetworkMapping[]): readonly Variable[] {
    const { variables, warnings } = serviceEnvironment(
      {
        state: this.state,
        participants: this.#participants,
        expected: (service) => this.proposals.expected(service),
        caller: this.options.callerEnvironment,
      },
      this.state.service(id),
      mappings,
    );
    for (const warning of warnings) this.warnOnce(id, 'configuration', warning);
    return variables;
  }

  warn(service: ServiceId | null, phase: string, message: string): void {
    this.history.emit({ type: 'warning', service, phase, message });
  }

  /** A phase that is repeated has nothing new to say. */
  warnOnce(service: ServiceId | null, phase: string, message: string): void {
    const key = `${service} ${phase} ${message}`;
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    this.warn(service, phase, message);
  }
}
