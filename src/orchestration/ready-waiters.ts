/** Those who wait for a run to be ready. */
import type { SkeinError } from '../errors/index.ts';

interface Waiter {
  resolve(): void;
  reject(error: SkeinError): void;
}

export class ReadyWaiters {
  readonly #waiters = new Set<Waiter>();

  /** Until the next `resolve` or `reject`; an aborted signal ends the wait with its reason. */
  wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const abandon = (): void => {
        this.#waiters.delete(waiter);
        reject(signal?.reason as Error);
      };
      const forget = (): void => signal?.removeEventListener('abort', abandon);
      const waiter: Waiter = {
        resolve: () => {
          forget();
          resolve();
        },
        reject: (error) => {
          forget();
          reject(error);
        },
      };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', abandon, { once: true });
    });
  }

  resolve(): void {
    for (const waiter of this.#waiters) waiter.resolve();
    this.#waiters.clear();
  }

  reject(error: SkeinError): void {
    for (const waiter of this.#waiters) waiter.reject(error);
    this.#waiters.clear();
  }
}
