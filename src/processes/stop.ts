/**
 * Stops a process group: a signal to all of it, a wait until the *group* is empty (its leader may be gone while a child
 * ignores the signal), then SIGKILL, then a check that nothing is left (T-4).
 */
import type { ProcessGroup } from './group.ts';
import { GroupWatch } from './group-watch.ts';
import { signalGroup } from './signal.ts';
import type { GroupMember } from './system.ts';

/** `survivors` are those that outlived the wait: killed since if `forced`, perhaps still running if `timed-out`. */
export type StopOutcome =
  | { readonly outcome: 'stopped' }
  | { readonly outcome: 'forced'; readonly survivors: readonly GroupMember[] }
  | { readonly outcome: 'timed-out'; readonly survivors: readonly GroupMember[] };

export interface StopOptions {
  /** Sent to every member first. */
  readonly signal: NodeJS.Signals;
  /** How long the group may take to empty before it is killed. */
  readonly timeoutMs: number;
  /** How long the killed group may take to be gone; default 5 s. */
  readonly killTimeoutMs?: number;
  /** Ends the wait, with the signal's reason thrown; the caller stops again with another budget, or kills. */
  readonly abort?: AbortSignal;
}

const defaultKillTimeoutMs = 5_000;

/**
 * Returns when the group is empty, or when it has outlived both waits.
 * @throws {SkeinError} SK1609 when members may not be signalled, SK1611
 */
export async function stopGroup(group: ProcessGroup, options: StopOptions): Promise<StopOutcome> {
  options.abort?.throwIfAborted();
  const watch = new GroupWatch(group);
  signalGroup(group, options.signal);
  // A member that is suspended would otherwise not act on the signal.
  signalGroup(group, 'SIGCONT');
  if (await emptiedBySignal(group, watch, options)) return { outcome: 'stopped' };
  return kill(group, watch, options);
}

/**
 * Waits until the group is empty. When its leader has gone the signal is sent once more: a member that was just being
 * forked when it came the first time can have missed it.
 */
async function emptiedBySignal(
  group: ProcessGroup,
  watch: GroupWatch,
  options: StopOptions,
): Promise<boolean> {
  let isWaiting = true;
  group.exited
    ?.then(() => isWaiting && signalGroup(group, options.signal))
    // What may not be signalled is met again by the kill, which says so.
    .catch(() => undefined);
  try {
    return await watch.emptied(options.timeoutMs, options.abort);
  } finally {
    isWaiting = false;
  }
}

/**
 * SIGKILL at once: `forced`, or `stopped` when there was nothing left to kill.
 * @throws {SkeinError} SK1609, SK1611
 */
export async function killGroup(
  group: ProcessGroup,
  options: Pick<StopOptions, 'killTimeoutMs' | 'abort'> = {},
): Promise<StopOutcome> {
  options.abort?.throwIfAborted();
  return kill(group, new GroupWatch(group), options);
}

async function kill(
  group: ProcessGroup,
  watch: GroupWatch,
  { killTimeoutMs = defaultKillTimeoutMs, abort }: Pick<StopOptions, 'killTimeoutMs' | 'abort'>,
): Promise<StopOutcome> {
  const survivors = await watch.members();
  if (survivors.length === 0) return { outcome: 'stopped' };
  signalGroup(group, 'SIGKILL');
  if (await watch.emptied(killTimeoutMs, abort)) return { outcome: 'forced', survivors };
  return { outcome: 'timed-out', survivors: await watch.members() };
}
