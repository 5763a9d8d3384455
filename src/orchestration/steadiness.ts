/** Which services have been ready for so long that their failures of before count no more (F-9). */
import type { ServiceId } from '../workspace/index.ts';
import type { Clock } from './clock.ts';

const STEADY_MS = 10_000;

/** Owns a timer for each service that has become ready. */
export class Steadiness implements Disposable {
  readonly #clock: Clock;
  readonly #onSteady: (service: ServiceId) => void;
  readonly #timers = new Map<ServiceId, Disposable>();

  constructor(clock: Clock, onSteady: (service: ServiceId) => void) {
    this.#clock = clock;
    this.#onSteady = onSteady;
  }

  /** The service has become ready, or has ceased to be. */
  changed(service: ServiceId, ready: boolean): void {
    this.#timers.get(service)?.[Symbol.dispose]();
    this.#timers.delete(service);
    if (ready)
      this.#timers.set(
        service,
        this.#clock.setTimeout(() => this.#onSteady(service), STEADY_MS),
      );
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
    this.#timers.clear();
  }
}
