/** `postmaster.pid`: who runs on the data, line by line; an orderly end takes it away. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const removalMs = 2_000;

export interface LockFile {
  readonly pid: number;
  /** Number of the System V segment that marks the data as in use; `undefined` while there is none yet. */
  readonly sharedMemory: string | undefined;
}

export function lockFilePath(cluster: string): string {
  return join(cluster, 'postmaster.pid');
}

/** `undefined` where there is none, or none that names a process. */
export function readLockFile(cluster: string): LockFile | undefined {
  let lines: string[];
  try {
    lines = readFileSync(lockFilePath(cluster), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  // Negative in single-user mode.
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10));
  if (!(pid > 0)) return undefined;
  // The seventh line: key and number.
  return { pid, sharedMemory: /^\s*\d+\s+(\d+)\s*$/.exec(lines[6] ?? '')?.[1] };
}

/**
 * Removes the segment of a server that has been killed, and takes with it the mark on the data. The next start on the
 * data would do so too, but there may be none.
 */
export async function removeSharedMemory({ sharedMemory }: LockFile): Promise<void> {
  if (sharedMemory === undefined) return;
  try {
    await promisify(execFile)('ipcrm', ['-m', sharedMemory], { timeout: removalMs });
  } catch {
    // Gone already, or a machine without ipcrm: 56 bytes wait for the next start.
  }
}
