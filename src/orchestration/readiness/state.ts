/** What is known of a requirement now. */
import type { UnmetRequirement } from '../events.ts';
import type { Requirement, RequirementKey } from './requirements.ts';

/** Every `sinceMs` is the clock's reading when the state of this kind began. */
export type RequirementState =
  /** Not examined yet, or no longer. */
  | { readonly kind: 'unknown'; readonly sinceMs: number }
  | { readonly kind: 'failing'; readonly lastError: string; readonly sinceMs: number }
  /** `note`: in which way it holds, where that leaves a doubt. */
  | { readonly kind: 'holding'; readonly sinceMs: number; readonly note?: string };

export type StateOf = (key: RequirementKey) => RequirementState;

/** The requirement as events and views carry it; `undefined` when it holds. */
function unmet(requirement: Requirement, state: RequirementState): UnmetRequirement | undefined {
  if (state.kind === 'holding') return undefined;
  return {
    service: requirement.service,
    endpoint: requirement.endpoint,
    predicate: requirement.predicate,
    lastError: state.kind === 'failing' ? state.lastError : null,
    sinceMs: state.sinceMs,
  };
}

/**
 * The first that does not hold; one that fails comes before one that has not been examined, which as a rule only waits
 * for it.
 */
export function firstUnmet(
  requirements: Iterable<Requirement>,
  stateOf: StateOf,
): UnmetRequirement | undefined {
  let unexamined: UnmetRequirement | undefined;
  for (const requirement of requirements) {
    const state = stateOf(requirement.key);
    if (state.kind === 'failing') return unmet(requirement, state);
    if (state.kind === 'unknown') unexamined ??= unmet(requirement, state);
  }
  return unexamined;
}
