/** The life of one probed requirement: when its probe runs, and what its outcomes mean. */
import type { Clock } from '../clock.ts';
import { failed, noAnswer, type ProbeResult } from './attempt.ts';
import { attemptTimeoutMs, type Probe } from './probe.ts';
import type { RequirementState } from './state.ts';
import type { ProbeAddress, Watched } from './target.ts';

const FIRST_RETRY_MS = 25;
const LONGEST_RETRY_MS = 500;
/** Slow enough to be cheap, fine enough that a service is seen within a third of the time that it took to start. */
const RETRY_GROWTH = 1.3;
const FIRST_WATCH_MS = 1_000;
const LONGEST_WATCH_MS = 30_000;
const WATCH_GROWTH = 2;
/** What holds is not revoked by one lost packet or one hiccup: a second attempt, 25 ms later, decides. */
const FAILURES_TO_REVOKE = 2;

export interface WatchSurroundings {
  readonly clock: Clock;
  readonly probe: Probe;
  /** Whether the listener table can stand in for the probes of what holds. */
  tableUsable(): boolean;
  changed(watch: RequirementWatch, from: RequirementState): void;
}

/**
 * What it does at the moment:
 *
 *     probing ──failed──▶ waiting (25 ms … 500 ms) ──▶ probing
 *        │ ok
 *        ├── native TCP, and the table is readable ──▶ resting ──gone from the table──▶ probing
 *        └── else ──▶ waiting (1 s … 30 s) ──▶ probing
 */
type Step =
  | { readonly kind: 'probing'; readonly abort: AbortController; readonly limit: Disposable; again: boolean }
  | { readonly kind: 'waiting'; readonly timer: Disposable }
  | { readonly kind: 'resting' }
  | { readonly kind: 'closed' };

/** What the listener table says of the address. */
type TableView =
  | 'unseen'
  | 'seen'
  /** It holds, and is not there: a probe has to explain that. */
  | 'lost'
  | 'never-there'
  /** It answers although it is never there (a forwarded port): the table says nothing of it. */
  | 'blind';

/** Owns the timer and the attempt of one requirement. */
export class RequirementWatch {
  readonly subject: Watched;
  readonly address: ProbeAddress | undefined;
  readonly #surroundings: WatchSurroundings;
  #state: RequirementState;
  #startingSinceMs: number;
  #step: Step = { kind: 'resting' };
  #table: TableView = 'unseen';
  #failures = 0;
  #retryMs = FIRST_RETRY_MS;
  #watchMs = FIRST_WATCH_MS;

  constructor(subject: Watched, surroundings: WatchSurroundings) {
    this.subject = subject;
    this.address = subject.target.predicate === 'command' ? undefined : subject.target;
    this.#surroundings = surroundings;
    this.#startingSinceMs = surroundings.clock.now();
    this.#state = { kind: 'unknown', sinceMs: this.#startingSinceMs };
  }

  get state(): RequirementState {
    return this.#state;
  }

  get native(): boolean {
    return this.subject.native;
  }

  /** Since when it has been on its way to hold, or on its way back. */
  get startingSinceMs(): number {
    return this.#startingSinceMs;
  }

  /** Reading the listener table is of use to it. */
  get inTable(): boolean {
    return this.native && this.#table !== 'blind';
  }

  /** Probes at once; during an attempt: again at once if that one fails. */
  probeNow(): void {
    switch (this.#step.kind) {
      case 'closed':
        return;
      case 'probing':
        this.#step.again = true;
        return;
      case 'waiting':
        this.#step.timer[Symbol.dispose]();
        this.#attempt();
        return;
      case 'resting':
        this.#attempt();
    }
  }

