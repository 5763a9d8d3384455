/** The run's events in order, and the snapshot that they add up to. */
import type { Clock } from './clock.ts';
import type { Happening, RunEvent } from './events.ts';
import { foldEvents, type RunSnapshot } from './snapshot.ts';

/** Events kept for those who come late; what is older lives on in the snapshot alone. */
const KEPT_EVENTS = 20_000;

export class RunHistory {
  readonly #clock: Clock;
  readonly #events: RunEvent[] = [];
  readonly #listeners = new Set<(event: RunEvent) => void>();
  /** Without the events after its `sequence`: they are folded in when somebody asks, many at once. */
  #folded: RunSnapshot;
  #sequence: number;

  constructor(initial: RunSnapshot, clock: Clock) {
    this.#folded = initial;
    this.#sequence = initial.sequence;
    this.#clock = clock;
  }

  get snapshot(): RunSnapshot {
    const pending = this.#sequence - this.#folded.sequence;
    if (pending > 0) this.#folded = foldEvents(this.#folded, this.#events.slice(-pending));
    return this.#folded;
  }

  /** Number of the last event. */
  get sequence(): number {
    return this.#sequence;
  }

  emit(happening: Happening): void {
    this.#sequence++;
    const event: RunEvent = { sequence: this.#sequence, timeMs: Math.round(this.#clock.now()), happening };
    this.#events.push(event);
    if (this.#events.length > 2 * KEPT_EVENTS) this.#forget();
    for (const listener of this.#listeners) listener(event);
  }

  /** Every kept event after `afterSequence` at once, then each new one. Disposing ends it. */
  onEvent(listener: (event: RunEvent) => void, afterSequence = 0): Disposable {
    const forgotten = this.#sequence - this.#events.length;
    for (const event of this.#events.slice(Math.max(0, afterSequence - forgotten))) listener(event);
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** By the half, so that forgetting costs nothing an event; what goes is folded in first. */
  #forget(): void {
    this.#folded = this.snapshot;
    this.#events.splice(0, KEPT_EVENTS);
  }
}
