/**
 * What of an instance runs: the generation of processes that the latest Start made, how it fares, and how it is stopped.
 *
 *   none ── begin ──▶ starting ── settle ──▶ running ── a process ends ──▶ ended
 *                        │                     │
 *                        └────── stop ─────────┴──────▶ stopped
 *
 * A service ends when one of its processes ends without success, or when all of them have ended.
 */
import type { Failure } from '../../gen/skein/base/v1/status_pb.js';
import { InstanceState } from '../../gen/skein/runtime/v1/runtime_pb.js';
import type { Exit } from '../../processes/index.ts';
import { agentLog } from './agent-log.ts';
import { Deadline } from './deadline.ts';
import type { Happening } from './events.ts';
import { AgentFailure, exitText } from './failure.ts';
import type { CommandOutcome, StopResult, Supervised } from './supervision.ts';

type Standing = 'starting' | 'running' | 'stopping' | 'stopped' | 'ended';

interface Generation {
  readonly number: number;
  readonly processes: Supervised[];
  /** Ends known before the start was answered; reported afterwards, for RUNNING comes first. */
  readonly early: CommandOutcome[];
  standing: Standing;
  succeeded: number;
}

/** What remains of a service that ended by itself, or could not be started. */
export interface Ending {
  readonly failure: Failure | undefined;
  readonly exit: { readonly exit: Exit; readonly pid: number } | undefined;
}

/** How long the remaining processes of a service may take to follow one that failed. */
const remainderGraceMs = 5_000;

export class Generations {
  readonly #report: (generation: number, happening: Happening) => void;
  readonly #failureOf: (error: unknown) => Failure;
  #current: Generation | undefined;
  #count = 0;
  #ending: Ending | undefined;
  #state: InstanceState = InstanceState.UNSPECIFIED;

  /** `describe` makes a failure of what was thrown, without secrets. */
  constructor(
    report: (generation: number, happening: Happening) => void,
    describe: (error: unknown) => Failure,
  ) {
    this.#report = report;
    this.#failureOf = describe;
  }

  get number(): number {
    return this.#count;
  }

  get state(): InstanceState {
    return this.#state;
  }

  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Whether something runs, is being started, or is being stopped. */
  get isLive(): boolean {
    const standing = this.#current?.standing;
    return standing === 'starting' || standing === 'running' || standing === 'stopping';
  }

  /** Whether the latest Start was done, and nothing that it made has ended by itself or was stopped. */
  get isRunning(): boolean {
    return (
      this.#current?.standing === 'running' &&
      this.#current.processes.every((process) => process.exit === undefined)
    );
  }

  /** LOADED and INITIALIZED are no news while an earlier generation still runs. */
  prepared(state: InstanceState): void {
    if (!this.isLive) this.#become(state);
  }

  /** @returns the new generation's number */
  begin(): number {
    this.#count += 1;
    this.#ending = undefined;
    this.#current = { number: this.#count, processes: [], early: [], standing: 'starting', succeeded: 0 };
    return this.#count;
  }

