/** What the end of a service means for a run that is to end with the first one (`--until-exit`); pure. */
import { SkeinError } from '../errors/index.ts';
import type { ServiceId } from '../workspace/index.ts';
import { closure } from './closure.ts';
import type { Composition } from './composition.ts';
import { neededBy } from './composition.ts';
import type { ServiceSnapshot } from './snapshot.ts';

export type Verdict =
  /** A job that others wait for: it is there to end, and they go on. */
  | { readonly kind: 'go-on' }
  /** All that still runs was there for the one that ended. */
  | { readonly kind: 'done'; readonly cause: string }
  /** Others were at work by themselves, and are cut off. */
  | { readonly kind: 'cut-off'; readonly fault: SkeinError };

/** `ended` has completed, with success; one that failed fails the run whatever else there is. */
export function firstExit(
  ended: ServiceId,
  composition: Composition,
  snapshots: ReadonlyMap<ServiceId, ServiceSnapshot>,
): Verdict {
  const service = snapshots.get(ended);
  const isAwaited = (composition.graph.dependents.get(ended) ?? []).length > 0;
  if (service?.kind === 'job' && isAwaited) return { kind: 'go-on' };
  const served = closure([ended], (id) => neededBy(composition.workspace, composition.edges, id));
  const cut = composition.services.filter(({ id }) => {
    const state = snapshots.get(id)?.state;
    return !served.has(id) && state !== 'completed' && state !== 'stopped';
  });
  if (cut.length === 0) return { kind: 'done', cause: `${ended} has ended` };
  const names = cut.map(({ id }) => id).join(', ');
  return {
    kind: 'cut-off',
    fault: new SkeinError(
      'SK1411',
      `the run ended with ${ended}, which ended with success while ${names} ${cut.length === 1 ? 'was' : 'were'} at work`,
      { place: { service: ended, phase: 'run' } },
    ),
  };
}
