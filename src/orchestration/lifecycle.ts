/**
 * The lives of the services: carries out the playbook's actions with the runners, takes what agents tell of what runs,
 * and turns both into events, readiness and failures.
 */
import { SkeinError } from '../errors/index.ts';
import { addressesOf } from './addresses.ts';
import type { FailureReport, ServiceState } from './events.ts';
import { asSkeinError, describeEnd, failureReport } from './failure-report.ts';
import type { Hub, HubListener, Member } from './hub.ts';
import type { NewsItem } from './instance-news.ts';
import type { Action, ActionResult, Dispatcher } from './playbook/index.ts';
import type { RunReadiness } from './run-readiness.ts';
import { NotYet } from './runner.ts';
import { wanted } from './standing.ts';
import { FORCE_BUDGET_MS } from './teardown/index.ts';
import type { World } from './world.ts';

export interface LifecycleOptions {
  readonly world: World;
  readonly hub: () => Hub;
  readonly readiness: () => RunReadiness;
  readonly dispatcher: () => Dispatcher;
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
      // Told to stop in the middle of it.
      if (isToldToStop(member)) return { outcome: 'failed', retryable: false };
      if (error instanceof NotYet) {
        this.#become(member, 'waiting', error.message);
        return { outcome: 'failed', retryable: true };
      }
      const fault = asSkeinError(error, member.service.id, action.phase);
      this.#failed(member, failureReport(fault, member.service.id, action.phase), fault);
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
    this.#become(member, 'loading');
    return await member.runner.load(signal);
  }

  async #init(member: Member, round: number, signal: AbortSignal): Promise<string> {
    const { service, runner } = member;
    this.#become(member, 'initializing');
    const hash = await runner.init(round, signal);
    const mappings = this.#world.state.published(service.id)?.mappings ?? [];
    this.#world.history.emit({
      type: 'addresses',
      service: service.id,
      addresses: addressesOf(service, mappings),
    });
    this.#options.readiness().addressed(service, mappings);
    this.#become(member, 'waiting');
    return hash;
  }

  async #start(member: Member, round: number, signal: AbortSignal): Promise<null> {
    const { service, runner, news } = member;
    this.#become(member, 'starting');
    this.#options.readiness().starting(service);
    news.starting();
    const started = await runner.start(round, signal).catch((error: unknown) => {
      news.notStarted();
      throw error;
    });
    this.#world.history.emit({
      type: 'process-started',
      service: service.id,
      pid: started.pid,
      restart: started.isRestart,
    });
    this.#become(member, 'running');
    this.#options.readiness().started(service, started.mappings, started.environment);
    news.started(started.generation);
    return null;
  }

  heard(member: Member, item: NewsItem): void {
    const { id } = member.service;
    const { history } = this.#world;
    switch (item.type) {
      case 'use':
        history.emit({ type: 'resource-use', service: id, cpuMs: item.cpuMs, memoryBytes: item.memoryBytes });
        break;
      case 'ready-hint':
        this.#options.readiness().hint(id);
        break;
      case 'stopped':
        if (item.end !== null) history.emit({ type: 'process-ended', service: id, end: item.end });
        // Where nobody told it to, somebody else did: it has ended all the same.
        if (!isToldToStop(member)) this.#completed(member);
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

  agentLost(member: Member, fault: SkeinError): void {
    const { id } = member.service;
    const isOver = this.#world.history.snapshot.services.get(id)?.state === 'completed';
    // What has ended, or was stopped, does not run again because its agent is gone; its next Start begins at Load.
    if (this.#options.isEnding() || isToldToStop(member) || isOver) return;
    this.#failed(member, failureReport(fault, id, 'agent'), fault);
    void this.#afterAgent(member);
  }

  /** What an agent left running is stopped from here; then a fresh one is told everything again. */
  async #afterAgent(member: Member): Promise<void> {
    const { id } = member.service;
    const answer = await member.runner
      .force(AbortSignal.timeout(FORCE_BUDGET_MS))
      .catch((error: unknown) => ({
        kind: 'may-run' as const,
        why: error instanceof Error ? error.message : String(error),
      }));
    if (answer.kind === 'may-run')
      this.#world.warn(id, 'agent', `its agent is gone and it may still run: ${answer.why}`);
    if (!this.#options.isEnding())
      this.#options
        .dispatcher()
        .tell({ type: 'crashed', service: id, phase: 'load', retryable: retries(member) });
  }

  #completed(member: Member): void {
    const { service } = member;
    if (isToldToStop(member) || this.#options.isEnding()) return;
    const readiness = this.#options.readiness();
    if (service.kind === 'service' && !readiness.isServiceReady(service.id)) {
      // What ends before it was ready can never become so.
      const lacking = readiness.ownUnmet(service.id)?.endpoint ?? service.id;
      this.#crashed(member, {
        code: 'SK1401',
        message: `${service.id} ended with status 0 before ${lacking} was ready`,
        service: service.id,
        phase: 'start',
        remedy: null,
        lastLines: this.#world.options.lastLines(service),
        exit: { kind: 'exited', code: 0 },
      });
      return;
    }
    this.#become(member, 'completed', 'its process has ended');
    if (service.kind === 'job') readiness.completed(service);
    if (service.restart.policy === 'always')
      this.#options
        .dispatcher()
        .tell({ type: 'crashed', service: service.id, phase: 'start', retryable: true });
  }

  #crashed(member: Member, report: FailureReport): void {
    const { id } = member.service;
    if (isToldToStop(member) || this.#options.isEnding()) return;
    const isExitStatus = report.exit !== null && report.exit.kind === 'exited' && report.exit.code === 0;
    const message =
      report.exit === null || isExitStatus ? report.message : `${id} ${describeEnd(report.exit)}`;
    const fault = new SkeinError(this.#options.wasReady() ? 'SK1406' : 'SK1401', message, {
      place: { service: id, phase: report.phase ?? 'run' },
      lastLines: report.lastLines,
      ...(report.remedy !== null && { remedy: report.remedy }),
    });
    this.#failed(member, report, fault);
    this.#options
      .dispatcher()
      .tell({ type: 'crashed', service: id, phase: 'start', retryable: retries(member) });
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

function isToldToStop({ standing }: Member): boolean {
  return standing.kind === 'told-to-stop';
}

/** Whether a failed service is tried again (F-9). */
function retries(member: Member): boolean {
  return member.service.restart.policy !== 'never' && !isToldToStop(member);
}
