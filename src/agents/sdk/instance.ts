/**
 * One service instance: its handler, its phases in order, and what of it runs. Every method answers plain TypeScript or
 * throws; the messages of the contract are made in `runtime-service.ts`.
 */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@bufbuild/protobuf';
import type { Failure } from '../../gen/skein/base/v1/status_pb.js';
import { DesiredState, InstanceState } from '../../gen/skein/runtime/v1/runtime_pb.js';
import type { Registrar } from '../../processes/index.ts';
import { agentLog } from './agent-log.ts';
import type { LoadedAgent } from './agents.ts';
import { desiredStates, type Facts, instanceContext } from './context.ts';
import { Deadline } from './deadline.ts';
import type {
  InitAnswer,
  InitPhase,
  ServiceHandler,
  StartPhase,
  TestAnswer,
  TestPhase,
  ValidationAnswer,
} from './definition.ts';
import type { Happening } from './events.ts';
import { AgentFailure, failureOf, maskedFailure } from './failure.ts';
import { Generations, worst } from './generations.ts';
import type { InstanceOutput } from './logs/index.ts';
import type { Endpoint } from './model.ts';
import { PhaseQueue, type PhaseRequest } from './phases.ts';
import type { StopResult, Supervised } from './supervision.ts';
import { Sources } from './watch/index.ts';

/** Between stop signal and SIGKILL where neither the host nor the handler names a time. */
const defaultStopTimeoutMs = 10_000;

/** What an instance is made of. */
export interface InstanceParts {
  readonly agent: LoadedAgent;
  /** Keeps the records of whatever it starts. */
  readonly registrar: Registrar;
  readonly output: InstanceOutput;
  readonly report: (generation: number, happening: Happening) => void;
}

/** How far an instance is prepared. */
type Preparation =
  | { readonly is: 'nothing' }
  | {
      readonly is: 'loaded' | 'initialized';
      readonly handler: ServiceHandler;
      readonly facts: Facts<unknown>;
    };

interface Stopping {
  readonly deadline: Deadline;
  readonly result: Promise<StopResult>;
}

/** Facts of a Load before its `spec` is read. */
export type LoadFacts = Omit<Facts<unknown>, 'spec'> & {
  readonly spec: JsonObject;
  readonly logFile: string;
  readonly logFileLimitBytes: number;
};

export interface StartAnswer {
  readonly generation: number;
  readonly processes: readonly Supervised[];
}

export class ServiceInstance {
  readonly #parts: InstanceParts;
  readonly #phases = new PhaseQueue();
  readonly #generations: Generations;
  readonly #sources: Sources;
  #prepared: Preparation = { is: 'nothing' };
  #desired: DesiredState = DesiredState.UNSPECIFIED;
  #stopping: Stopping | undefined;
  /** All that the latest Start brought. */
  #startedWith: unknown;

