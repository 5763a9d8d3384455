/** The life of one probe: when it runs, and what its outcomes come to. */
import type { Clock } from '../clock.ts';
import { failed, noAnswer, type ProbeResult } from './attempt.ts';
import { Pace } from './pace.ts';
import type { Probe } from './probe.ts';
import type { RequirementState } from './state.ts';
import { isExhausted, newTally, type Tally, tallied } from './tally.ts';
import type { ProbeAddress, Watched } from './target.ts';
import { type Timing, timingOf } from './timing.ts';

export interface WatchSurroundings {
  readonly clock: Clock;
  readonly probe: Probe;
  /** Whether the listener table can stand in for the probes of what holds. */
  tableUsable(): boolean;
  changed(watch: ProbeWatch, from: RequirementState): void;
  /** It has just failed so often in a row as its `failure-threshold` says; not told of readiness, which is revoked. */
  exhausted(watch: ProbeWatch, failures: number, lastError: string): void;
}

/**
 * What it does at the moment, where no interval is declared:
 *
 *     delayed ──▶ probing ──failed──▶ waiting (25 ms … 500 ms) ──▶ probing
 *                    │ ok
 *                    ├── native TCP, and the table is readable ──▶ resting ──gone from the table──▶ probing
 *                    └── else ──▶ waiting (1 s … 30 s) ──▶ probing
 *
 * A declared interval is the only pace: neither the table nor a hint makes it run.
 */
type Step =
  | { readonly kind: 'delayed'; readonly timer: Disposable }
  | {
      readonly kind: 'probing';
      readonly abort: AbortController;
      readonly limit: Disposable;
      readonly beganMs: number;
      again: boolean;
    }
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

/** Owns the timer and the attempt of one probe. */
export class ProbeWatch {
  readonly subject: Watched;
  readonly address: ProbeAddress | undefined;
  readonly #surroundings: WatchSurroundings;
  readonly #timing: Timing;
  readonly #pace: Pace;
  #tally: Tally;
  #state: RequirementState;
  #startingSinceMs: number;
  #step: Step = { kind: 'resting' };
  #table: TableView = 'unseen';
  /** The listening sockets that the table showed last. */
  #sockets = '';

  constructor(subject: Watched, surroundings: WatchSurroundings) {
    this.subject = subject;
    this.address = subject.target.predicate === 'command' ? undefined : subject.target;
    this.#surroundings = surroundings;
    this.#timing = timingOf(subject);
    this.#pace = new Pace(this.#timing.intervalMs);
    // Readiness and the end of a start have to be seen; life is taken for granted.
    this.#tally = newTally(subject.purpose === 'liveness');
    this.#startingSinceMs = surroundings.clock.now();
    this.#state = { kind: 'unknown', sinceMs: this.#startingSinceMs };
  }

  get state(): RequirementState {
    return this.#state;
  }

  /** Whether it minds the listener table at all. */
  get native(): boolean {
    return this.subject.native && !this.#pace.isFixed;
  }

  /** Since when it has been on its way to hold, or on its way back. */
  get startingSinceMs(): number {
    return this.#startingSinceMs;
  }

  /** Reading the listener table is of use to it. */
  get inTable(): boolean {
    return this.native && this.#table !== 'blind';
  }

  /** Begins: the first attempt comes once its initial delay since `startMs`, the service's Start, is over. */
  begin(startMs: number): void {
    const { clock } = this.#surroundings;
    const delayMs = startMs + this.#timing.initialDelayMs - clock.now();
    if (delayMs <= 0) this.#attempt();
    else this.#step = { kind: 'delayed', timer: clock.setTimeout(() => this.#attempt(), delayMs) };
  }

