/** `skein why`: from a service along what it waits for to the requirement that does not hold now; pure. */
import type { ServiceId } from '../../workspace/index.ts';
import type { FailureReport, UnmetRequirement, WhyLink } from '../events.ts';
import { describeUnmet } from './diagnosis.ts';
import { type Gate, type Requirement, serviceKey } from './requirements.ts';
import { firstUnmet, type StateOf } from './state.ts';

export interface WhyFacts {
  readonly stateOf: StateOf;
  /** The edges that the service's Start waits on. */
  gatesOf(service: ServiceId): readonly Gate[];
  /** What the run requires of the service itself. */
  requirementsOf(service: ServiceId): readonly Requirement[];
  failureOf(service: ServiceId): FailureReport | null;
}

interface Visit {
  readonly service: ServiceId;
  readonly from: Visit | undefined;
  /** What the one before waits for here; of the first: its own. */
  readonly requirement: UnmetRequirement | undefined;
}

/**
 * The shortest chain to a root that has failed, or else to one that is still on its way. Each link carries the
 * requirement that its service waits for, and the last one its own, which does not hold now. Empty when all of the
 * service's own requirements hold. Breadth first, linear in the edges behind the service.
 */
export function whyChain(service: ServiceId, facts: WhyFacts): readonly WhyLink[] {
  const own = firstUnmet(facts.requirementsOf(service), facts.stateOf);
  const first: Visit = { service, from: undefined, requirement: own };
  if (own === undefined) return [];
  const met = new Set([service]);
  let pending: Visit | undefined;
  const queue = [first];
  for (let next = queue[0], at = 0; next !== undefined; next = queue[++at]) {
    const visit = next;
    const waits = waitsOf(visit.service, facts);
    if (waits.length === 0) {
      if (visit.requirement?.lastError != null || facts.failureOf(visit.service) !== null)
        return chainTo(visit, facts);
      pending ??= visit;
    }
    for (const { dependency, requirement } of waits) {
      if (met.has(dependency)) continue;
      met.add(dependency);
      queue.push({ service: dependency, from: visit, requirement });
    }
  }
  return chainTo(pending ?? first, facts);
}

/** The chain as lines, the asked service first. */
export function whyText(chain: readonly WhyLink[], nowMs: number): readonly string[] {
  return chain.map(({ service, requirement, failure }, index) => {
    const next = chain[index + 1];
    if (next !== undefined) return `${service} waits for ${next.service}`;
    // What it failed with may be what does not hold.
    const isTold = failure === null || failure.message === requirement?.lastError;
    const failed = isTold ? '' : `; ${service} failed: ${failure.message}`;
    return requirement === null ? `${service}${failed}` : `${describeUnmet(requirement, nowMs)}${failed}`;
  });
}

interface WaitFor {
  readonly dependency: ServiceId;
  readonly requirement: UnmetRequirement;
}

/** Empty for a service whose Start has been tried: what does not hold of it is its own matter. */
function waitsOf(service: ServiceId, { stateOf, gatesOf }: WhyFacts): readonly WaitFor[] {
  if (stateOf(serviceKey(service, 'lifecycle')).kind !== 'unknown') return [];
  return gatesOf(service).flatMap(({ dependency, requirements }) => {
    const requirement = firstUnmet(requirements, stateOf);
    return requirement === undefined ? [] : [{ dependency, requirement }];
  });
}

function chainTo(root: Visit, facts: WhyFacts): readonly WhyLink[] {
  const links: WhyLink[] = [];
  let requirement = root.requirement;
  for (let visit: Visit | undefined = root; visit !== undefined; visit = visit.from) {
    links.push({
      service: visit.service,
      requirement: requirement ?? null,
      failure: facts.failureOf(visit.service),
    });
    // The one before waits for what this one was reached by.
    requirement = visit.requirement;
  }
  return links.reverse();
}
