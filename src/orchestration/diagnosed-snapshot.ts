/** What a snapshot adds when it is asked for, since it changes without anything happening: what services wait for. */
import type { Service } from '../workspace/index.ts';
import type { UnmetRequirement } from './events.ts';
import type { RunReadiness } from './run-readiness.ts';
import type { ServiceSnapshot } from './snapshot.ts';

/** With what the service waits for, and the last error of each probe that does not hold. */
export function diagnosed(
  snapshot: ServiceSnapshot,
  service: Service,
  readiness: RunReadiness,
): ServiceSnapshot {
  const endpoints = snapshot.endpoints.map((endpoint) => {
    const own = service.endpoints.find(({ id }) => id === endpoint.id);
    return endpoint.ready || own === undefined
      ? endpoint
      : { ...endpoint, lastError: readiness.lastError(own) ?? endpoint.lastError };
  });
  return { ...snapshot, waitingFor: waitingFor(snapshot, readiness) ?? null, endpoints };
}

function waitingFor(
  { id, state, ready }: ServiceSnapshot,
  readiness: RunReadiness,
): UnmetRequirement | undefined {
  if (state === 'waiting') return readiness.gateUnmet(id);
  return state === 'running' && !ready ? readiness.ownUnmet(id) : undefined;
}