  /** Takes what a read of the listener table that began at `asOfMs` says of the address. */
  sweep(listening: boolean, asOfMs: number): void {
    const holds = this.#state.kind === 'holding';
    if (listening) {
      if (this.#table === 'seen') return;
      this.#table = 'seen';
      if (!holds) {
        this.#retryMs = FIRST_RETRY_MS;
        this.probeNow();
      } else if (this.#step.kind === 'waiting' && this.#restsOnTable()) {
        this.#step.timer[Symbol.dispose]();
        this.#step = { kind: 'resting' };
      }
      return;
    }
    if (this.#table === 'blind') return;
    if (!holds) {
      this.#table = 'unseen';
      return;
    }
    // A read that began before the port was bound says nothing of it.
    if (this.#step.kind === 'probing' || asOfMs <= this.#state.sinceMs) return;
    this.#table = this.#table === 'seen' ? 'lost' : 'never-there';
    this.probeNow();
  }

  /** The listener table is no longer readable: what rests on it is probed again. */
  tableLost(): void {
    if (this.#step.kind === 'resting') this.#watch();
  }

  /** Ends the attempt and the timer; nothing happens afterwards. */
  close(): void {
    if (this.#step.kind === 'waiting') this.#step.timer[Symbol.dispose]();
    if (this.#step.kind === 'probing') endAttempt(this.#step);
    this.#step = { kind: 'closed' };
  }

  #attempt(): void {
    const { clock, probe } = this.#surroundings;
    const timeoutMs = attemptTimeoutMs(this.subject.target);
    const abort = new AbortController();
    const settle = (result: ProbeResult): void => {
      if (this.#step !== step) return;
      endAttempt(step);
      this.#settle(result, step.again);
    };
    const limit = clock.setTimeout(() => settle(failed(noAnswer(timeoutMs))), timeoutMs);
    const step: Extract<Step, { kind: 'probing' }> = { kind: 'probing', abort, limit, again: false };
    this.#step = step;
    probe(this.subject.target, { signal: abort.signal, timeoutMs }).then(settle, (error: unknown) =>
      settle(failed(`the probe itself failed: ${error instanceof Error ? error.message : String(error)}`)),
    );
  }

  #settle(result: ProbeResult, again: boolean): void {
    const held = this.#state.kind === 'holding';
    if (result.ok) this.#succeeded(held, result.note);
    else {
      this.#failures += 1;
      if (!held || this.#failures >= FAILURES_TO_REVOKE) this.#failed(held, result.error);
      // Whoever heard of the change may have closed the watch.
      if (this.#step.kind === 'closed') return;
      if (again) this.#attempt();
      else this.#retry();
    }
  }

  #succeeded(held: boolean, note: string | undefined): void {
    this.#failures = 0;
    this.#retryMs = FIRST_RETRY_MS;
    if (held) {
      // Bound again between the read and the probe, perhaps: only the next miss makes it blind.
      if (this.#table === 'lost') this.#table = 'unseen';
      else if (this.#table === 'never-there') this.#table = 'blind';
    } else {
      this.#watchMs = FIRST_WATCH_MS;
      this.#become({
        kind: 'holding',
        sinceMs: this.#surroundings.clock.now(),
        ...(note !== undefined && { note }),
      });
      if (this.#step.kind === 'closed') return;
    }
    this.#watch();
  }

  #failed(held: boolean, lastError: string): void {
    const now = this.#surroundings.clock.now();
    if (held) {
      this.#startingSinceMs = now;
      this.#retryMs = FIRST_RETRY_MS;
      if (this.#table !== 'blind') this.#table = 'unseen';
    }
    this.#become({ kind: 'failing', lastError, sinceMs: held ? now : this.#state.sinceMs });
  }

  #become(state: RequirementState): void {
    const from = this.#state;
    this.#state = state;
    const sameError =
      from.kind === 'failing' && state.kind === 'failing' && from.lastError === state.lastError;
    if (!sameError) this.#surroundings.changed(this, from);
  }

  #retry(): void {
    this.#wait(this.#retryMs);
    this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * RETRY_GROWTH);
  }

  #watch(): void {
    if (this.#restsOnTable()) {
      this.#step = { kind: 'resting' };
      return;
    }
    this.#wait(this.#watchMs);
    this.#watchMs = Math.min(LONGEST_WATCH_MS, this.#watchMs * WATCH_GROWTH);
  }

  #restsOnTable(): boolean {
    return (
      this.subject.target.predicate === 'tcp-connect' && this.inTable && this.#surroundings.tableUsable()
    );
  }

  #wait(delayMs: number): void {
    this.#step = {
      kind: 'waiting',
      timer: this.#surroundings.clock.setTimeout(() => this.#attempt(), delayMs),
    };
  }
}

function endAttempt({ abort, limit }: { readonly abort: AbortController; readonly limit: Disposable }): void {
  limit[Symbol.dispose]();
  abort.abort(new Error('the attempt is over'));
}
