/** How long a layer may take, and how a person in a hurry shortens that while it runs (T-2, T-5). */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.ts';

/** A layer's budget where nothing else is said (T-2). */
export const DEFAULT_LAYER_BUDGET_MS = 15_000;
/** What every budget drops to at the second Ctrl-C (T-5). */
export const HURRIED_BUDGET_MS = 2_000;
/** What a layer has at least beyond its largest `stop-timeout` (T-2): killing and proving take their time too. */
const STOP_TIMEOUT_MARGIN_MS = 5_000;

/**
 * How the caller lowers the budgets: it calls the listener with the new budget in milliseconds (0: kill everything now),
 * any number of times, until the subscription is disposed of. Budgets only ever fall.
 */
export type Hurry = (listener: (budgetMs: number) => void) => Disposable;

/** A layer at work: `cut` is aborted when its time is up. */
interface Allowance {
  readonly cut: AbortController;
  readonly deadlineMs: number;
  readonly timer: Disposable;
}

/** Hands out one signal a layer, aborted when the layer's budget is spent; a hurry reaches the layers at work as well. */
export class Urgency implements Disposable {
  /** Resolves when everything is to be killed now: no layer waits for another then. */
  readonly killed: Promise<void>;
  readonly #clock: Clock;
  readonly #allowances = new Map<number, Allowance>();
  readonly #subscription: Disposable | undefined;
  readonly #kill: () => void;
  #ceilingMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, hurry: Hurry | undefined, onHurry: (budgetMs: number) => void) {
    this.#clock = clock;
    let kill = (): void => undefined;
    this.killed = new Promise((resolve) => {
      kill = resolve;
    });
    this.#kill = kill;
    this.#subscription = hurry?.((budgetMs) => {
      if (!(budgetMs < this.#ceilingMs)) return;
      this.#lower(Math.max(0, budgetMs));
      onHurry(Math.max(0, budgetMs));
    });
  }

  /** The budget of a layer that begins now. */
  budgetMs(wantedMs: number, largestStopTimeoutMs: number): number {
    return Math.min(this.#ceilingMs, Math.max(wantedMs, largestStopTimeoutMs + STOP_TIMEOUT_MARGIN_MS));
  }

  /** The signal that cuts the layer off once `budgetMs` is spent, or sooner. */
  begin(layer: number, budgetMs: number): AbortSignal {
    const cut = new AbortController();
    // Every stop of the layer listens.
    setMaxListeners(0, cut.signal);
    this.#allow(layer, cut, this.#clock.now() + budgetMs);
    return cut.signal;
  }

  end(layer: number): void {
    this.#allowances.get(layer)?.timer[Symbol.dispose]();
    this.#allowances.delete(layer);
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
    for (const layer of [...this.#allowances.keys()]) this.end(layer);
  }

  #allow(layer: number, cut: AbortController, deadlineMs: number): void {
    const leftMs = deadlineMs - this.#clock.now();
    const abort = (): void => cut.abort(new Error('the layer has spent its teardown budget'));
    // Without time left nobody waits for a timer: it would let the graceful stop begin.
    if (leftMs <= 0) abort();
    else this.#allowances.set(layer, { cut, deadlineMs, timer: this.#clock.setTimeout(abort, leftMs) });
  }

  #lower(budgetMs: number): void {
    this.#ceilingMs = budgetMs;
    const latestMs = this.#clock.now() + budgetMs;
    for (const [layer, { cut, deadlineMs, timer }] of [...this.#allowances]) {
      if (deadlineMs <= latestMs) continue;
      timer[Symbol.dispose]();
      this.#allowances.delete(layer);
      this.#allow(layer, cut, latestMs);
    }
    if (budgetMs === 0) this.#kill();
  }
}
