/** Looks once for each start whether a native service can be reached off loopback, where only it should listen (N-10). */
import type { SkeinError } from '../errors/index.ts';
import { answeringAddresses, isLoopback, reachableOffLoopback } from '../network/index.ts';
import type { Service, ServiceId } from '../workspace/index.ts';

export interface LoopbackCheckOptions {
  /** Addresses of this machine besides loopback. */
  readonly addresses: () => readonly string[];
  /** One SK1240 for each address that answers. */
  readonly onWarning: (warning: SkeinError, service: ServiceId) => void;
}

interface Start {
  readonly abort: AbortController;
  readonly ports: Set<number>;
}

export class LoopbackCheck implements Disposable {
  readonly #options: LoopbackCheckOptions;
  readonly #starts = new Map<ServiceId, Start>();

  constructor(options: LoopbackCheckOptions) {
    this.#options = options;
  }

  /** What was started runs no more: an attempt under way says nothing. */
  end(service: ServiceId): void {
    this.#starts.get(service)?.abort.abort();
    this.#starts.delete(service);
  }

  /** An endpoint of the service answers there: asks every address once, where this start has not asked for the port. */
  answers(service: Service, { host, port }: { readonly host: string; readonly port: number }): void {
    if (!isLoopback(host)) return;
    let start = this.#starts.get(service.id);
    if (start === undefined) {
      start = { abort: new AbortController(), ports: new Set() };
      this.#starts.set(service.id, start);
    }
    if (start.ports.has(port)) return;
    start.ports.add(port);
    void this.#ask(service, port, start.abort.signal);
  }

  [Symbol.dispose](): void {
    for (const service of [...this.#starts.keys()]) this.end(service);
  }

  async #ask(service: Service, port: number, signal: AbortSignal): Promise<void> {
    const addresses = await answeringAddresses(port, this.#options.addresses(), signal);
    if (signal.aborted) return;
    for (const address of addresses)
      this.#options.onWarning(reachableOffLoopback(service.id, service.agent, address, port), service.id);
  }
}
