/** Processes and their identities, from /proc. */
import type { GroupMember } from '../system.ts';
import { allPids, commandLine, readOfProcess, readRequired } from './proc.ts';
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

export function isAlive(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== undefined && !isDead(stat);
}

export function bootIdentity(): string {
  return readRequired('/proc/sys/kernel/random/boot_id').trim();
}

function statOf(pid: number): ProcessStat | undefined {
  const text = readOfProcess(pid, 'stat');
  return text === undefined ? undefined : parseStat(text);
}
