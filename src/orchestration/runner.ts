/**
 * The manager of one service in a run (F-13): takes it through Load, Init and Start with its agent, publishes what was
 * accepted, and stops it. Phases are called one after the other by the playbook; a stop may come at any time.
 */
import type { AgentSession } from '../agents/host/index.ts';
import {
  type ExposedConfiguration,
  hashExposed,
  judgeExposed,
  type Variable,
} from '../configuration/index.ts';
import { SkeinError } from '../errors/index.ts';
import { type Status, Status_State } from '../gen/skein/base/v1/status_pb.js';
import { StopResponse_Outcome } from '../gen/skein/runtime/v1/runtime_pb.js';
import { accept, hashMappings, type NetworkMapping } from '../network/index.ts';
import type { AdoptedGroup, ProcessIdentity } from '../processes/index.ts';
import { durationMs, type Service } from '../workspace/index.ts';
import { type LoadPlace, loadRequest } from './load-request.ts';
import { hashEndpoints, loadedEndpoints } from './loaded-endpoints.ts';
import { killAll, type MayRun, nothingRuns, started, told, untold } from './may-run.ts';
import {
  answeredEndpoint,
  answeredMapping,
  dependencyMessages,
  environmentMessage,
  exposedConfiguration,
  mappingMessage,
} from './messages.ts';
import type { Proposal } from './proposals.ts';
import type { HandedOut, Writer } from './shared-state.ts';
import type { ForceAnswer, StopAnswer, StopLimits } from './teardown/index.ts';

/** What one service's runner needs of the run around it. */
export interface RunnerWorld extends LoadPlace {
  /** Publishes for this service; nobody else does. */
  readonly writer: Writer;
  /** What the service's dependencies hand to it now. */
  handedOut(): readonly HandedOut[];
  acquire(signal: AbortSignal): Promise<AgentSession>;
  /** What is proposed now; refuses a port that somebody else holds before the service's first Init (N-3). */
  propose(accepted: readonly NetworkMapping[] | undefined, signal: AbortSignal): Promise<Proposal>;
  /** Called just before the process is started: lets go of sockets that kept its ports (N-2). */
  releasePorts(): Promise<void>;
  /** The whole environment of the process. @throws {SkeinError} SK11xx for a reference that does not resolve. */
  environment(mappings: readonly NetworkMapping[]): readonly Variable[];
  /** Absolute folder of the records of process groups. */
  readonly records: string;
  /** Puts on record what its agent has not. @throws {SkeinError} SK1611, SK1613 to SK1615 */
  adopt(leaders: readonly ProcessIdentity[], stopTimeoutMs: number): Promise<readonly AdoptedGroup[]>;
  warn(phase: string, message: string): void;
}

/** What a Start gave. */
export interface Started {
  readonly generation: bigint;
  /** It had been started before in this run. */
  readonly isRestart: boolean;
  /** Leader of the first process group; `null` where the service runs elsewhere. */
  readonly pid: number | null;
  /** Leaders of its process groups; empty where the service runs elsewhere. */
  readonly processGroups: readonly ProcessIdentity[];
  readonly environment: readonly Variable[];
  readonly mappings: readonly NetworkMapping[];
}

/** How far the service is prepared by its agent; each state carries what is true in it. */
type Preparation =
  | { readonly kind: 'nothing' }
  /** The agent knows of it. */
  | { readonly kind: 'loaded'; readonly session: AgentSession }
  /** Its addresses are settled: it can be started, or has been. */
  | {
      readonly kind: 'initialized';
      readonly session: AgentSession;
      readonly mappings: readonly NetworkMapping[];
    };

/** What skein gives a service between its stop signal and SIGKILL where nothing else is said (T-4). */
const DEFAULT_STOP_TIMEOUT_MS = 10_000;

/** An agent answered that it cannot do this yet, through no fault of the service: it is asked again later (F-8). */
export class NotYet extends Error {}

function expectDone(status: Status | undefined): void {
  if (status?.state === Status_State.WAITING) throw new NotYet(status.message);
}

export class Runner {
  readonly service: Service;
  readonly #world: RunnerWorld;
  #prepared: Preparation = { kind: 'nothing' };
  /** Accepted before; kept over a failed Init, so that a retry proposes the same (N-9). */
  #accepted: readonly NetworkMapping[] | undefined;
  #mayRun: MayRun = nothingRuns;
  /** Of the groups that run, those that this process has put on record. */
  #adopted: readonly AdoptedGroup[] = [];
  /** Starts that were done in this run. */
  #starts = 0;

  constructor(service: Service, world: RunnerWorld) {
    this.service = service;
    this.#world = world;
  }

  /** Whether an agent knows of this service, so that there is something to tear down (T-6). */
  get isManaged(): boolean {
    return this.#prepared.kind !== 'nothing';
  }

  /** The service's own `stop-timeout`, where its spec declares one as a duration (T-2). */
  get stopTimeoutMs(): number {
    const declared = this.service.spec['stop-timeout'];
    return (typeof declared === 'string' ? durationMs(declared) : undefined) ?? DEFAULT_STOP_TIMEOUT_MS;
  }

