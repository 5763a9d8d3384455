/** The course of a run from its plan to its receipt: ready, not ready any more, failed, at its end. */
import { SkeinError } from '../errors/index.ts';
import type { Clock } from './clock.ts';
import type { Receipt } from './events.ts';
import { failureReport } from './failure-report.ts';
import type { RunHistory } from './history.ts';
import { ReadyWaiters } from './ready-waiters.ts';

/** How far the run is; each state carries what is true in it. */
type Stage =
  | { readonly kind: 'planned' }
  | { readonly kind: 'coming-up'; readonly deadline: Disposable }
  /** It was ready at least once; whether it is now, readiness says. */
  | { readonly kind: 'was-ready' }
  /** `failure`: why it could not go on; `null` where it was told to stop. */
  | { readonly kind: 'ending'; readonly failure: SkeinError | null; readonly receipt: Promise<Receipt> };

export interface CourseOptions {
  readonly history: RunHistory;
  readonly clock: Clock;
  /** Milliseconds from the beginning to the first readiness. */
  readonly readinessTimeoutMs: number;
  /** The run's failure when it is not ready by then. */
  readonly overdue: () => SkeinError;
  /** Takes down all that there is and lets go of what the run holds; called once, and does not reject. */
  readonly tearDown: (budgetMs: number | undefined) => Promise<Receipt>;
}

export class Course {
  /** Resolves when the run has ended. */
  readonly ended: Promise<Receipt>;
  readonly #options: CourseOptions;
  readonly #waiters = new ReadyWaiters();
  readonly #over = new AbortController();
  #stage: Stage = { kind: 'planned' };
  #resolveEnded: (receipt: Receipt) => void = () => undefined;

  constructor(options: CourseOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  get wasReady(): boolean {
    return this.#stage.kind === 'was-ready';
  }

  /** Aborted when the run ends. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get isEnding(): boolean {
    return this.#stage.kind === 'ending';
  }

  /** Called once; one that was ended before does not begin. */
  begin(): void {
    if (this.#stage.kind !== 'planned') return;
    const { history, clock, readinessTimeoutMs, overdue } = this.#options;
    history.emit({ type: 'run-state', state: 'starting', cause: '' });
    const deadline = clock.setTimeout(() => this.fail(overdue()), readinessTimeoutMs);
    this.#stage = { kind: 'coming-up', deadline };
  }

  /** Every requirement holds. */
  becameReady(): void {
    if (this.isEnding) return;
    this.#endDeadline();
    this.#stage = { kind: 'was-ready' };
    this.#options.history.emit({ type: 'run-state', state: 'ready', cause: '' });
    this.#waiters.resolve();
  }

  /** More is required from now on than before, and not all of it holds yet (F-17). */
  grow(cause: string): void {
    if (this.wasReady) this.#options.history.emit({ type: 'run-state', state: 'starting', cause });
  }

  /** One that held does not hold any more. */
  degraded(cause: string): void {
    if (!this.isEnding) this.#options.history.emit({ type: 'run-state', state: 'degraded', cause });
  }

  /**
   * Resolves when the run is ready: at once, if `isReady` says that it is.
   * @throws {SkeinError} the run's failure; SK1404 when it is stopped before; the reason of `signal`
   */
  async waitReady(isReady: boolean, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#stage.kind === 'ending') throw this.#stage.failure ?? stoppedEarly();
    if (!isReady) await this.#waiters.wait(signal);
  }

  /** The run cannot go on: says why, and ends it. */
  fail(error: SkeinError): void {
    if (this.isEnding) return;
    void this.#end('failure', error);
    const { history } = this.#options;
    const report = failureReport(error, null, null);
    const culprit = report.service === null ? undefined : history.snapshot.services.get(report.service);
    const failure = { ...report, exit: culprit?.exit ?? null };
    history.emit({ type: 'run-state', state: 'failed', cause: error.message, failure });
    this.#waiters.reject(error);
  }

  /** Ends the run; called again, it joins the end under way. `budgetMs` absent: as the run was told. */
  end(cause: string, budgetMs?: number): Promise<Receipt> {
    return this.#end(cause, null, budgetMs);
  }

  #end(cause: string, failure: SkeinError | null, budgetMs?: number): Promise<Receipt> {
    if (this.#stage.kind === 'ending') return this.#stage.receipt;
    this.#endDeadline();
    // Once what is being told has been told.
    const receipt = Promise.resolve().then(() => this.#takeDown(cause, budgetMs));
    this.#stage = { kind: 'ending', failure, receipt };
    this.#over.abort(failure ?? stoppedEarly());
    return receipt;
  }

  async #takeDown(cause: string, budgetMs: number | undefined): Promise<Receipt> {
    const { history, tearDown } = this.#options;
    this.#waiters.reject(stoppedEarly());
    history.emit({ type: 'run-state', state: 'stopping', cause });
    const receipt = await tearDown(budgetMs);
    history.emit({ type: 'receipt', receipt });
    history.emit({ type: 'run-state', state: 'stopped', cause });
    this.#resolveEnded(receipt);
    return receipt;
  }

  #endDeadline(): void {
    if (this.#stage.kind === 'coming-up') this.#stage.deadline[Symbol.dispose]();
  }
}

/** Why nobody needs to wait any more. */
export function stoppedEarly(): SkeinError {
  return new SkeinError('SK1404', 'the run was stopped before it was ready');
}
