/**
 * The lives of the services: carries out the playbook's actions with the runners, takes what agents tell of what runs,
 * and turns both into events, readiness and failures.
 */
import { type ErrorCode, SkeinError } from '../errors/index.ts';
import { addressesOf } from './addresses.ts';
import type { FailureReport, ServiceState } from './events.ts';
import { asSkeinError, describeEnd, failureReport } from './failure-report.ts';
import { type Hub, type HubListener, type Member, noProcess } from './hub.ts';
import type { NewsItem } from './instance-news.ts';
import type { Action, ActionResult, Dispatcher } from './playbook/index.ts';
import type { RunReadiness } from './run-readiness.ts';
import { NotYet } from './runner.ts';
import { endService, forceService } from './service-end.ts';
import { failureOf, toldToStop, wanted, wantedAgain } from './standing.ts';
import type { Turns } from './turns.ts';
import type { World } from './world.ts';

export interface LifecycleOptions {
  readonly world: World;
  readonly hub: () => Hub;
  readonly readiness: () => RunReadiness;
  readonly dispatcher: () => Dispatcher;
  /** Of those who stop and start single services; what ends here by itself takes its turn among them. */
  readonly turns: Turns;
  /** The run is ending: what happens to services is no failure any more. */
  readonly isEnding: () => boolean;
  readonly wasReady: () => boolean;
  /** A service failed; the run decides what that means for it (F-9). */
  readonly onFailure: (error: SkeinError) => void;
}

export class Lifecycle implements HubListener {
  readonly #options: LifecycleOptions;
  readonly #world: World;

  constructor(options: LifecycleOptions) {
    this.#options = options;
    this.#world = options.world;
  }

  /** The playbook's executor; a failure is the service's own (F-4), and never thrown. */
  async execute(action: Action, signal: AbortSignal): Promise<ActionResult> {
    const member = this.#options.hub().member(action.service as Member['service']['id']);
    member.standing = wanted;
    try {
      return { outcome: 'done', hash: await this.#perform(member, action, signal) };
    } catch (error) {
      // Cancelled because the run ends: not the service's failure.
      if (signal.aborted) return { outcome: 'failed', retryable: false };
      // Told to stop, or found to be ill, in the middle of it.
      if (isToldToStop(member)) return { outcome: 'failed', retryable: false };
      if (member.standing.kind === 'failed') return { outcome: 'failed', retryable: retries(member) };
      if (error instanceof NotYet) {
        this.#prepares(member, 'waiting', error.message);
        return { outcome: 'failed', retryable: true };
      }
      const fault = asSkeinError(error, member.service.id, action.phase);
      const report = failureReport(fault, member.service.id, action.phase);
      if (runs(member) && action.phase !== 'start' && !this.#options.hub().hasLostAgent(member.service.id)) {
        this.#world.history.emit({ type: 'reload-failed', service: member.service.id, failure: report });
        return { outcome: 'kept' };
      }
      this.#failed(member, report, fault);
      // A Start that failed before it replaced what runs.
      if (runs(member)) await this.#end(member);
      return { outcome: 'failed', retryable: retries(member) };
    }
  }

  #perform(member: Member, action: Action, signal: AbortSignal): Promise<string | null> {
    switch (action.phase) {
      case 'load':
        return this.#load(member, signal);
      case 'init':
        return this.#init(member, action.round, signal);
      case 'start':
        return this.#start(member, action.round, signal);
      default:
        throw new Error(`no runner does ${action.phase}`);
    }
  }

