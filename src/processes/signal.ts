/**
 * Signals a whole process group. While a group has members its number is not given to a new process; so once we have
 * collected its leader, a process with that number proves that the group is gone and the number a stranger's.
 */
import { SkeinError } from '../errors/index.ts';
import type { ProcessGroup } from './group.ts';

/**
 * Signals every member; `false` when the group is gone.
 * @throws {SkeinError} SK1609
 */
export function signalGroup(group: ProcessGroup, signal: NodeJS.Signals): boolean {
  if (isReused(group)) return false;
  try {
    process.kill(-group.pid, signal);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ESRCH') return false;
    // macOS answers so for a group of zombies too; whether anybody lives is for the wait to find out.
    if (code === 'EPERM' && process.platform === 'darwin') return true;
    throw new SkeinError('SK1609', `process group ${group.pid} may not be sent ${signal} (${code})`, {
      cause: error,
    });
  }
}

/** Whether the group has members, be they zombies. Cheap. */
export function groupExists(group: ProcessGroup): boolean {
  return !isReused(group) && answers(-group.pid);
}

function isReused(group: ProcessGroup): boolean {
  return group.exit !== undefined && answers(group.pid);
}

/** Whether a process, or for a negative number a group, exists; one that may not be signalled does. */
function answers(target: number): boolean {
  try {
    process.kill(target, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
