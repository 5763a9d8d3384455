/** How long a probe pauses between two attempts: as declared, or as R-6 has it. */

const FIRST_RETRY_MS = 25;
const LONGEST_RETRY_MS = 500;
/** Slow enough to be cheap, fine enough that a service is seen within a third of the time that it took to start. */
const RETRY_GROWTH = 1.3;
const FIRST_WATCH_MS = 1_000;
const LONGEST_WATCH_MS = 30_000;
const WATCH_GROWTH = 2;

export class Pace {
  readonly #intervalMs: number | undefined;
  #retryMs = FIRST_RETRY_MS;
  #watchMs = FIRST_WATCH_MS;

  constructor(intervalMs: number | undefined) {
    this.#intervalMs = intervalMs;
  }

  /** Declared: nothing else than its own clock makes the probe run. */
  get isFixed(): boolean {
    return this.#intervalMs !== undefined;
  }

  /** While it is on its way: 25 ms growing to 500 ms. `tookMs`: what the attempt before took. */
  retryMs(tookMs: number): number {
    const pauseMs = this.#retryMs;
    this.#retryMs = Math.min(LONGEST_RETRY_MS, pauseMs * RETRY_GROWTH);
    return this.#fixedMs(tookMs) ?? pauseMs;
  }

  /** While it holds: 1 s growing to 30 s. */
  watchMs(tookMs: number): number {
    const pauseMs = this.#watchMs;
    this.#watchMs = Math.min(LONGEST_WATCH_MS, pauseMs * WATCH_GROWTH);
    return this.#fixedMs(tookMs) ?? pauseMs;
  }

  /** Something happened: the next retry comes soon. */
  hasten(): void {
    this.#retryMs = FIRST_RETRY_MS;
  }

  /** It began to hold. */
  settle(): void {
    this.#watchMs = FIRST_WATCH_MS;
  }

  #fixedMs(tookMs: number): number | undefined {
    return this.#intervalMs === undefined ? undefined : Math.max(0, this.#intervalMs - tookMs);
  }
}