  /** Probes at once; during an attempt: again at once if that one fails. Not where an interval or a delay is declared. */
  probeNow(): void {
    if (this.#pace.isFixed) return;
    switch (this.#step.kind) {
      case 'closed':
      case 'delayed':
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

  /** Takes which sockets listen at the address by a read of the table that began at `asOfMs`; `undefined`: none. */
  sweep(sockets: string | undefined, asOfMs: number): void {
    const holds = this.#tally.holds;
    if (sockets !== undefined) {
      const isAnother = sockets !== this.#sockets;
      this.#sockets = sockets;
      if (this.#table === 'seen') {
        // Closed and bound again between two reads, perhaps by somebody else.
        if (holds && isAnother) this.probeNow();
        return;
      }
      this.#table = 'seen';
      if (!holds) {
        this.#pace.hasten();
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
    if (this.#step.kind === 'resting') this.#watch(0);
  }

  /** Ends the attempt and the timer; nothing happens afterwards. */
  close(): void {
    if (this.#step.kind === 'waiting' || this.#step.kind === 'delayed') this.#step.timer[Symbol.dispose]();
    if (this.#step.kind === 'probing') endAttempt(this.#step);
    this.#step = { kind: 'closed' };
  }

  #attempt(): void {
    const { clock, probe } = this.#surroundings;
    const { timeoutMs } = this.#timing;
    const abort = new AbortController();
    const settle = (result: ProbeResult): void => {
      if (this.#step !== step) return;
      endAttempt(step);
      this.#settle(result, step.again, clock.now() - step.beganMs);
    };
    const limit = clock.setTimeout(() => settle(failed(noAnswer(timeoutMs))), timeoutMs);
    const step: Extract<Step, { kind: 'probing' }> = {
      kind: 'probing',
      abort,
      limit,
      beganMs: clock.now(),
      again: false,
    };
    this.#step = step;
    probe(this.subject.target, { signal: abort.signal, timeoutMs }).then(settle, (error: unknown) =>
      settle(failed(`the probe itself failed: ${error instanceof Error ? error.message : String(error)}`)),
    );
  }

  #settle(result: ProbeResult, again: boolean, tookMs: number): void {
    const held = this.#tally.holds;
    this.#tally = tallied(this.#tally, result.ok, this.#timing.thresholds);
    if (result.ok) this.#succeeded(held, result.note);
    else this.#failed(held, result.error);
    // Whoever heard of it may have closed the watch.
    if (this.#step.kind === 'closed') return;
    if (this.#tally.holds && result.ok) this.#watch(tookMs);
    else if (again && !result.ok) this.#attempt();
    else this.#wait(this.#pace.retryMs(tookMs));
  }

  #succeeded(held: boolean, note: string | undefined): void {
    this.#pace.hasten();
    if (held) {
      // Bound again between the read and the probe, perhaps: only the next miss makes it blind.
      if (this.#table === 'lost') this.#table = 'unseen';
      else if (this.#table === 'never-there') this.#table = 'blind';
    }
    if (!this.#tally.holds) {
      const { row } = this.#tally;
      const { successes } = this.#timing.thresholds;
      this.#fails(`answered ${row.length} of ${successes} times in a row`);
      return;
    }
    if (this.#state.kind === 'holding') return;
    this.#pace.settle();
    this.#become({
      kind: 'holding',
      sinceMs: this.#surroundings.clock.now(),
      ...(note !== undefined && { note }),
    });
  }

  #failed(held: boolean, lastError: string): void {
    const { thresholds } = this.#timing;
    if (held && !this.#tally.holds) {
      this.#startingSinceMs = this.#surroundings.clock.now();
      this.#pace.hasten();
      if (this.#table !== 'blind') this.#table = 'unseen';
    }
    if (!this.#tally.holds) this.#fails(lastError);
    if (this.#step.kind === 'closed' || this.subject.purpose === 'readiness') return;
    if (isExhausted(this.#tally, thresholds))
      this.#surroundings.exhausted(this, thresholds.failures, lastError);
  }

  /** `sinceMs` is when it began not to hold, whatever it fails with. */
  #fails(lastError: string): void {
    const sinceMs = this.#state.kind === 'holding' ? this.#surroundings.clock.now() : this.#state.sinceMs;
    this.#become({ kind: 'failing', lastError, sinceMs });
  }

  #become(state: RequirementState): void {
    const from = this.#state;
    this.#state = state;
    const sameError =
      from.kind === 'failing' && state.kind === 'failing' && from.lastError === state.lastError;
    if (!sameError) this.#surroundings.changed(this, from);
  }

  #watch(tookMs: number): void {
    if (this.#restsOnTable()) this.#step = { kind: 'resting' };
    else this.#wait(this.#pace.watchMs(tookMs));
  }

  #restsOnTable(): boolean {
    return (
      this.subject.purpose === 'readiness' &&
      this.subject.target.predicate === 'tcp-connect' &&
      this.inTable &&
      this.#surroundings.tableUsable()
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
