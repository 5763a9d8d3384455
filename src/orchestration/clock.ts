/** Time as orchestration sees it: always passed in, never taken from the air, so that a test can replay any schedule. */

export interface Clock {
  /** Milliseconds since 1970-01-01 UTC, with fractions; never goes backwards, whatever is done to the machine's clock. */
  now(): number;
  /** Runs `run` once, `delayMs` from now; disposing cancels it, also after it ran. */
  setTimeout(run: () => void, delayMs: number): Disposable;
}

/** The machine's own time. */
export const realClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimeout(run, delayMs) {
    const timer = setTimeout(run, delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