  /** @throws {AgentFailure} NOT_STARTING outside a start */
  requireStarting(): number {
    if (this.#current?.standing === 'starting') return this.#current.number;
    throw new AgentFailure(
      'NOT_STARTING',
      'a process can be supervised only while its service is being started',
    );
  }

  /** Makes a process part of the generation that is being started; `false` where that is no longer so. */
  adopt(number: number, process: Supervised): boolean {
    const generation = this.#current;
    if (generation?.number !== number || generation.standing !== 'starting') return false;
    generation.processes.push(process);
    process.ended.then(
      (outcome) => this.#processEnded(generation, outcome),
      (error: unknown) => this.#fail(generation, this.#failureOf(error), undefined),
    );
    return true;
  }

  /** The start was done. */
  settle(): void {
    const generation = this.#current;
    if (generation?.standing !== 'starting') return;
    generation.standing = 'running';
    this.#become(InstanceState.RUNNING);
    for (const outcome of generation.early.splice(0)) this.#processEnded(generation, outcome);
  }

  /** The start was not done: what it made is killed, and unless somebody wanted that, the service has failed. */
  async abandon(error: unknown, wanted: boolean): Promise<void> {
    const generation = this.#current;
    if (generation?.standing !== 'starting') return;
    if (wanted) {
      using deadline = new Deadline(remainderGraceMs);
      await this.stop(deadline);
    } else {
      await this.#fail(generation, this.#failureOf(error), undefined);
    }
  }

  /** A process that the SDK does not supervise ended, or the service cannot go on. */
  endElsewhere(ending: { readonly exit: Exit; readonly lastLines: readonly string[] } | AgentFailure): void {
    const generation = this.#current;
    if (generation === undefined || !this.isLive || generation.standing === 'stopping') return;
    if (ending instanceof AgentFailure) void this.#fail(generation, this.#failureOf(ending), undefined);
    else this.#processEnded(generation, { ...ending, pid: 0 });
  }

  /**
   * Stops every process of the present generation and waits until their groups are empty, also where it has ended by
   * itself (T-5); says STOPPED when that is done. No earlier one has anything left: a Start waits for this first.
   */
  async stop(deadline: Deadline): Promise<StopResult> {
    const generation = this.#current;
    if (generation === undefined) return 'stopped';
    const wasLive = this.isLive;
    if (wasLive) generation.standing = 'stopping';
    const result = worst(
      await Promise.all(generation.processes.map((process) => stopEntirely(process, deadline))),
    );
    if (wasLive && generation.standing === 'stopping' && result !== 'timed-out') {
      generation.standing = 'stopped';
      const exited = generation.processes.find((process) => process.exit !== undefined);
      if (exited?.exit) this.#ending = { failure: undefined, exit: { exit: exited.exit, pid: exited.pid } };
      if (generation === this.#current) this.#become(InstanceState.STOPPED);
    }
    return result;
  }

  /** The processes that now run, for StartResponse. */
  get processes(): readonly Supervised[] {
    return this.#current?.processes ?? [];
  }

  #processEnded(generation: Generation, outcome: CommandOutcome): void {
    if (generation.standing === 'starting') {
      generation.early.push(outcome);
      return;
    }
    if (generation.standing !== 'running') return;
    const { exit, pid, lastLines } = outcome;
    if (exit.kind !== 'exited' || exit.code !== 0) {
      const failure = new AgentFailure('PROCESS_FAILED', `the process ${exitText(exit)}`, {
        exit,
        pid,
        lastLines,
      });
      void this.#fail(generation, this.#failureOf(failure), { exit, pid });
      return;
    }
    generation.succeeded += 1;
    if (generation.succeeded < generation.processes.length) return;
    generation.standing = 'ended';
    this.#ending = { failure: undefined, exit: { exit, pid } };
    this.#become(InstanceState.COMPLETED);
  }

  /** Says so at once, then takes away what is left. */
  async #fail(generation: Generation, failure: Failure, exit: Ending['exit']): Promise<void> {
    if (generation.standing !== 'starting' && generation.standing !== 'running') return;
    generation.standing = 'ended';
    this.#ending = { failure, exit };
    this.#become(InstanceState.FAILED);
    using deadline = new Deadline(remainderGraceMs);
    const stops = await Promise.allSettled(generation.processes.map((process) => process.stop(deadline)));
    for (const stop of stops)
      if (stop.status === 'rejected')
        agentLog('error', 'a process of a failed service could not be stopped', stop.reason);
  }

  #become(state: InstanceState): void {
    if (state === this.#state && state !== InstanceState.RUNNING) return;
    this.#state = state;
    // What an earlier process left behind is no part of LOADED, INITIALIZED and RUNNING.
    const { failure, exit } = (state >= InstanceState.COMPLETED && this.#ending) || {};
    this.#report(this.#count, { kind: 'state', state, ...(failure && { failure }), ...(exit && { exit }) });
  }
}

/** What outlives SIGKILL may never end, and is not waited for. */
async function stopEntirely(process: Supervised, deadline: Deadline): Promise<StopResult> {
  const result = await process.stop(deadline);
  if (result !== 'timed-out') await process.settled();
  return result;
}

/** The result that promises least. */
export function worst(results: readonly StopResult[]): StopResult {
  if (results.includes('timed-out')) return 'timed-out';
  return results.includes('forced') ? 'forced' : 'stopped';
}
