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

/** A process as it is judged. */
export interface Ancestor extends Kin {
  /** Of the group that it was started in, if it was given one (T-7). */
  readonly secret: string | undefined;
  /** Orphans become its children. */
  readonly isReaper: boolean;
  /** It listens for others, who are not among its kin: what is behind such a port cannot be told. */
  readonly isForwarder: boolean;
}

/** Judges a process by itself and its ancestors, nearest first. @throws {SkeinError} SK1611 */
export async function kinship(ancestors: readonly Kin[], service: Family): Promise<Kinship> {
  return judge(await Promise.all(ancestors.map(ancestor)), service);
}

async function ancestor(kin: Kin): Promise<Ancestor> {
  const [secret, command] = await Promise.all([
    system.variable(kin.pid, PROCESS_GROUP_VARIABLE),
    system.commandLine(kin.pid),
  ]);
  return {
    ...kin,
    secret,
    isReaper: kin.pid === 1 || reapers.test(command),
    isForwarder: forwarders.test(command),
  };
}

/** Those that take the orphans below them, as the first process does all others. */
const reapers =
  /^(\S*\/)?(systemd|launchd|containerd-shim\S*|conmon|tini\S*|dumb-init|docker-init|catatonit|s6-svscan|bwrap|init)(\s|$)/;

/** Of containers and virtual machines, of tunnels, and those that listen before they start a server. */
const forwarders =
  /^(\S*\/)?(docker-proxy|rootlessport|rootlesskit|slirp4netns|passt|pasta|gvproxy|vpnkit\S*|limactl|ssh|systemd|launchd|x?inetd)(:|\s|$)|com\.docker\.|OrbStack/;

/** The same, of what is known; pure. */
export function judge(ancestors: readonly Ancestor[], service: Family): Kinship {
  const [holder] = ancestors;
  if (holder === undefined) return 'unclear';
  const groups = new Set(service.leaders.map(({ pid }) => pid));
  if (ancestors.some(({ group }) => groups.has(group))) return 'own';
  // Nobody joins the session of another: only descendants are in it.
  if (holder.session !== undefined && groups.has(holder.session)) return 'own';
  if (ancestors.some(({ secret }) => secret !== undefined && service.secrets.has(secret))) return 'own';
  // The agent that started the service may listen for it.
  if (hasStarted(holder, service)) return 'own';
  return !holder.isForwarder && isStranger(ancestors, service) ? 'foreign' : 'unclear';
}

function hasStarted({ pid }: Kin, { living }: Family): boolean {
  return [...living.values()].some(({ parent }) => parent === pid);
}

/**
 * A stranger is who was there before the service, or the true child of somebody who was. Not the child of a reaper, which
 * may be the service's orphan; nor the child of a daemon, which may have been asked by the service to start it.
 */
function isStranger(ancestors: readonly Ancestor[], service: Family): boolean {
  const { leaders, living } = service;
  const isOlder = ({ start }: Kin): boolean =>
    leaders.length > 0 &&
    leaders.every((leader) => areComparable(start, leader.start) && beganBefore(start, leader.start));
  const at = ancestors.findIndex(isOlder);
  if (at === 0) return true;
  const [child, parent, grandparent] = at === -1 ? [] : ancestors.slice(at - 1, at + 2);
  if (child === undefined || parent === undefined || isDaemon(parent, grandparent)) return false;
  if (!parent.isReaper) return true;
  // Who is reaped keeps the session that it had, which was the service's or one of its own.
  const leadTheirSessions = leaders.every(({ pid }) => living.get(pid)?.session === pid);
  return leadTheirSessions && child.session === parent.session;
}

/** It has outlived who started it, in a session of its own. */
function isDaemon({ session }: Ancestor, parent: Ancestor | undefined): boolean {
  return parent?.isReaper === true && session !== parent.session;
}

/** `beganBefore` takes what cannot be compared for earlier; here that would accuse. */
function areComparable(start: string, other: string): boolean {
  return beganBefore(start, other) !== beganBefore(other, start) || start === other;
}