  /** @returns the hash of its endpoints (F-8). @throws {SkeinError} SK13xx @throws {NotYet} */
  async load(signal: AbortSignal): Promise<string> {
    const { service } = this;
    const world = this.#world;
    const session = await world.acquire(signal);
    // Known to the agent from here on, even if Load fails half-way.
    this.#prepared = { kind: 'loaded', session };
    const response = await session.load(loadRequest(service, world), { signal });
    expectDone(response.status);
    const { endpoints, warnings } = loadedEndpoints(service, response.endpoints.map(answeredEndpoint));
    for (const warning of warnings) world.warn('load', warning);
    world.writer.loaded(endpoints);
    return hashEndpoints(endpoints);
  }

  /**
   * Settles addresses and takes what the service exposes; publishes both at once, or nothing.
   * @returns their hash (F-8). @throws {SkeinError} SK11xx, SK12xx, SK13xx @throws {NotYet}
   */
  async init(round: number, signal: AbortSignal): Promise<string> {
    const { service } = this;
    const world = this.#world;
    if (this.#prepared.kind === 'nothing') throw new Error(`${service.id} is not loaded`);
    const { session } = this.#prepared;
    const proposal = await world.propose(this.#accepted, signal);
    const handedOut = world.handedOut();
    this.#mayRun = untold('init', this.#mayRun);
    const response = await session.init(
      {
        round,
        proposedNetworkMappings: proposal.mappings.map(mappingMessage),
        ...dependencyMessages(handedOut),
        workspaceConfigurations: [],
        environment: world.environment(proposal.mappings).map(environmentMessage),
      },
      { signal },
    );
    this.#mayRun = told(this.#mayRun);
    expectDone(response.status);
    const accepted = accept({
      service: service.id,
      proposed: proposal.mappings,
      proposable: proposal.proposable,
      answered: response.networkMappings.map(answeredMapping),
    });
    const configurations: readonly ExposedConfiguration[] = judgeExposed(
      service.id,
      response.configurations.map(exposedConfiguration),
    );
    if (service.endpoints.length > 0) for (const warning of accepted.warnings) world.warn('init', warning);
    this.#accepted = accepted.mappings;
    this.#prepared = { kind: 'initialized', session, mappings: accepted.mappings };
    world.writer.initialized({ mappings: accepted.mappings, configurations });
    return `${hashMappings(accepted.mappings)} ${hashExposed(configurations)}`;
  }

  /** @throws {SkeinError} SK11xx, SK13xx */
  async start(round: number, signal: AbortSignal): Promise<Started> {
    const world = this.#world;
    if (this.#prepared.kind !== 'initialized') throw new Error(`${this.service.id} is not initialised`);
    const { session, mappings } = this.#prepared;
    const environment = world.environment(mappings);
    await world.releasePorts();
    this.#mayRun = untold('start', this.#mayRun);
    const response = await session.start(
      {
        round,
        environment: environment.map(environmentMessage),
        networkMappings: mappings.map(mappingMessage),
        ...dependencyMessages(world.handedOut()),
      },
      { signal },
    );
    this.#mayRun = told(this.#mayRun);
    expectDone(response.status);
    const leaders = response.processGroups.map(({ pgid, startIdentity, bootIdentity }) => ({
      pid: pgid,
      start: startIdentity,
      boot: bootIdentity,
    }));
    this.#mayRun = started(leaders);
    await this.#concludeAdopted(signal);
    this.#adopted = await world.adopt(leaders, this.stopTimeoutMs);
    this.#starts++;
    return {
      generation: response.generation,
      isRestart: this.#starts > 1,
      pid: leaders[0]?.pid ?? null,
      processGroups: leaders,
      environment,
      mappings,
    };
  }

  /**
   * The agent's Stop (T-4), within what the layer leaves. `again`: the service is to be started again, and its sources are
   * followed as before.
   * @throws {SkeinError} SK13xx when the agent refuses; SK16xx for what may still run
   */
  async stop({ signal, budgetMs }: StopLimits, again = false): Promise<StopAnswer> {
    if (this.#prepared.kind === 'nothing') return 'stopped';
    const { session } = this.#prepared;
    const hurried = budgetMs < this.stopTimeoutMs ? { timeoutMs: Math.max(0, Math.round(budgetMs / 2)) } : {};
    const response = await session.stop({ ...hurried, again }, { signal, timeoutMs: budgetMs });
    if (response.outcome === StopResponse_Outcome.TIMED_OUT)
      throw new SkeinError('SK1408', `the agent could not make sure that ${this.service.id} is gone`, {
        place: { service: this.service.id, phase: 'stop' },
      });
    await this.#concludeAdopted(signal);
    this.#mayRun = nothingRuns;
    return response.outcome === StopResponse_Outcome.FORCED ? 'forced' : 'stopped';
  }

  /** From the host: kills what is provably the service's, and checks that it is gone (T-4). */
  async force(signal: AbortSignal): Promise<ForceAnswer> {
    const { answer, left } = await killAll(this.#mayRun, this.#world.records, signal);
    this.#mayRun = left;
    return answer;
  }

  /** Its agent says that these have ended; here it is made sure of. @throws {SkeinError} what may still run */
  async #concludeAdopted(signal: AbortSignal): Promise<void> {
    for (const group of this.#adopted) await group.conclude({ abort: signal });
    this.#adopted = [];
  }
}
