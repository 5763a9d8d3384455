/** What keeps a run from being ready, told so that a person can act on it (R-7). */
import { SkeinError } from '../../errors/index.ts';
import type { UnmetRequirement } from '../events.ts';
import { endpointKey, type RequirementKey, serviceKey } from './requirements.ts';
import type { StateOf } from './state.ts';

/**
 * The diagnosis to keep: a complete one (something was tried and failed) is not replaced by one that only says that
 * nothing is known yet, as long as what it names still does not hold. `undefined` once everything holds.
 */
export function lastComplete(
  previous: UnmetRequirement | undefined,
  current: UnmetRequirement | undefined,
  stateOf: StateOf,
): UnmetRequirement | undefined {
  if (current === undefined || current.lastError !== null) return current;
  if (previous === undefined || previous.lastError === null) return current;
  return stateOf(keyOf(previous)).kind === 'holding' ? current : previous;
}

/** `shop/api/http: http-status does not hold: 503 Service Unavailable (for 12.3 s)`. */
export function describeUnmet(unmet: UnmetRequirement, nowMs: number): string {
  const why = unmet.lastError === null ? 'does not hold yet' : `does not hold: ${unmet.lastError}`;
  return `${unmet.endpoint ?? unmet.service}: ${unmet.predicate} ${why} (for ${duration(nowMs - unmet.sinceMs)})`;
}

export interface ReadinessDeadline {
  /** What `--readiness-timeout` allowed. */
  readonly timeoutMs: number;
  readonly nowMs: number;
  /** The kept diagnosis; `undefined` where nothing was ever examined. */
  readonly diagnosis: UnmetRequirement | undefined;
  /** The last log lines of the service that it names, oldest first. */
  readonly lastLines: readonly string[];
}

/** The failure of a run at its readiness deadline: SK1451. */
export function readinessTimeout({ timeoutMs, nowMs, diagnosis, lastLines }: ReadinessDeadline): SkeinError {
  const late = `not ready within ${duration(timeoutMs)}`;
  if (diagnosis === undefined)
    return new SkeinError('SK1451', `${late}: nothing was examined yet`, { lastLines });
  const { service, endpoint, predicate } = diagnosis;
  return new SkeinError('SK1451', `${late}: ${describeUnmet(diagnosis, nowMs)}`, {
    place: { service, phase: predicate, ...(endpoint !== null && { endpoint }) },
    lastLines,
  });
}

function keyOf({ service, endpoint, predicate }: UnmetRequirement): RequirementKey {
  return endpoint === null ? serviceKey(service, predicate) : endpointKey(endpoint, predicate);
}

function duration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.max(0, Math.round(durationMs))} ms`;
  if (durationMs < 60_000) return `${Math.round(durationMs / 100) / 10} s`;
  const seconds = Math.round(durationMs / 1_000);
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest === 0 ? '' : ` ${rest} s`}`;
}
