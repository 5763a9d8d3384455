/** Processes and their identities, from /proc. */
import type { GroupMember, Kin, ProcessTrace } from '../system.ts';
import { allPids, childrenOfProcess, commandLine, readIfThere, readOfProcess, readRequired } from './proc.ts';
import { isDead, type ProcessStat, parseStat } from './stat.ts';

/** As `SystemFacts.groupMembers`. */
export function groupMembers(group: number, suspects: readonly number[] = []): readonly GroupMember[] {
  const living = suspects.filter((pid) => livesIn(group, pid));
  const pids = living.length > 0 ? living : allPids().filter((pid) => livesIn(group, pid));
  return pids.map((pid) => ({ pid, command: commandLine(pid) }));
}

function livesIn(group: number, pid: number): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.group === group && !isDead(stat);
}

export function startIdentity(pid: number): string | undefined {
  return statOf(pid)?.startTicks;
}

export function trace(pid: number): ProcessTrace | undefined {
  const stat = statOf(pid);
  return stat && { pid, group: stat.group, start: stat.startTicks, isDead: isDead(stat) };
}

export function traces(): readonly ProcessTrace[] {
  return allPids().flatMap((pid) => trace(pid) ?? []);
}

export function session(pid: number): number | undefined {
  return statOf(pid)?.session;
}

/** As `SystemFacts.kin`. */
export function kin(pid: number): Kin | undefined {
  const stat = statOf(pid);
  if (stat === undefined) return undefined;
  const { parent, group, session, startTicks } = stat;
  // A leader outside of this pid namespace shows as 0.
  return { pid, parent, group, session: session === 0 ? undefined : session, start: startTicks };
}

/** The descendants of these processes, as far as the kernel lists children; it may be built without that. */
export function descendants(pids: readonly number[]): readonly number[] {
  const found = new Set<number>();
  const visit = (pid: number): void => {
    for (const child of childrenOfProcess(pid)) {
      if (found.has(child)) continue;
      found.add(child);
      visit(child);
    }
  };
  for (const pid of pids) visit(pid);
  return [...found];
}

/** As `SystemFacts.variable`. */
export function variable(pid: number, name: string): string | undefined {
  const entry = readOfProcess(pid, 'environ')
    ?.split('\0')
    .find((each) => each.startsWith(`${name}=`));
  return entry?.slice(name.length + 1);
}

/** As `SystemFacts.givenVariable`. */
export function givenVariable(
  name: string,
  value: string,
  among: readonly number[] = allPids(),
): ReadonlySet<number> {
  const entry = `${name}=${value}`;
  const isGiven = (pid: number): boolean =>
    readOfProcess(pid, 'environ')?.split('\0').includes(entry) === true;
  return new Set(among.filter(isGiven));
}

export function machineIdentity(): string {
  return readIfThere('/etc/machine-id').trim();
}

export function bootIdentity(): string {
  return readRequired('/proc/sys/kernel/random/boot_id').trim();
}

export function statOf(pid: number): ProcessStat | undefined {
  const text = readOfProcess(pid, 'stat');
  return text === undefined ? undefined : parseStat(text);
}
