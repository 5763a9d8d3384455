/** Time that moves only when told: scripted tests step through any schedule without waiting. */
import type { Clock } from './clock.ts';

interface Alarm {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that starts at `startMs` (default 0). What a timer sets off is let run to its end before the next one rings. */
export class ManualClock implements Clock {
  #now: number;
  readonly #alarms = new Set<Alarm>();

  constructor(startMs = 0) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(run: () => void, delayMs: number): Disposable {
    const alarm: Alarm = { at: this.#now + Math.max(0, delayMs), run };
    this.#alarms.add(alarm);
    return { [Symbol.dispose]: () => void this.#alarms.delete(alarm) };
  }

  /** Timers that are set and have not rung. */
  get pending(): number {
    return this.#alarms.size;
  }

  /** Lets time pass at once, without ringing: what a synchronous computation costs. */
  spend(durationMs: number): void {
    this.#now += durationMs;
  }

  /** Lets `durationMs` pass, ringing every timer that falls due, in order of time, then of setting. */
  async advance(durationMs: number): Promise<void> {
    const end = this.#now + durationMs;
    await promisesSettled();
    for (let alarm = this.#next(); alarm !== undefined && alarm.at <= end; alarm = this.#next())
      await this.#ring(alarm);
    this.#now = Math.max(this.#now, end);
  }

  /**
   * Lets time pass until `outcome` is settled, and returns it.
   * @throws {Error} when no timer is left that could settle it: it would wait for ever.
   */
  async runUntil<Value>(outcome: Promise<Value>): Promise<Value> {
    let settled = false;
    const mark = (): void => {
      settled = true;
    };
    outcome.then(mark, mark);
    for (;;) {
      await promisesSettled();
      if (settled) return outcome;
      const alarm = this.#next();
      if (alarm === undefined) throw new Error('nothing is left that could end the wait');
      await this.#ring(alarm);
    }
  }

  #next(): Alarm | undefined {
    let next: Alarm | undefined;
    for (const alarm of this.#alarms) if (next === undefined || alarm.at < next.at) next = alarm;
    return next;
  }

  async #ring(alarm: Alarm): Promise<void> {
    this.#alarms.delete(alarm);
    this.#now = Math.max(this.#now, alarm.at);
    alarm.run();
    await promisesSettled();
  }
}

/** Every chain of promises that can go on without time passing has run by the next turn of the event loop. */
function promisesSettled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
