/**
 * A flow: one run of one workspace, from the plan to the receipt (F-1). It holds everything of the run and nothing is
 * global, so that two flows can live in one process. It decides nothing by itself: the playbook says what may happen
 * next, readiness says what holds, teardown says in which order things end; the flow carries their words to and fro.
 */
import { SkeinError } from '../errors/index.ts';
import { listeners } from '../processes/index.ts';
import type { EndpointId, ServiceId, Workspace } from '../workspace/index.ts';
import { spawnProbeCommand } from './command-probe.ts';
import { configurationEntries } from './configuration-entries.ts';
import { Ending } from './ending.ts';
import type { Receipt, RunEvent, UnmetRequirement, WhyLink } from './events.ts';
import { asSkeinError, failureReport } from './failure-report.ts';
import type { FlowOptions } from './flow-options.ts';
import { Hub, type LogListener } from './hub.ts';
import { Lifecycle } from './lifecycle.ts';
import { planGate } from './plan-gate.ts';
import { createDispatcher, type Dispatcher, runPolicy } from './playbook/index.ts';
import { prober, readinessTimeout, runRequirements, whyChain } from './readiness/index.ts';
import { ReadyWaiters } from './ready-waiters.ts';
import type { ConfigurationEntry, Run } from './run.ts';
import { RunReadiness } from './run-readiness.ts';
import type { RunSnapshot, ServiceSnapshot } from './snapshot.ts';
import { World } from './world.ts';

/** How far the run is; each state carries what is true in it. */
type Course = { readonly kind: 'going-on' } | { readonly kind: 'ending'; readonly receipt: Promise<Receipt> };

/** How long a service must have been ready for its failures of before to count no more. */
const STEADY_MS = 10_000;

export class Flow implements Run {
  readonly mode = 'run';
  readonly ended: Promise<Receipt>;
  readonly #world: World;
  readonly #hub: Hub;
  readonly #readiness: RunReadiness;
  readonly #dispatcher: Dispatcher;
  readonly #ending: Ending;
  readonly #readyWaiters = new ReadyWaiters();
  readonly #steady = new Map<ServiceId, Disposable>();
  #deadline: Disposable | undefined;
  #wasReady = false;
  #failure: SkeinError | undefined;
  #course: Course = { kind: 'going-on' };
  #resolveEnded: (receipt: Receipt) => void = () => undefined;

  /**
   * Plans the run and asks the plan gate; nothing of the workspace has been started when it rejects.
   * @throws {SkeinFaults} every fault at once: SK11xx, SK12xx, SK13xx, SK1403
   */
  static async create(
    options: FlowOptions,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Flow> {
    const flow = await Flow.#make(options);
    try {
      await planGate(
        {
          workspace: flow.workspace,
          services: flow.#world.services,
          proposals: flow.#world.proposals,
          acquire: (service, abort) => flow.#hub.acquire(service, abort),
        },
        signal,
      );
    } catch (error) {
      await flow.#ending.close();
      throw error;
    }
    return flow;
  }

  /** Where there is no flow, nobody else would end the program that it was given. */
  static async #make(options: FlowOptions): Promise<Flow> {
    try {
      return new Flow(options);
    } catch (error) {
      await options.startedAgents?.spawned.clear();
      throw error;
    }
  }

