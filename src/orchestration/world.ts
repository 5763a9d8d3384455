/**
 * The world of one flow (F-1): the workspace and who of it takes part, what has been published, which addresses are
 * proposed, the agents, the history. Shared by the parts of the flow; nothing here decides.
 */
import { join } from 'node:path';
import { AgentsHost } from '../agents/host/index.ts';
import { builtInAgents } from '../agents/program/index.ts';
import type { Variable } from '../configuration/index.ts';
import type { NetworkMapping } from '../network/index.ts';
import { Registrar, registryFolder } from '../processes/index.ts';
import type { Service, ServiceId, Workspace } from '../workspace/index.ts';
import { type Clock, realClock } from './clock.ts';
import { type Composition, compose, neededBy, type RunEdge } from './composition.ts';
import { type ServiceEnvironment, serviceEnvironment } from './environment.ts';
import type { FlowOptions } from './flow-options.ts';
import { RunHistory } from './history.ts';
import type { PlaybookGraph } from './playbook/index.ts';
import { Proposals } from './proposals.ts';
import { SharedState } from './shared-state.ts';
import { initialRunSnapshot } from './snapshot.ts';
import { UnrecordedGroups } from './unrecorded-groups.ts';

export class World {
  readonly options: FlowOptions;
  readonly clock: Clock;
  readonly state: SharedState;
  readonly proposals: Proposals;
  readonly host: AgentsHost;
  readonly history: RunHistory;
  /** Of what this process starts itself. */
  readonly registrar: Registrar;
  readonly unrecordedGroups: UnrecordedGroups;
  #composition: Composition;
  #participants: ReadonlySet<ServiceId>;
  readonly #warned = new Set<string>();

  /** @throws {SkeinError} SK1403 (nothing to run), SK1412 (a contradictory choice), SK1201, SK1202 (ports) */
  constructor(options: FlowOptions) {
    const { workspace, clock = realClock } = options;
    this.options = options;
    this.clock = clock;
    this.#composition = compose(workspace, {
      roots: options.roots,
      part: options.part ?? 'whole',
      excluded: options.excluded ?? new Set(),
    });
    this.#participants = idsOf(this.#composition);
    this.state = new SharedState(workspace);
    this.proposals = new Proposals({
      workspace,
      overrides: options.ports,
      temporary: options.temporaryPorts,
      clock,
    });
    const { everyone, excluded } = this.#composition;
    this.history = new RunHistory(
      initialRunSnapshot(options, everyone, clock.now(), new Set(excluded.keys())),
      clock,
    );
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

  /** Who takes part now. */
  get composition(): Composition {
    return this.#composition;
  }

  get workspace(): Workspace {
    return this.#composition.workspace;
  }

  /** Never empty; the first names the run (F-3). */
  get roots(): readonly [ServiceId, ...ServiceId[]] {
    return this.#composition.roots;
  }

  /** Those that run, producers first. */
  get services(): readonly Service[] {
    return this.#composition.services;
  }

  get graph(): PlaybookGraph {
    return this.#composition.graph;
  }

  /** Who takes part from now on (F-17, F-18). */
  recompose(composition: Composition): void {
    this.#composition = composition;
    this.#participants = idsOf(composition);
  }

  /** What the service waits for at run time. */
  edgesOf(service: ServiceId): readonly RunEdge[] {
    return this.#composition.edges.get(service) ?? [];
  }

  /** What the service needs directly: what it waits for, and what its variables refer to. */
  neededBy(service: ServiceId): readonly ServiceId[] {
    return neededBy(this.workspace, this.#composition.edges, service);
  }

  /** The environment of the service's process. @throws {SkeinError} SK11xx for what does not resolve, all together. */
  environment(id: ServiceId, mappings: readonly NetworkMapping[]): readonly Variable[] {
    const { variables, warnings } = this.resolve(id, mappings, this.options.callerEnvironment);
    for (const warning of warnings) this.warnOnce(id, 'configuration', warning);
    return variables;
  }

  /** As `environment`, for somebody who has `caller` as its own. */
  resolve(
    id: ServiceId,
    mappings: readonly NetworkMapping[],
    caller: Readonly<Record<string, string | undefined>>,
  ): ServiceEnvironment {
    return serviceEnvironment(
      {
        state: this.state,
        participants: this.#participants,
        excluded: this.#composition.excluded,
        expected: (service) => this.proposals.expected(service),
        caller,
      },
      this.state.service(id),
      mappings,
    );
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

function idsOf({ services }: Composition): ReadonlySet<ServiceId> {
  return new Set(services.map(({ id }) => id));
}
