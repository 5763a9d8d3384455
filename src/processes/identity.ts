/**
 * What makes a process the one that was meant, when all that is left of it is a number in a record (T-7): pids are
 * reused, so a pid counts only together with when its process began and in which boot.
 */
import { system } from './platform.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** When the process began, in the system's own terms: clock ticks since boot on Linux, a date on macOS. */
  readonly start: string;
  /** Which boot of the machine that was. */
  readonly boot: string;
}

/**
 * The identity of a live process or a zombie; `undefined` when there is none with this pid.
 * @throws {SkeinError} SK1611
 */
export async function processIdentity(pid: number): Promise<ProcessIdentity | undefined> {
  const [start, boot] = await Promise.all([startIdentity(pid), bootIdentity()]);
  return start === undefined ? undefined : { pid, start, boot };
}

/** Alone, for records that are judged part by part (T-8). */
export function startIdentity(pid: number): Promise<string | undefined> {
  return system.startIdentity(pid);
}

/** Asked once: it does not change while we live. */
export function bootIdentity(): Promise<string> {
  boot ??= system.bootIdentity();
  return boot;
}

let boot: Promise<string> | undefined;

/** Whether both are one and the same process, and not two with one pid. */
export function isSameProcess(recorded: ProcessIdentity, found: ProcessIdentity | undefined): boolean {
  return (
    found !== undefined &&
    recorded.pid === found.pid &&
    recorded.start === found.start &&
    recorded.boot === found.boot
  );
}

/**
 * Whether the recorded process still runs. A zombie is dead, although its number is still taken: where nobody collects
 * it, in a container whose first process does not, it would count as alive for ever.
 * @throws {SkeinError} SK1611
 */
export async function isStillRunning(recorded: ProcessIdentity): Promise<boolean> {
  const [found, boot] = await Promise.all([system.trace(recorded.pid), bootIdentity()]);
  return found !== undefined && !found.isDead && isSameProcess(recorded, { ...found, boot });
}

/**
 * Whether one process began before another of the same boot, by their start identities; ticks are compared as numbers,
 * dates as times. What cannot be compared counts as earlier, for it proves nothing.
 */
export function beganBefore(start: string, other: string): boolean {
  const [isTicks, isOtherTicks] = [/^\d+$/.test(start), /^\d+$/.test(other)];
  if (isTicks && isOtherTicks) return BigInt(start) < BigInt(other);
  const [time, otherTime] = [Date.parse(start), Date.parse(other)];
  // A bare number would be read as a year.
  return isTicks || isOtherTicks || Number.isNaN(time) || Number.isNaN(otherTime) || time < otherTime;
}
