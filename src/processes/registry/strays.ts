/**
 * Processes that a group has started and that have left it, by a session of their own. Those that became children of this
 * process are proven to be its descendants, and their secret says of which group; all others that have the secret are only
 * suspected, for a mark in an environment is no proof (T-7): they are named, and never signalled.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { system } from '../platform.ts';
import { livingChildren, takeInOrphans } from '../spawning/orphans.ts';
import type { StopOptions } from '../stop.ts';
import type { GroupMember } from '../system.ts';
import { PROCESS_GROUP_VARIABLE } from './record.ts';

/** What is done about a group that has ended: nothing, or its descendants are looked for. */
export interface Strays {
  /** They are children of this process, and can be ended. */
  readonly isProven: boolean;
  readonly processes: readonly GroupMember[];
}

/** How often they are looked at while they end. */
const lookMs = 20;
const defaultKillTimeoutMs = 5_000;

/** Of a group that is empty, and was started by this process. @throws {SkeinError} SK1611 */
export async function findStrays(secret: string): Promise<Strays> {
  if (!(await takeInOrphans())) return { isProven: false, processes: await suspectsGiven(secret) };
  const children = livingChildren();
  const given = await system.givenVariable(PROCESS_GROUP_VARIABLE, secret, children);
  return { isProven: true, processes: await named([...given]) };
}

/** Whoever was given the secret, be it proven or not; of a group that is empty. @throws {SkeinError} SK1611 */
export async function suspectsGiven(secret: string): Promise<readonly GroupMember[]> {
  return named([...(await system.givenVariable(PROCESS_GROUP_VARIABLE, secret))]);
}

/**
 * Ends the children of this process that were given the secret, and what they leave in turn: its signal, a wait, SIGKILL.
 * A child's number is nobody else's until this process collects it.
 * @returns those that outlive SIGKILL
 * @throws {SkeinError} SK1611; the reason of `abort` is not thrown: it ends the wait for the signal to be heeded
 */
export async function endStrays(
  secret: string,
  { signal, timeoutMs, killTimeoutMs = defaultKillTimeoutMs, abort }: StopOptions,
): Promise<readonly GroupMember[]> {
  const told = new Set<number>();
  const began = performance.now();
  let killedAt: number | undefined;
  for (;;) {
    const { processes } = await findStrays(secret);
    if (processes.length === 0) return [];
    const now = performance.now();
    if (abort?.aborted === true || now - began >= timeoutMs) killedAt ??= now;
    if (killedAt !== undefined && now - killedAt >= killTimeoutMs) return processes;
    for (const { pid } of processes) {
      if (killedAt !== undefined) signalChild(pid, 'SIGKILL');
      else if (!told.has(pid)) {
        signalChild(pid, signal);
        // One that is suspended would otherwise not act on the signal.
        signalChild(pid, 'SIGCONT');
      }
      told.add(pid);
    }
    await pause(lookMs);
  }
}

function signalChild(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // Gone meanwhile; one that has changed its user and may not be signalled is met again at the end.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** With their commands; the dead are left out. */
async function named(pids: readonly number[]): Promise<readonly GroupMember[]> {
  const found = await Promise.all(
    pids.map(async (pid): Promise<readonly GroupMember[]> => {
      const trace = await system.trace(pid);
      if (trace === undefined || trace.isDead) return [];
      return (await system.groupMembers(trace.group, [pid])).filter((member) => member.pid === pid);
    }),
  );
  return found.flat();
}
