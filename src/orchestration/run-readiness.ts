/**
 * The readiness of a live run: what has happened to its services and what probing finds are recorded on one board, and
 * the board's changes become gates that open, services that are ready, and a run that is ready or not any more.
 */
import type { Variable } from '../configuration/index.ts';
import type { SkeinError } from '../errors/index.ts';
import { machineAddresses, type NetworkMapping } from '../network/index.ts';
import { listenerOwnership, type ProcessIdentity } from '../processes/index.ts';
import type { EndpointId, Service, ServiceId } from '../workspace/index.ts';
import type { Clock } from './clock.ts';
import type { Predicate, UnmetRequirement } from './events.ts';
import { LoopbackCheck } from './loopback-check.ts';
import {
  endpointKey,
  firstUnmet,
  type Gate,
  lastComplete,
  ProbePhases,
  type ProbePhasesOptions,
  ReadinessBoard,
  type Requirement,
  type RequirementKey,
  type RequirementState,
  type RunRequirements,
  serviceKey,
  type Transition,
  transportPredicate,
} from './readiness/index.ts';

export interface RunReadinessOptions
  extends Pick<ProbePhasesOptions, 'probe' | 'readListeners' | 'askOwnership'> {
  readonly clock: Clock;
  readonly plan: RunRequirements;
  /** All that `dependent` waits for at `dependency` began, or ceased, to hold. */
  readonly onGate: (dependent: ServiceId, dependency: ServiceId, open: boolean) => void;
  readonly onEndpoint: (change: EndpointChange) => void;
  readonly onService: (service: ServiceId, ready: boolean) => void;
  readonly onRun: (ready: boolean) => void;
  /** SK1240, SK1452 (of no service), SK1453. */
  readonly onWarning: (warning: SkeinError, service: ServiceId | null) => void;
  /**
   * Liveness or startup has failed past its threshold, once for each Start: the service is to be restarted by its policy
   * . `why`: `liveness of shop/api/http failed 3 times in a row: connection refused`.
   */
  readonly onUnhealthy: (service: ServiceId, why: string) => void;
  /** Addresses of this machine besides loopback (N-10); default: those of its interfaces. */
  readonly addresses?: () => readonly string[];
}

export interface EndpointChange {
  readonly service: ServiceId;
  readonly endpoint: EndpointId;
  readonly ready: boolean;
  readonly predicate: Predicate;
  readonly lastError: string | null;
}

export class RunReadiness implements Disposable {
  readonly #options: RunReadinessOptions;
  readonly #board: ReadinessBoard;
  readonly #probes: ProbePhases;
  readonly #loopback: LoopbackCheck;
  #ofService: ReadonlyMap<ServiceId, readonly Requirement[]>;
  readonly #readyServices = new Set<ServiceId>();
  /** Services whose process runs. */
  readonly #started = new Map<ServiceId, Service>();
  #diagnosis: UnmetRequirement | undefined;

