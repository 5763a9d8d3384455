/** The run's events in order, and the snapshot that they add up to. */
import type { Clock } from './clock.ts';
import type { Happening, RunEvent } from './events.ts';
import { foldEvent, type RunSnapshot } from './snapshot.ts';

/** Events kept for those who come late; what is older lives on in the snapshot alone. */
const KEPT_EVENTS = 20_000;

export class RunHistory {
  readonly #clock: Clock;
  readonly #events: RunEvent[] = [];
  readonly #listeners = new Set<(event: RunEvent) => void>();
  #snapshot: RunSnapshot;

  constructor(initial: RunSnapshot, clock: Clock) {
    this.#snapshot = initial;
    this.#clock = clock;
  }

  get snapshot(): RunSnapshot {
    return this.#snapshot;
  }

  emit(happening: Happening): void {
    const event: RunEvent = {
      sequence: this.#snapshot.sequence + 1,
      timeMs: Math.round(this.#clock.now()),
      happening,
    };
    this.#snapshot = foldEvent(this.#snapshot, event);
    this.#events.push(event);
    // Dropped by the half, so that keeping them costs nothing an event.
    if (this.#events.length > 2 * KEPT_EVENTS) this.#events.splice(0, KEPT_EVENTS);
    for (const listener of this.#listeners) listener(event);
  }

  /** Every kept event after `afterSequence` at once, then each new one. Disposing ends it. */
  onEvent(listener: (event: RunEvent) => void, afterSequence = 0): Disposable {
    for (const event of this.#events.filter(({ sequence }) => sequence > afterSequence)) listener(event);
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
