/** Which services take part: the roots, and everything that they need at run time. Pure. */
import type { ServiceId } from '../workspace/index.ts';

/**
 * The roots and all that is reachable from them, in breadth-first order (F-3: a shared service once).
 * `needs` answers what a service needs directly.
 */
export function closure(
  roots: Iterable<ServiceId>,
  needs: (service: ServiceId) => Iterable<ServiceId>,
): Set<ServiceId> {
  const found = new Set<ServiceId>(roots);
  for (const service of found) for (const needed of needs(service)) found.add(needed);
  return found;
}
