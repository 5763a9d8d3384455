/**
 * A flow: one run of one workspace, from the plan to the receipt (F-1). It holds everything of the run and nothing is
 * global, so that two flows can live in one process. It decides nothing by itself: the playbook says what may happen
 * next, readiness says what holds, teardown says in which order things end; the flow carries their words to and fro.
 */
import { SkeinError } from '../errors/index.ts';
import { listeners } from '../processes/index.ts';
import type { EndpointId, Service, ServiceId, Workspace } from '../workspace/index.ts';
import { probeCommands } from './command-probe.ts';
import { configurationEntries } from './configuration-entries.ts';
import { Course, stoppedEarly } from './course.ts';
import { diagnosed } from './diagnosed-snapshot.ts';
import { Ending } from './ending.ts';
import type { Receipt, RunEvent, WhyLink } from './events.ts';
import { Extending } from './extending.ts';
import { asSkeinError } from './failure-report.ts';
import { firstExit } from './first-exit.ts';
import type { FlowOptions, Until } from './flow-options.ts';
import { Hub, type LogListener } from './hub.ts';
import { Lifecycle } from './lifecycle.ts';
import { OutputEnvironment } from './output-environment.ts';
import { planGate } from './plan-gate.ts';
import { createDispatcher, type Dispatcher, type Policy, policyUntil, runPolicy } from './playbook/index.ts';
import { prober, readinessTimeout, runRequirements, whyChain } from './readiness/index.ts';
import type { ConfigurationEntry, Extension, Run } from './run.ts';
import { RunReadiness } from './run-readiness.ts';
import { SingleServices } from './single-services.ts';
import type { RunSnapshot } from './snapshot.ts';
import { failureOf } from './standing.ts';
import { Steadiness } from './steadiness.ts';
import { Turns } from './turns.ts';
import { World } from './world.ts';

export class Flow implements Run {
  readonly mode = 'run';
  readonly #world: World;
  readonly #hub: Hub;
  readonly #readiness: RunReadiness;
  readonly #dispatcher: Dispatcher;
  readonly #ending: Ending;
  readonly #steadiness: Steadiness;
  readonly #course: Course;
  readonly #single: SingleServices;
  readonly #extending: Extending;
  readonly #output: OutputEnvironment | undefined;