  async #load(member: Member, signal: AbortSignal): Promise<string> {
    this.#prepares(member, 'loading');
    return await member.runner.load(signal);
  }

  async #init(member: Member, round: number, signal: AbortSignal): Promise<string> {
    const { service, runner } = member;
    this.#prepares(member, 'initializing');
    const hash = await runner.init(round, signal);
    const mappings = this.#world.state.published(service.id)?.mappings ?? [];
    this.#world.history.emit({
      type: 'addresses',
      service: service.id,
      addresses: addressesOf(service, mappings),
    });
    this.#options.readiness().addressed(service, mappings);
    this.#prepares(member, 'waiting');
    return hash;
  }

  async #start(member: Member, round: number, signal: AbortSignal): Promise<null> {
    const { service, runner, news } = member;
    // What runs is said to run until its agent has replaced it.
    if (!runs(member)) this.#starting(member);
    news.starting();
    const started = await runner.start(round, signal).catch((error: unknown) => {
      news.notStarted();
      throw error;
    });
    if (isSpared(member, started.generation)) {
      news.started(started.generation);
      return null;
    }
    if (runs(member)) this.#starting(member);
    member.process = { kind: 'running', generation: started.generation };
    this.#world.history.emit({
      type: 'process-started',
      service: service.id,
      pid: started.pid,
      restart: started.isRestart,
    });
    this.#become(member, 'running');
    const { mappings, environment, processGroups } = started;
    this.#options.readiness().started(service, mappings, environment, processGroups);
    news.started(started.generation);
    return null;
  }

  #starting(member: Member): void {
    member.process = noProcess;
    this.#become(member, 'starting');
    this.#options.readiness().starting(member.service);
  }

  heard(member: Member, item: NewsItem): void {
    const { id } = member.service;
    const { history } = this.#world;
    if (item.type === 'completed' || item.type === 'failed' || item.type === 'stopped')
      member.process = noProcess;
    switch (item.type) {
      case 'desired':
        this.#desired(member, item.phase, item.cause);
        break;
      case 'replaced':
        if (item.end !== null) history.emit({ type: 'process-ended', service: id, end: item.end });
        if (runs(member)) this.#starting(member);
        break;
      case 'use':
        history.emit({ type: 'resource-use', service: id, cpuMs: item.cpuMs, memoryBytes: item.memoryBytes });
        break;
      case 'ready-hint':
        this.#options.readiness().hint(id);
        break;
      case 'stopped':
        if (item.end !== null) history.emit({ type: 'process-ended', service: id, end: item.end });
        // Where nobody told it to, somebody else did: it has ended all the same.
        if (member.standing.kind === 'wanted') this.#completed(member);
        break;
      case 'completed':
        if (item.end !== null) history.emit({ type: 'process-ended', service: id, end: item.end });
        this.#completed(member);
        break;
      case 'failed':
        if (item.report.exit !== null)
          history.emit({ type: 'process-ended', service: id, end: item.report.exit });
        this.#crashed(member, item.report);
        break;
    }
  }

  /** Its process is to be another one: ends the one that runs. Does not reject. */
  async endForRestart(member: Member): Promise<void> {
    if (!runs(member)) return;
    member.standing = toldToStop(member.standing);
    this.#options.dispatcher().tell({ type: 'hold', service: member.service.id });
    this.#become(member, 'stopping', 'it is started again');
    await this.#end(member);
  }

  /** It is to be up again: until its Start begins it waits, and what was known of it before counts no more (F-21). */
  wantedAgain(member: Member): void {
    member.standing = wantedAgain(member.standing);
    if (runs(member)) return;
    this.#become(member, 'waiting');
    this.#options.readiness().starting(member.service);
  }

  /** A probe of its liveness failed: it is stopped, and its restart policy says what follows. */
  unhealthy(member: Member, why: string): void {
    const { service, standing } = member;
    if (standing.kind !== 'wanted' || !runs(member) || this.#options.isEnding()) return;
    const fault = new SkeinError(this.#endedCode(), `${service.id} is not healthy: ${why}`, {
      place: { service: service.id, phase: 'health' },
      lastLines: this.#world.options.lastLines(service),
    });
    const report = failureReport(fault, service.id, 'health');
    member.standing = { kind: 'failed', report };
    this.#become(member, 'stopping', report.message);
    this.#options.readiness().ended(service, report.message, 'runner');
    // Nothing more is done with it until it has ended.
    this.#options.dispatcher().tell({ type: 'hold', service: service.id });
    this.#inTurn(member, async () => {
      await this.#end(member);
      // Told to stop in the meantime, it is taken down by those who told it.
      if (isToldToStop(member) || this.#options.isEnding()) return;
      this.#become(member, 'failed', report.message, report);
      this.#options.onFailure(fault);
      const retryable = retries(member);
      this.#options
        .dispatcher()
        .tell({ type: 'crashed', service: service.id, phase: 'start', retryable, wasHeld: true });
    });
  }

  /** Among those who stop and start the service. What goes wrong there would be a bug, and ends the run. */
  #inTurn(member: Member, work: () => Promise<void>): void {
    const { id } = member.service;
    this.#options.turns.take([id], work).catch((bug: unknown) => {
      this.#options.onFailure(asSkeinError(bug, id, 'run'));
    });
  }

  /** What is not as it should be does not run on while it waits to be tried again. */
  async #end(member: Member): Promise<void> {
    const mayRun = await endService(member);
    if (mayRun !== undefined) this.#world.warn(member.service.id, 'stop', `it may still run: ${mayRun}`);
  }

  #endedCode(): 'SK1401' | 'SK1406' {
    return this.#options.wasReady() ? 'SK1406' : 'SK1401';
  }

  #tellCrashed(member: Member, phase: 'load' | 'start', retryable = retries(member)): void {
    if (this.#options.isEnding()) return;
    this.#options.dispatcher().tell({ type: 'crashed', service: member.service.id, phase, retryable });
  }

  /** It failed as often in a row as it may; it stays so until it is asked for, or its sources change (F-16). */
  gaveUp(member: Member, attempts: number): void {
    const { service } = member;
    if (isToldToStop(member) || this.#options.isEnding()) return;
    const last =
      failureOf(member.standing) ?? this.#endedWell(member, 'SK1406', `${service.id} ended with status 0`);
    const cause = `it ended ${attempts} times in a row, and is not started again by itself`;
    const report = { ...last, message: `${last.message}; ${cause}` };
    member.standing = { kind: 'failed', report };
    this.#become(member, 'crash-looping', cause, report);
    this.#options.readiness().ended(service, `crash-looping: ${report.message}`, 'runner');
  }

  #desired(member: Member, phase: 'load' | 'init' | 'start', cause: string): void {
    if (isToldToStop(member) || this.#options.isEnding()) return;
    const { id } = member.service;
    this.#world.history.emit({ type: 'reload', service: id, phase, cause });
    // After what is being ended of it has ended.
    this.#inTurn(member, () => {
      if (!isToldToStop(member)) this.#options.dispatcher().tell({ type: 'reenter', service: id, phase });
      return Promise.resolve();
    });
  }

  agentLost(member: Member, fault: SkeinError): void {
    const { id } = member.service;
    member.process = noProcess;
    const isOver = this.#world.history.snapshot.services.get(id)?.state === 'completed';
    // What has ended, or was stopped, does not run again because its agent is gone; its next Start begins at Load.
    if (this.#options.isEnding() || isToldToStop(member) || isOver) return;
    this.#failed(member, failureReport(fault, id, 'agent'), fault);
    this.#inTurn(member, () => this.#afterAgent(member));
  }

  /** What an agent left running is stopped from here; then a fresh one is told everything again. */
  async #afterAgent(member: Member): Promise<void> {
    const { id } = member.service;
    const mayRun = await forceService(member);
    if (mayRun !== undefined)
      this.#world.warn(id, 'agent', `its agent is gone and it may still run: ${mayRun}`);
    this.#tellCrashed(member, 'load');
  }

  #completed(member: Member): void {
    const { service } = member;
    // What is being ended already ends as it was told to.
    if (member.standing.kind !== 'wanted' || this.#options.isEnding()) return;
    const readiness = this.#options.readiness();
    if (service.kind === 'service' && !readiness.isServiceReady(service.id)) {
      // What ends before it was ready can never become so.
      const lacking = readiness.ownUnmet(service.id)?.endpoint ?? service.id;
      const message = `${service.id} ended with status 0 before ${lacking} was ready`;
      this.#crashed(member, this.#endedWell(member, 'SK1401', message));
      return;
    }
    this.#become(member, 'completed', 'its process has ended');
    if (service.kind === 'job') readiness.completed(service);
    else readiness.ended(service, 'its process has ended', 'lifecycle');
    if (service.restart.policy === 'always') this.#tellCrashed(member, 'start', true);
  }

  /** Of a process whose end is wrong although it ended with success. */
  #endedWell({ service }: Member, code: ErrorCode, message: string): FailureReport {
    return {
      code,
      message,
      service: service.id,
      phase: 'start',
      remedy: null,
      lastLines: this.#world.options.lastLines(service),
      exit: { kind: 'exited', code: 0 },
    };
  }

  #crashed(member: Member, report: FailureReport): void {
    const { id } = member.service;
    if (member.standing.kind !== 'wanted' || this.#options.isEnding()) return;
    const isExitStatus = report.exit !== null && report.exit.kind === 'exited' && report.exit.code === 0;
    const message =
      report.exit === null || isExitStatus ? report.message : `${id} ${describeEnd(report.exit)}`;
    const fault = new SkeinError(this.#endedCode(), message, {
      place: { service: id, phase: report.phase ?? 'run' },
      lastLines: report.lastLines,
      ...(report.remedy !== null && { remedy: report.remedy }),
    });
    this.#failed(member, report, fault);
    this.#tellCrashed(member, 'start');
  }

  #failed(member: Member, report: FailureReport, fault: SkeinError): void {
    const { service } = member;
    // The death of an agent fails the call under way too: one failure, told once.
    if (member.standing.kind !== 'wanted') return;
    member.standing = { kind: 'failed', report };
    this.#become(member, 'failed', report.message, report);
    this.#options.readiness().ended(service, report.message, 'runner');
    this.#options.onFailure(fault);
  }

  /** What runs goes on running while it is prepared anew, and is said to. */
  #prepares(member: Member, state: 'loading' | 'initializing' | 'waiting', cause = ''): void {
    if (!runs(member)) this.#become(member, state, cause);
  }

  #become({ service }: Member, state: ServiceState, cause = '', failure?: FailureReport): void {
    this.#world.history.emit({
      type: 'service-state',
      service: service.id,
      state,
      cause,
      ...(failure && { failure }),
    });
  }
}

function runs({ process }: Member): boolean {
  return process.kind === 'running';
}

/** The agent kept the process that ran (N-9). One that does not count its processes is taken to have replaced it. */
function isSpared({ process }: Member, generation: bigint): boolean {
  return process.kind === 'running' && generation > 0n && process.generation === generation;
}

function isToldToStop({ standing }: Member): boolean {
  return standing.kind === 'told-to-stop';
}

/** Whether a failed service is tried again (F-9). */
function retries(member: Member): boolean {
  return member.service.restart.policy !== 'never' && !isToldToStop(member);
}
