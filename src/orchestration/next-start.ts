/** Waiting for a service to come up again. */
import { SkeinError } from '../errors/index.ts';
import type { ServiceId } from '../workspace/index.ts';
import type { Happening } from './events.ts';
import type { RunHistory } from './history.ts';

/**
 * Resolves at the service's next successful start.
 * @throws {SkeinError} SK1401 at its next failure, when it is stopped, and when the run is; the reason of `signal`.
 */
export function nextStart(
  history: RunHistory,
  service: ServiceId,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (done: () => void): void => {
      watching[Symbol.dispose]();
      signal?.removeEventListener('abort', abandon);
      done();
    };
    const abandon = (): void => settle(() => reject(signal?.reason as Error));
    const watching = history.onEvent(({ happening }) => {
      const verdict = judged(happening, service);
      if (verdict === 'up') settle(resolve);
      else if (verdict !== undefined) settle(() => reject(verdict));
    }, history.sequence);
    signal?.addEventListener('abort', abandon, { once: true });
  });
}

/** `undefined`: it says nothing of the start. */
function judged(happening: Happening, service: ServiceId): 'up' | SkeinError | undefined {
  if (happening.type === 'run-state')
    return happening.state === 'stopping' ? notUpAgain(service, 'the run is being stopped') : undefined;
  if (happening.type !== 'service-state' || happening.service !== service) return undefined;
  switch (happening.state) {
    case 'running':
      return 'up';
    case 'stopped':
      return notUpAgain(service, 'it was stopped');
    case 'failed':
      return notUpAgain(service, happening.cause, happening.failure?.lastLines);
    default:
      return undefined;
  }
}

function notUpAgain(service: ServiceId, cause: string, lastLines: readonly string[] = []): SkeinError {
  return new SkeinError('SK1401', `${service} did not come up again: ${cause}`, {
    place: { service, phase: 'start' },
    lastLines,
  });
}