  /**
   * Plans the run and asks the plan gate; nothing of the workspace has been started when it rejects.
   * @throws {SkeinFaults} every fault at once: SK11xx, SK12xx, SK13xx, SK1403, SK1410
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
          excluded: flow.#world.composition.excluded,
          ...flow.#described(),
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
    const { clock, history } = world;
    const { everyone, excluded } = world.composition;
    const roots = new Set(world.roots);
    this.#world = world;
    this.#course = new Course({
      clock,
      history,
      readinessTimeoutMs: options.readinessTimeoutMs,
      overdue: () => this.#overdue(),
      tearDown: (budgetMs) => this.#tearDown(budgetMs),
    });
    const turns = new Turns();
    const lifecycle = new Lifecycle({
      world,
      hub: () => this.#hub,
      readiness: () => this.#readiness,
      dispatcher: () => this.#dispatcher,
      turns,
      isEnding: () => this.#course.isEnding,
      wasReady: () => this.#course.wasReady,
      onFailure: (error) => this.#serviceFailed(error),
    });
    this.#hub = new Hub(world, lifecycle);
    this.#readiness = new RunReadiness({
      clock,
      plan: runRequirements({ services: everyone, roots, excluded: new Set(excluded.keys()) }),
      probe: prober(
        probeCommands(world.registrar, {
          workspaceRoot: world.workspace.root,
          workspace: world.workspace.name,
          run: options.runId,
        }),
      ),
      readListeners: listeners,
      onGate: (dependent, dependency, open) =>
        this.#dispatcher.tell({ type: 'gate', dependent, dependency, open }),
      onEndpoint: (change) => history.emit({ type: 'endpoint-readiness', ...change }),
      onService: (service, ready) => this.#serviceReadiness(service, ready),
      onRun: (ready) => this.#runReadiness(ready),
      onWarning: (warning, service) => world.warn(service, 'ready', warning.message),
      onUnhealthy: (service, why) => lifecycle.unhealthy(this.#hub.member(service), why),
    });
    this.#dispatcher = createDispatcher({
      graph: world.graph,
      policy: policyOf(options.until),
      roots,
      onSettled: () => this.#settled(),
      clock,
      random: options.random ?? Math.random,
      parallelism: options.parallelism ?? Number.POSITIVE_INFINITY,
      execute: (action, signal) => lifecycle.execute(action, signal),
      retryingOf: (service) => this.#hub.member(service as ServiceId).service.restart,
      onGiveUp: (service, attempts) => lifecycle.gaveUp(this.#hub.member(service as ServiceId), attempts),
      onPause: (service, attempt, delayMs) => {
        // A run that ends does not try again.
        if (this.#course.isEnding) return;
        const next = `attempt ${attempt + 1} in ${(delayMs / 1_000).toFixed(1)} s`;
        world.warn(service as ServiceId, 'retry', next);
      },
    });
    this.#steadiness = new Steadiness(clock, (service) => this.#dispatcher.tell({ type: 'steady', service }));
    this.#ending = new Ending(world, this.#hub, this.#readiness);
    this.#extending = new Extending({
      world,
      hub: this.#hub,
      readiness: this.#readiness,
      dispatcher: this.#dispatcher,
      ending: this.#ending,
      course: this.#course,
      turns,
    });
    this.#single = new SingleServices({
      world,
      hub: this.#hub,
      lifecycle,
      dispatcher: this.#dispatcher,
      ending: this.#ending,
      course: this.#course,
      turns,
    });
    const { outputEnvironment: output } = options;
    this.#output = output && new OutputEnvironment(world, output.service ?? this.origin, output.file);
    if (options.until === 'first-exit')
      history.onEvent(({ happening }) => {
        if (happening.type === 'service-state' && happening.state === 'completed')
          this.#completed(happening.service);
      });
  }

  get ended(): Promise<Receipt> {
    return this.#course.ended;
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

  /** Those that the run was asked for, the origin first. */
  get roots(): readonly ServiceId[] {
    return this.#world.roots;
  }

  /** Begins; what comes of it is told by events. */
  start(): void {
    this.#course.begin();
    this.#dispatcher.ended.catch((bug: unknown) => this.#course.fail(asSkeinError(bug, this.origin, 'run')));
    this.#dispatcher.start();
  }