  constructor(options: RunReadinessOptions) {
    this.#options = options;
    this.#board = new ReadinessBoard(options.plan, options.clock.now());
    this.#ofService = byService(options.plan);
    const { clock, probe, readListeners, askOwnership = listenerOwnership, onWarning } = options;
    this.#probes = new ProbePhases({
      clock,
      probe,
      askOwnership,
      ...(readListeners && { readListeners }),
      onReadiness: (transition) => this.#probed(transition),
      onStartup: (requirements, lastError) => {
        const sinceMs = clock.now();
        const state: RequirementState =
          lastError === null ? { kind: 'unknown', sinceMs } : { kind: 'failing', lastError, sinceMs };
        for (const { service, key } of requirements) this.#record(service, key, state);
      },
      onUnhealthy: options.onUnhealthy,
      onWarning,
    });
    this.#loopback = new LoopbackCheck({ addresses: options.addresses ?? machineAddresses, onWarning });
  }

  get isReady(): boolean {
    return this.#board.ready;
  }

  isServiceReady(service: ServiceId): boolean {
    return this.#readyServices.has(service);
  }

  /**
   * Other requirements from now on (F-17, F-18); what is known of the services that stay is kept. Gates that are open
   * already are told, for those who came. What it means for the run is answered, and not told.
   */
  replan(plan: RunRequirements): 'became-ready' | 'revoked' | 'unchanged' {
    const wasReady = this.isReady;
    this.#board.replan(plan);
    this.#ofService = byService(plan);
    for (const service of [...this.#readyServices])
      if (!this.#ofService.has(service)) this.#readyServices.delete(service);
    for (const service of this.#ofService.keys()) this.#judge(service);
    for (const gate of plan.gates) if (this.#isOpenAltogether(gate)) this.#tellGate(gate, true);
    if (wasReady === this.isReady) return 'unchanged';
    return wasReady ? 'revoked' : 'became-ready';
  }

  /** A service that left, and has been stopped: should it come again, nothing is known of it (F-18). */
  forget(service: ServiceId): void {
    this.#stopProbing(service);
    this.#board.forget(service);
  }

  /** Init was accepted: these are the addresses. */
  addressed(service: Service, mappings: readonly NetworkMapping[]): void {
    for (const endpoint of service.endpoints) {
      const has = mappings.some(({ endpoint: id, instances }) => id === endpoint.id && instances.length > 0);
      this.#record(
        service.id,
        endpointKey(endpoint.id, 'endpoint-mapping'),
        this.#state(has ? null : 'it has no address'),
      );
    }
  }

  /** A Start begins: what was known of an earlier process counts no more. */
  starting(service: Service): void {
    this.#stopProbing(service.id);
    const unknown: RequirementState = { kind: 'unknown', sinceMs: this.#options.clock.now() };
    for (const predicate of ['lifecycle', 'runner'] as const)
      this.#record(service.id, serviceKey(service.id, predicate), unknown);
  }

  /**
   * The service's process runs; a job's lifecycle holds only once it has completed. `groups`: the leaders of the
   * process groups that the Start answered, to which its listeners must belong; absent: nobody minds.
   */
  started(
    service: Service,
    mappings: readonly NetworkMapping[],
    environment: readonly Variable[],
    groups?: readonly ProcessIdentity[],
  ): void {
    this.#record(service.id, serviceKey(service.id, 'runner'), this.#state(null));
    if (service.kind === 'job') return;
    this.#record(service.id, serviceKey(service.id, 'lifecycle'), this.#state(null));
    this.#started.set(service.id, service);
    const addressOf = (id: EndpointId) =>
      mappings
        .find((mapping) => mapping.endpoint === id)
        ?.instances.find(({ access }) => access === 'native');
    this.#probes.begin({ service, addressOf, environment, groups });
    for (const endpoint of service.endpoints)
      if (transportPredicate(endpoint) === undefined && addressOf(endpoint.id) !== undefined)
        this.#options.onEndpoint({
          service: service.id,
          endpoint: endpoint.id,
          ready: true,
          predicate: 'lifecycle',
          lastError: null,
        });
  }

  /** A job ended with success. */
  completed(service: Service): void {
    this.#record(service.id, serviceKey(service.id, 'lifecycle'), this.#state(null));
  }

  /** The service does not run: it failed, ended, or was stopped; `why` completes "…". */
  ended(service: Service, why: string, predicate: 'lifecycle' | 'runner'): void {
    this.#record(service.id, serviceKey(service.id, predicate), this.#state(why));
    this.#stopProbing(service.id);
  }

  /** The agent says that the service may be ready: probes at once. */
  hint(service: ServiceId): void {
    this.#probes.hint(service);
  }

  /** What the service itself lacks. */
  ownUnmet(service: ServiceId): UnmetRequirement | undefined {
    return firstUnmet(this.requirementsOf(service), (key) => this.stateOf(key));
  }

  /** What keeps the service's Start waiting. */
  gateUnmet(service: ServiceId): UnmetRequirement | undefined {
    const requirements = this.#board.closedGates(service).flatMap((gate) => gate.requirements);
    return firstUnmet(requirements, (key) => this.stateOf(key));
  }

  /** What keeps the run from being ready; the last complete diagnosis is kept. */
  diagnose(): UnmetRequirement | undefined {
    const stateOf = (key: RequirementKey): RequirementState => this.stateOf(key);
    this.#diagnosis = lastComplete(
      this.#diagnosis,
      firstUnmet(this.#board.plan.requirements, stateOf),
      stateOf,
    );
    return this.#diagnosis;
  }

  stateOf(key: RequirementKey): RequirementState {
    return this.#probes.stateOf(key) ?? this.#board.stateOf(key);
  }

  gatesOf(service: ServiceId): readonly Gate[] {
    return this.#board.gatesOf(service);
  }

  requirementsOf(service: ServiceId): readonly Requirement[] {
    return this.#ofService.get(service) ?? [];
  }

  /** The last error of an endpoint's probe; `null` where it holds, or was not tried. */
  lastError(endpoint: Service['endpoints'][number]): string | null {
    const predicate = transportPredicate(endpoint);
    const state = predicate && this.stateOf(endpointKey(endpoint.id, predicate));
    return state?.kind === 'failing' ? state.lastError : null;
  }

  [Symbol.dispose](): void {
    this.#probes[Symbol.dispose]();
    this.#loopback[Symbol.dispose]();
  }

  #stopProbing(service: ServiceId): void {
    this.#started.delete(service);
    this.#probes.end(service);
    this.#loopback.end(service);
  }

  #state(error: string | null): RequirementState {
    const sinceMs = this.#options.clock.now();
    return error === null ? { kind: 'holding', sinceMs } : { kind: 'failing', lastError: error, sinceMs };
  }

  #probed({ key, service, endpoint, predicate, from, to }: Transition): void {
    if (endpoint !== null && (from.kind === 'holding') !== (to.kind === 'holding'))
      this.#options.onEndpoint({
        service,
        endpoint,
        ready: to.kind === 'holding',
        predicate,
        lastError: to.kind === 'failing' ? to.lastError : null,
      });
    this.#record(service, key, to);
    const started = this.#started.get(service);
    const address = endpoint === null ? undefined : this.#probes.addressOf(service, endpoint);
    if (to.kind === 'holding' && started !== undefined && address !== undefined)
      this.#loopback.answers(started, address);
  }

  #record(service: ServiceId, key: RequirementKey, state: RequirementState): void {
    const change = this.#board.record(key, state);
    this.#judge(service);
    for (const gate of change.opened) if (this.#isOpenAltogether(gate)) this.#tellGate(gate, true);
    for (const gate of change.closed) this.#tellGate(gate, false);
    if (change.run !== 'unchanged') this.#options.onRun(change.run === 'became-ready');
  }

  /** Whether the service is ready now; of one of which nothing is required nothing is told. */
  #judge(service: ServiceId): void {
    const requirements = this.requirementsOf(service);
    if (requirements.length === 0) return;
    const ready = requirements.every(({ key }) => this.#board.stateOf(key).kind === 'holding');
    if (ready === this.#readyServices.has(service)) return;
    if (ready) this.#readyServices.add(service);
    else this.#readyServices.delete(service);
    this.#options.onService(service, ready);
  }

  /** A dependent may declare several dependencies on one producer; they open together. */
  #isOpenAltogether({ dependent, dependency }: Gate): boolean {
    return !this.#board.closedGates(dependent).some((gate) => gate.dependency === dependency);
  }

  #tellGate({ dependent, dependency }: Gate, open: boolean): void {
    this.#options.onGate(dependent, dependency, open);
  }
}

function byService({ requirements }: RunRequirements): ReadonlyMap<ServiceId, readonly Requirement[]> {
  const ofService = new Map<ServiceId, Requirement[]>();
  for (const requirement of requirements) {
    const known = ofService.get(requirement.service);
    if (known === undefined) ofService.set(requirement.service, [requirement]);
    else known.push(requirement);
  }
  return ofService;
}