  constructor(parts: InstanceParts) {
    this.#parts = parts;
    this.#sources = new Sources({
      desire: (phase, cause) => this.#desire(desiredStates[phase], cause),
      say: (text) => parts.output.say(`skein: ${text}`),
    });
    this.#generations = new Generations(parts.report, (error) => this.describe(error));
  }

  /** What was thrown as a failure, without secrets. */
  describe(error: unknown): Failure {
    return maskedFailure(failureOf(error), (text) => this.#parts.output.mask.apply(text));
  }

  get agent(): LoadedAgent {
    return this.#parts.agent;
  }

  get generations(): Generations {
    return this.#generations;
  }

  get desired(): DesiredState {
    return this.#desired;
  }

  /** Nothing is known, runs or is under way: it can be forgotten. */
  get isForgettable(): boolean {
    return this.#prepared.is === 'nothing' && !this.#phases.isBusy && this.#stopping === undefined;
  }

  /** Milliseconds between stop signal and SIGKILL where the host names none. */
  get stopTimeoutMs(): number {
    const declared = this.#prepared.is === 'nothing' ? undefined : this.#prepared.handler.stopTimeoutMs;
    return declared ?? defaultStopTimeoutMs;
  }

  load(facts: LoadFacts, caller: AbortSignal): Promise<readonly Endpoint[]> {
    return this.#phases.run({ name: 'load', signal: caller }, async (signal) => {
      const spec = await this.#parts.agent.specs.read(facts.spec);
      await this.#parts.output.useFile(facts.logFile, facts.logFileLimitBytes);
      const read: Facts<unknown> = { ...facts, spec };
      const before = this.#prepared;
      const handler = before.is === 'nothing' ? this.#createHandler(read) : before.handler;
      this.#prepared = { is: 'loaded', handler, facts: read };
      try {
        const endpoints = await handler.load?.({ signal });
        signal.throwIfAborted();
        this.#phases.resetRounds();
        this.#sources.loaded();
        this.#content(DesiredState.LOAD);
        this.#generations.prepared(InstanceState.LOADED);
        return endpoints ?? [];
      } catch (error) {
        this.#prepared = before;
        throw error;
      }
    });
  }

  init(phase: Omit<InitPhase, 'signal'>, caller: AbortSignal): Promise<InitAnswer> {
    return this.#phases.run({ name: 'init', round: phase.round, signal: caller }, async (signal) => {
      const { handler, facts } = this.#require('loaded', 'init');
      this.#hide(phase.environment, ...phase.workspaceConfigurations.map((group) => group.values));
      for (const { configurations } of phase.dependencyConfigurations)
        this.#hide(...configurations.map((group) => group.values));
      this.#content(DesiredState.INIT);
      const answer = await this.#watched('init', async () => await handler.init?.({ ...phase, signal }));
      signal.throwIfAborted();
      this.#hide(...(answer?.configurations ?? []).map((group) => group.values));
      this.#prepared = { is: 'initialized', handler, facts };
      this.#sources.initialized();
      this.#generations.prepared(InstanceState.INITIALIZED);
      return { ...answer, mappings: answer?.mappings ?? phase.proposedMappings };
    });
  }

  /**
   * What runs, or is left of an earlier generation, is gone before the next one begins (T-5), except where it reloads
   * itself and nothing that it was started with has changed (N-9).
   */
  start(phase: Omit<StartPhase, 'signal' | 'generation'>, caller: AbortSignal): Promise<StartAnswer> {
    return this.#phases.run({ name: 'start', round: phase.round, signal: caller }, async (signal) => {
      const { handler, facts } = this.#require('initialized', 'start');
      const { round: _, ...brought } = phase;
      const offered = { facts, ...brought };
      this.#hide(phase.environment);
      this.#content(DesiredState.START);
      const isKept = (): boolean =>
        handler.hotReload === true &&
        this.#generations.isRunning &&
        isDeepStrictEqual(this.#startedWith, offered);
      if (!isKept()) await this.#endFormer();
      signal.throwIfAborted();
      await this.#watched('start', async () => {
        // It may have ended while its sources were looked at.
        if (isKept()) return;
        this.#startedWith = offered;
        await this.#startNext(handler, phase, signal);
      });
      const { number: generation, processes } = this.#generations;
      this.#generations.settle();
      return { generation, processes };
    });
  }

  test(phase: Omit<TestPhase, 'signal'>, caller: AbortSignal): Promise<TestAnswer> {
    return this.#phases.run({ name: 'test', signal: caller }, async (signal) => {
      const { handler } = this.#require('initialized', 'test');
      this.#hide(phase.environment);
      if (handler.test === undefined) throw unsupported('test');
      return handler.test({ ...phase, signal });
    });
  }

  lint(fix: boolean, caller: AbortSignal): Promise<ValidationAnswer> {
    return this.#validate({ name: 'lint', signal: caller }, (handler, signal) =>
      handler.lint?.({ fix, signal }),
    );
  }

  compile(caller: AbortSignal): Promise<ValidationAnswer> {
    return this.#validate({ name: 'compile', signal: caller }, (handler, signal) =>
      handler.compile?.({ signal }),
    );
  }

  /**
   * Interrupts every phase and stops what runs. While a stop is under way, another one joins it and can only shorten
   * its wait. `timeoutMs` absent: what the handler declares. `again`: the service is to be started again, and its sources
   * are followed as before.
   */
  stop(timeoutMs?: number, again = false): Promise<StopResult> {
    if (!again) this.#rest();
    const afterMs = timeoutMs ?? this.stopTimeoutMs;
    if (this.#stopping !== undefined) {
      if (timeoutMs !== undefined) this.#stopping.deadline.shorten(afterMs);
      return this.#stopping.result;
    }
    const deadline = new Deadline(afterMs);
    const result = this.#interruptAndStop(deadline, again).finally(() => {
      deadline[Symbol.dispose]();
      this.#stopping = undefined;
    });
    this.#stopping = { deadline, result };
    return result;
  }

  /** Stops and forgets. */
  async destroy(deleteData: boolean, caller: AbortSignal): Promise<void> {
    await this.stop();
    await this.#phases.run({ name: 'destroy', signal: caller }, async () => {
      if (this.#prepared.is === 'nothing') return;
      const { handler } = this.#prepared;
      this.#prepared = { is: 'nothing' };
      this.#sources.forget();
      await handler.destroy?.({ deleteData });
    });
    await this.#parts.output.flush();
  }

  async #startNext(
    handler: ServiceHandler,
    phase: Omit<StartPhase, 'signal' | 'generation'>,
    signal: AbortSignal,
  ): Promise<void> {
    const generation = this.#generations.begin();
    try {
      await handler.start({ ...phase, generation, signal });
      signal.throwIfAborted();
    } catch (error) {
      await this.#generations.abandon(error, signal.aborted);
      throw signal.aborted ? signal.reason : error;
    }
  }

  /** A phase that a change of the sources leads to: what it leads to itself must be told from that. */
  async #watched<Result>(phase: 'init' | 'start', work: () => Promise<Result>): Promise<Result> {
    await this.#sources.began(phase);
    try {
      return await work();
    } finally {
      this.#sources.ended();
    }
  }

  #createHandler(facts: Facts<unknown>): ServiceHandler {
    const current = (): Facts<unknown> => (this.#prepared.is === 'nothing' ? facts : this.#prepared.facts);
    const { agent, registrar, output, report } = this.#parts;
    const means = {
      registrar,
      output,
      generations: this.#generations,
      stopTimeoutMs: () => this.stopTimeoutMs,
      sources: this.#sources,
      report,
      desire: (desired: DesiredState, cause: string) => this.#desire(desired, cause),
    };
    return agent.definition.createService(instanceContext(current, means));
  }

  /** Of several wishes the one for the earliest phase stands, for the later phases follow it. */
  #desire(desired: DesiredState, cause: string): void {
    if (this.#desired === DesiredState.UNSPECIFIED || desired < this.#desired) this.#desired = desired;
    this.#parts.report(this.#generations.number, { kind: 'desired', desired: this.#desired, cause });
  }

  /** The phase that was asked for begins, and with it the wish is fulfilled; what is wished from now on needs another. */
  #content(phase: DesiredState): void {
    if (phase === this.#desired) this.#desired = DesiredState.UNSPECIFIED;
  }

  /** @throws {AgentFailure} NOT_LOADED, NOT_INITIALIZED */
  #require(least: 'loaded' | 'initialized', phase: string): Exclude<Preparation, { is: 'nothing' }> {
    if (this.#prepared.is === 'nothing') throw notLoaded(phase);
    if (least === 'initialized' && this.#prepared.is === 'loaded')
      throw new AgentFailure('NOT_INITIALIZED', `${phase} needs Init first`);
    return this.#prepared;
  }

  #validate(
    request: PhaseRequest,
    judge: (handler: ServiceHandler, signal: AbortSignal) => Promise<ValidationAnswer> | undefined,
  ): Promise<ValidationAnswer> {
    return this.#phases.run(request, async (signal) => {
      const { handler } = this.#require('loaded', request.name);
      const judgement = judge(handler, signal);
      if (judgement === undefined) throw unsupported(request.name);
      return judgement;
    });
  }

  async #endFormer(): Promise<void> {
    using deadline = new Deadline(this.stopTimeoutMs);
    const result = await this.#stopRunning(deadline);
    if (result === 'timed-out')
      throw new AgentFailure('STILL_RUNNING', 'the processes of the last start may still run', {
        retryable: true,
      });
  }

  #rest(): void {
    this.#desired = DesiredState.UNSPECIFIED;
    this.#sources.rest();
  }

  async #interruptAndStop(deadline: Deadline, again: boolean): Promise<StopResult> {
    this.#phases.interrupt('stop');
    const first = await this.#stopRunning(deadline);
    // A phase that ignores its signal must not hold up the stop; what it makes later has no generation to join.
    if (this.#phases.isBusy) await Promise.race([this.#phases.idle(), deadline.passed()]);
    // What the phase has opened on its way out.
    if (!again) this.#sources.rest();
    return this.#generations.isLive ? worst([first, await this.#stopRunning(deadline)]) : first;
  }

  async #stopRunning(deadline: Deadline): Promise<StopResult> {
    const handled = this.#generations.isLive ? await this.#stopByHandler(deadline) : 'stopped';
    return worst([handled, await this.#generations.stop(deadline)]);
  }

  /** The agent's own way, as long as the deadline allows. */
  async #stopByHandler(deadline: Deadline): Promise<StopResult> {
    if (this.#prepared.is === 'nothing' || this.#prepared.handler.stop === undefined) return 'stopped';
    const { handler } = this.#prepared;
    try {
      const stopping = handler.stop?.({ timeoutMs: deadline.leftMs });
      const late = deadline.passed().then((): StopResult => 'forced');
      return (await Promise.race([stopping, late])) ?? 'stopped';
    } catch (error) {
      agentLog('error', `the agent's own way to stop ${this.#parts.output.instance} failed`, error);
      return 'forced';
    }
  }

  #hide(...groups: readonly (readonly { readonly value: string; readonly secret: boolean }[])[]): void {
    for (const { value, secret } of groups.flat()) if (secret) this.#parts.output.mask.add(value);
  }
}

export function notLoaded(phase: string): AgentFailure {
  return new AgentFailure('NOT_LOADED', `${phase} needs Load first`);
}

function unsupported(phase: string): AgentFailure {
  return new AgentFailure('NOT_SUPPORTED', `this agent cannot ${phase} the service`);
}