  private constructor(options: FlowOptions) {
    const world = new World(options);
    const { clock, history, services } = world;
    const roots = new Set(world.roots);
    this.#world = world;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    const lifecycle = new Lifecycle({
      world,
      hub: () => this.#hub,
      readiness: () => this.#readiness,
      dispatcher: () => this.#dispatcher,
      isEnding: () => this.#course.kind === 'ending',
      wasReady: () => this.#wasReady,
      onFailure: (error) => this.#serviceFailed(error),
    });
    this.#hub = new Hub(world, lifecycle);
    this.#readiness = new RunReadiness({
      clock,
      plan: runRequirements({ services, roots, excluded: new Set() }),
      probe: prober(spawnProbeCommand),
      readListeners: listeners,
      onGate: (dependent, dependency, open) =>
        this.#dispatcher.tell({ type: 'gate', dependent, dependency, open }),
      onEndpoint: (change) => history.emit({ type: 'endpoint-readiness', ...change }),
      onService: (service, ready) => this.#serviceReadiness(service, ready),
      onRun: (ready) => this.#readinessChanged(ready),
      onWarning: (warning) => world.warn(null, 'ready', warning.message),
    });
    this.#dispatcher = createDispatcher({
      graph: world.graph,
      policy: runPolicy,
      roots,
      clock,
      random: options.random ?? Math.random,
      parallelism: options.parallelism ?? Number.POSITIVE_INFINITY,
      execute: (action, signal) => lifecycle.execute(action, signal),
      onPause: (service, attempt, delayMs) =>
        world.warn(
          service as ServiceId,
          'retry',
          `attempt ${attempt + 1} in ${(delayMs / 1_000).toFixed(1)} s`,
        ),
    });
    this.#ending = new Ending(world, this.#hub, this.#readiness);
  }

  get id(): string {
    return this.#world.options.runId;
  }

  get workspace(): Workspace {
    return this.#world.workspace;
  }

  get origin(): ServiceId {
    return this.#world.roots[0];
  }

  /** Begins; what comes of it is told by events. */
  start(): void {
    this.#world.history.emit({ type: 'run-state', state: 'starting', cause: '' });
    this.#deadline = this.#world.clock.setTimeout(
      () => this.#deadlinePassed(),
      this.#world.options.readinessTimeoutMs,
    );
    this.#dispatcher.ended.catch((bug: unknown) => this.#fail(asSkeinError(bug, this.origin, 'run')));
    this.#dispatcher.start();
  }

  snapshot(): RunSnapshot {
    const { snapshot } = this.#world.history;
    const services = new Map(
      [...snapshot.services].map(([id, service]) => [id, this.#withDiagnosis(service)]),
    );
    return { ...snapshot, services };
  }

  onEvent(listener: (event: RunEvent) => void, afterSequence?: number): Disposable {
    return this.#world.history.onEvent(listener, afterSequence);
  }

  onLog(listener: LogListener): Disposable {
    return this.#hub.onLog(listener);
  }

  async waitReady(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#course.kind === 'ending') throw stoppedEarly();
    if (this.#readiness.isReady) return;
    await this.#readyWaiters.wait(signal);
  }

  async restart(service: ServiceId, signal?: AbortSignal): Promise<void> {
    const member = this.#hub.member(service);
    this.#refuseWhenEnding(service);
    const comesUp = this.#nextStart(service, signal);
    member.stopWanted = false;
    // A fresh agent knows nothing of the service.
    const phase = member.session?.lost.aborted === true ? 'load' : 'start';
    this.#dispatcher.tell({ type: 'reenter', service, phase });
    await comesUp;
  }

  async startServices(services: readonly ServiceId[], signal?: AbortSignal): Promise<void> {
    const stopped = services.map((id) => this.#hub.member(id)).filter((member) => member.stopWanted);
    await Promise.all(stopped.map((member) => this.restart(member.service.id, signal)));
  }

  async stopServices(
    services: readonly ServiceId[],
    options: { readonly only?: boolean } = {},
  ): Promise<Receipt> {
    const wanted = new Set(services.map((id) => this.#hub.member(id).service.id));
    // The set grows while it is walked: dependents of dependents are taken too.
    if (options.only !== true)
      for (const id of wanted)
        for (const dependent of this.#world.graph.dependents.get(id) ?? [])
          wanted.add(dependent as ServiceId);
    const members = [...this.#hub.members.values()].filter(({ service }) => wanted.has(service.id));
    for (const member of members) {
      member.stopWanted = true;
      this.#dispatcher.tell({ type: 'hold', service: member.service.id });
    }
    const { receipt, faults } = await this.#ending.tearDown(
      'stop',
      members,
      this.#world.options.teardownBudgetMs,
    );
    for (const fault of faults) this.#world.warn(null, 'stop', fault.message);
    return receipt;
  }

  stop(options: { readonly cause?: string; readonly budgetMs?: number } = {}): Promise<Receipt> {
    if (this.#course.kind === 'going-on') {
      const begun = Promise.resolve().then(() => this.#end(options.cause ?? 'stop', options.budgetMs));
      this.#course = { kind: 'ending', receipt: begun };
    }
    return this.#course.kind === 'ending' ? this.#course.receipt : this.ended;
  }

  hurry(how: 'hurry' | 'kill'): void {
    this.#ending.hurry(how);
  }

  why(service: ServiceId): readonly WhyLink[] {
    this.#hub.member(service);
    return whyChain(service, {
      stateOf: (key) => this.#readiness.stateOf(key),
      gatesOf: (id) => this.#readiness.gatesOf(id),
      requirementsOf: (id) => this.#readiness.requirementsOf(id),
      failureOf: (id) => this.#hub.members.get(id)?.failure ?? null,
    });
  }

  configuration(id: ServiceId): readonly ConfigurationEntry[] {
    const { service } = this.#hub.member(id);
    const mappings = this.#world.state.published(id)?.mappings ?? this.#world.proposals.expected(service);
    return configurationEntries(service, this.#world.environment(service, mappings));
  }

  /** Whether the service's agent keeps the log file by itself; known once the flow has been created. */
  writesOwnLog(service: ServiceId): boolean {
    return this.#hub.member(service).session?.process.capabilities.has('log-file/v1') ?? false;
  }

  address(endpoint: EndpointId): string | undefined {
    for (const service of this.#world.history.snapshot.services.values())
      for (const { id, url, address } of service.endpoints)
        if (id === endpoint) return url ?? address ?? undefined;
    return undefined;
  }

  #serviceFailed(error: SkeinError): void {
    const { failFast, failBeforeReady } = this.#world.options;
    if (failFast || (failBeforeReady && !this.#wasReady)) this.#fail(error);
  }

  /** One that stays ready for a while starts its back-off anew (F-9). */
  #serviceReadiness(service: ServiceId, ready: boolean): void {
    this.#world.history.emit({ type: 'service-readiness', service, ready });
    this.#steady.get(service)?.[Symbol.dispose]();
    this.#steady.delete(service);
    if (!ready) return;
    const settle = (): void => this.#dispatcher.tell({ type: 'steady', service });
    this.#steady.set(service, this.#world.clock.setTimeout(settle, STEADY_MS));
  }

  #readinessChanged(ready: boolean): void {
    if (this.#course.kind === 'ending') return;
    if (!ready) {
      const cause = this.#readiness.diagnose()?.lastError ?? '';
      this.#world.history.emit({ type: 'run-state', state: 'degraded', cause });
      return;
    }
    this.#wasReady = true;
    this.#deadline?.[Symbol.dispose]();
    this.#world.history.emit({ type: 'run-state', state: 'ready', cause: '' });
    this.#readyWaiters.resolve();
  }

  #deadlinePassed(): void {
    const { options, clock } = this.#world;
    const diagnosis = this.#readiness.diagnose();
    const culprit = diagnosis && this.#hub.members.get(diagnosis.service);
    const lastLines = culprit === undefined ? [] : options.lastLines(culprit.service);
    this.#fail(
      readinessTimeout({ timeoutMs: options.readinessTimeoutMs, nowMs: clock.now(), diagnosis, lastLines }),
    );
  }

  /** The run cannot go on: says why, and tears down. */
  #fail(error: SkeinError): void {
    if (this.#failure !== undefined || this.#course.kind === 'ending') return;
    this.#failure = error;
    const report = failureReport(error, null, null);
    const exit =
      report.service === null
        ? null
        : (this.#world.history.snapshot.services.get(report.service)?.exit ?? null);
    this.#world.history.emit({
      type: 'run-state',
      state: 'failed',
      cause: error.message,
      failure: { ...report, exit },
    });
    this.#readyWaiters.reject(error);
    void this.stop({ cause: 'failure' });
  }

  async #end(cause: string, budgetMs = this.#world.options.teardownBudgetMs): Promise<Receipt> {
    const { history } = this.#world;
    this.#deadline?.[Symbol.dispose]();
    for (const timer of this.#steady.values()) timer[Symbol.dispose]();
    this.#readyWaiters.reject(stoppedEarly());
    history.emit({ type: 'run-state', state: 'stopping', cause });
    await this.#dispatcher.cancel(stoppedEarly());
    const { receipt, faults } = await this.#ending.tearDown('stop', this.#hub.members.values(), budgetMs);
    for (const fault of faults) this.#world.warn(null, 'stop', fault.message);
    await this.#ending.close();
    history.emit({ type: 'receipt', receipt });
    history.emit({ type: 'run-state', state: 'stopped', cause });
    this.#resolveEnded(receipt);
    return receipt;
  }

  /** Resolves at the service's next successful start; rejects at its next failure. */
  #nextStart(id: ServiceId, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (done: () => void): void => {
        watching[Symbol.dispose]();
        signal?.removeEventListener('abort', abandon);
        done();
      };
      const abandon = (): void => settle(() => reject(signal?.reason as Error));
      const { history } = this.#world;
      const watching = history.onEvent(({ happening }) => {
        const isOver = happening.type === 'run-state' && happening.state === 'stopping';
        const isHeld =
          happening.type === 'service-state' && happening.service === id && happening.state === 'stopped';
        if (isOver || isHeld)
          settle(() => reject(notUpAgain(id, isOver ? 'the run is being stopped' : 'it was stopped')));
        if (happening.type !== 'service-state' || happening.service !== id) return;
        if (happening.state === 'running') settle(resolve);
        if (happening.state === 'failed')
          settle(() => reject(notUpAgain(id, happening.cause, happening.failure?.lastLines)));
      }, history.sequence);
      signal?.addEventListener('abort', abandon, { once: true });
    });
  }

  /** What changes without anything happening: what a service waits for, and the last error of a probe. */
  #withDiagnosis(service: ServiceSnapshot): ServiceSnapshot {
    const declared = this.#hub.member(service.id).service;
    const isWaiting = service.state === 'waiting';
    const isComingUp = service.state === 'running' && !service.ready;
    const unmet: UnmetRequirement | undefined = isWaiting
      ? this.#readiness.gateUnmet(service.id)
      : isComingUp
        ? this.#readiness.ownUnmet(service.id)
        : undefined;
    const endpoints = service.endpoints.map((endpoint) => {
      const own = declared.endpoints.find(({ id }) => id === endpoint.id);
      return endpoint.ready || own === undefined
        ? endpoint
        : { ...endpoint, lastError: this.#readiness.lastError(own) ?? endpoint.lastError };
    });
    return { ...service, waitingFor: unmet ?? null, endpoints };
  }

  #refuseWhenEnding(id: ServiceId): void {
    if (this.#course.kind === 'ending')
      throw new SkeinError('SK1407', `the run is being stopped; ${id} is not started again`, {
        place: { service: id },
      });
  }
}

function stoppedEarly(): SkeinError {
  return new SkeinError('SK1404', 'the run was stopped before it was ready');
}

function notUpAgain(id: ServiceId, cause: string, lastLines: readonly string[] = []): SkeinError {
  return new SkeinError('SK1401', `${id} did not come up again: ${cause}`, {
    place: { service: id, phase: 'start' },
    lastLines,
  });
}