  snapshot(): RunSnapshot {
    const { snapshot } = this.#world.history;
    const services = new Map(
      [...snapshot.services].map(([id, service]) => {
        const member = this.#hub.members.get(id);
        return [id, member === undefined ? service : diagnosed(service, member.service, this.#readiness)];
      }),
    );
    return { ...snapshot, services };
  }

  onEvent(listener: (event: RunEvent) => void, afterSequence?: number): Disposable {
    return this.#world.history.onEvent(listener, afterSequence);
  }

  onLog(listener: LogListener): Disposable {
    return this.#hub.onLog(listener);
  }

  waitReady(signal?: AbortSignal): Promise<void> {
    return this.#course.waitReady(this.#readiness.isReady, signal);
  }

  restart(service: ServiceId, signal?: AbortSignal): Promise<void> {
    return this.#single.restart(service, signal);
  }

  startServices(services: readonly ServiceId[], signal?: AbortSignal): Promise<void> {
    return this.#single.start(services, signal);
  }

  extend(names: readonly string[] = []): Promise<Extension> {
    return this.#extending.extend(names);
  }

  stopServices(services: readonly ServiceId[], options: { readonly only?: boolean } = {}): Promise<Receipt> {
    return this.#single.stop(services, options);
  }

  stop(options: { readonly cause?: string; readonly budgetMs?: number } = {}): Promise<Receipt> {
    return this.#course.end(options.cause ?? 'stop', options.budgetMs);
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
      failureOf: (id) => failureOf(this.#hub.member(id).standing),
    });
  }

  configuration(id: ServiceId): readonly ConfigurationEntry[] {
    const { service } = this.#hub.member(id);
    const mappings = this.#world.state.published(id)?.mappings ?? this.#world.proposals.expected(service);
    return configurationEntries(service, this.#world.environment(id, mappings));
  }

  /** Whether the service's agent keeps the log file by itself; known once the flow has been created. */
  writesOwnLog(service: ServiceId): boolean {
    return this.#hub.writesOwnLog(service);
  }

  address(endpoint: EndpointId): string | undefined {
    for (const service of this.#world.history.snapshot.services.values())
      for (const { id, url, address } of service.endpoints)
        if (id === endpoint) return url ?? address ?? undefined;
    return undefined;
  }

  #serviceFailed(error: SkeinError): void {
    const { failFast, failBeforeReady, until } = this.#world.options;
    if (failFast || until !== undefined || (failBeforeReady && !this.#course.wasReady))
      this.#course.fail(error);
  }

  /** Every root has reached the barrier (F-3). */
  #settled(): void {
    const { until } = this.#world.options;
    if (until === 'loaded') void this.#course.end('every service is loaded (--load-only)');
    if (until === 'initialized') void this.#course.end('every service is initialised (--init-only)');
  }

  /** The first service has ended, with success. */
  #completed(service: ServiceId): void {
    const verdict = firstExit(service, this.#world.composition, this.#world.history.snapshot.services);
    if (verdict.kind === 'done') void this.#course.end(verdict.cause);
    else if (verdict.kind === 'cut-off') this.#course.fail(verdict.fault);
  }

  /** The service whose environment is written to a file, where the run does not start it. */
  #described(): { readonly described?: Service } {
    const { outputEnvironment } = this.#world.options;
    if (outputEnvironment === undefined) return {};
    const id = outputEnvironment.service ?? this.origin;
    const { everyone, excluded } = this.#world.composition;
    const service = everyone.find((each) => each.id === id);
    if (service === undefined)
      throw new SkeinError('SK1405', `${id}, whose environment is to be written, takes no part in this run`, {
        place: { service: id },
      });
    return excluded.has(id) ? { described: service } : {};
  }

  #serviceReadiness(service: ServiceId, ready: boolean): void {
    this.#world.history.emit({ type: 'service-readiness', service, ready });
    this.#steadiness.changed(service, ready);
  }

  #runReadiness(ready: boolean): void {
    if (ready) this.#course.becameReady();
    else this.#course.degraded(this.#readiness.diagnose()?.lastError ?? '');
  }

  /** What is said of a run that is not ready at its deadline. */
  #overdue(): SkeinError {
    const { options, clock } = this.#world;
    const diagnosis = this.#readiness.diagnose();
    const culprit = diagnosis && this.#hub.members.get(diagnosis.service);
    const lastLines = culprit === undefined ? [] : options.lastLines(culprit.service);
    return readinessTimeout({
      timeoutMs: options.readinessTimeoutMs,
      nowMs: clock.now(),
      diagnosis,
      lastLines,
    });
  }

  async #tearDown(budgetMs = this.#world.options.teardownBudgetMs): Promise<Receipt> {
    this.#steadiness[Symbol.dispose]();
    this.#output?.[Symbol.dispose]();
    await this.#dispatcher.cancel(stoppedEarly());
    const receipt = await this.#ending.tearDown('stop', this.#hub.members.values(), budgetMs);
    await this.#ending.close();
    return receipt;
  }
}

function policyOf(until: Until | undefined): Policy {
  switch (until) {
    case 'loaded':
      return policyUntil(runPolicy, 'load');
    case 'initialized':
      return policyUntil(runPolicy, 'init');
    default:
      return runPolicy;
  }
}
