/** A point in time that may come nearer, never move away: a second, more impatient Stop shortens the first one's wait. */

/** Node fires a longer timer at once. */
const longestTimerMs = 2 ** 31 - 1;

export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  #at = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(afterMs: number) {
    this.shorten(afterMs);
  }

  /** Aborted when the time has come. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds left, 0 at the least. */
  get leftMs(): number {
    return Math.max(0, this.#at - performance.now());
  }

  /** Comes in `afterMs` at the latest. */
  shorten(afterMs: number): void {
    const at = performance.now() + afterMs;
    if (at >= this.#at) return;
    this.#at = at;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), Math.min(afterMs, longestTimerMs));
  }

  /** Resolves when the time has come. */
  passed(): Promise<void> {
    if (this.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
