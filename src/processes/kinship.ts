/** Whether a process is one of a service's own, a stranger, or cannot be told from either. */
import { beganBefore, type ProcessIdentity } from './identity.ts';
import { system } from './platform.ts';
import { PROCESS_GROUP_VARIABLE } from './registry/index.ts';
import type { Kin } from './system.ts';

export type Kinship = 'own' | 'foreign' | 'unclear';

/** What is known of a service's process groups. */
export interface Family {
  /** As they were at the Start; their groups may live longer than they do. */
  readonly leaders: readonly ProcessIdentity[];
  /** Leaders that live, or are zombies, by their pids. */
  readonly living: ReadonlyMap<number, Kin>;
  /** Secrets that everything in the groups was given when it began (T-7). */
  readonly secrets: ReadonlySet<string>;
}

/** Those whose number no other process has taken: else the group that had it is gone. @throws {SkeinError} SK1611 */
export async function present(leaders: readonly ProcessIdentity[]): Promise<readonly ProcessIdentity[]> {
  const starts = await Promise.all(leaders.map(({ pid }) => system.startIdentity(pid)));
  return leaders.filter(({ start }, index) => starts[index] === undefined || starts[index] === start);
}

/** `leaders` are present. @throws {SkeinError} SK1611 */
export async function family(leaders: readonly ProcessIdentity[]): Promise<Family> {
  const living = new Map<number, Kin>();
  const secrets = new Set<string>();
  for (const { pid } of leaders) {
    const kin = await system.kin(pid);
    if (kin === undefined) continue;
    living.set(pid, kin);
    const secret = await system.variable(pid, PROCESS_GROUP_VARIABLE);
    if (secret !== undefined) secrets.add(secret);
  }
  return { leaders, living, secrets };
}

/** Judges a process by itself and its ancestors, nearest first; never empty. @throws {SkeinError} SK1611 */
export async function kinship(ancestors: readonly Kin[], service: Family): Promise<Kinship> {
  const secrets = await Promise.all(ancestors.map(({ pid }) => system.variable(pid, PROCESS_GROUP_VARIABLE)));
  return judge(ancestors, service, secrets);
}

/** The same, once the secret that each of the ancestors was given is known; pure. */
export function judge(
  ancestors: readonly Kin[],
  service: Family,
  secrets: readonly (string | undefined)[],
): Kinship {
  const [holder] = ancestors;
  if (holder === undefined) return 'unclear';
  const groups = new Set(service.leaders.map(({ pid }) => pid));
  if (ancestors.some(({ group }) => groups.has(group))) return 'own';
  // Nobody joins the session of another: only descendants are in it.
  if (holder.session !== undefined && groups.has(holder.session)) return 'own';
  if (secrets.some((secret) => secret !== undefined && service.secrets.has(secret))) return 'own';
  // The agent that started the service may listen for it.
  if (hasStarted(holder, service)) return 'own';
  return isStranger(ancestors, service, secrets[0]) ? 'foreign' : 'unclear';
}

function hasStarted({ pid }: Kin, { living }: Family): boolean {
  return [...living.values()].some(({ parent }) => parent === pid);
}

/**
 * A descendant that lost its parents is its reaper's child, in a session of the service's or one of its own. So a stranger
 * is who was there before the service, and whose oldest ancestor younger than that is somebody's true child.
 */
function isStranger(ancestors: readonly Kin[], service: Family, secret: string | undefined): boolean {
  const { leaders, living, secrets } = service;
  const isOlder = ({ start }: Kin): boolean =>
    leaders.length > 0 &&
    leaders.every((leader) => areComparable(start, leader.start) && beganBefore(start, leader.start));
  const at = ancestors.findIndex(isOlder);
  if (at === 0) return true;
  const [parent, child] = at === -1 ? [] : [ancestors[at], ancestors[at - 1]];
  if (parent === undefined || child === undefined) return false;
  // Another service of the same agent, or of any other.
  if (hasStarted(parent, service)) return true;
  if (secret !== undefined && secrets.size > 0 && parent.pid !== 1) return true;
  const leadTheirSessions = leaders.every(({ pid }) => living.get(pid)?.session === pid);
  return leadTheirSessions && child.session === parent.session;
}

/** `beganBefore` takes what cannot be compared for earlier; here that would accuse. */
function areComparable(start: string, other: string): boolean {
  return beganBefore(start, other) !== beganBefore(other, start) || start === other;
}
