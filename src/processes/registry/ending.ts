/** Asks a group to end that is known by its number alone, and does not go on to kill: that takes a fresh proof. */
import { stopGroup } from '../stop.ts';

export interface EndOptions {
  /**
   * How long a group may take to end after its stop signal, before it is killed, where its record does not say (T-4);
   * 0: it is killed at once.
   */
  readonly timeoutMs: number;
  /** How long a killed group may take to be gone; default 5 s. */
  readonly killTimeoutMs?: number;
  /** Ends the waits, with the signal's reason thrown. */
  readonly abort?: AbortSignal;
}

/**
 * Whether the group is empty within its time. Afterwards it may be gone, and its number a stranger's.
 * @throws {SkeinError} SK1609, SK1611
 */
export async function endsBySignal(
  group: number,
  signal: NodeJS.Signals,
  { timeoutMs, abort }: EndOptions,
): Promise<boolean> {
  if (timeoutMs <= 0) return false;
  const patience = AbortSignal.timeout(timeoutMs);
  const either = abort === undefined ? patience : AbortSignal.any([patience, abort]);
  try {
    await stopGroup({ pid: group }, { signal, timeoutMs: Number.POSITIVE_INFINITY, abort: either });
    return true;
  } catch (error) {
    if (error !== patience.reason) throw error;
    return false;
  }
}
