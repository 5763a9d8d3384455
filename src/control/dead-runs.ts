/** The sockets of runs that were killed: each is that of one run, so that it can go as soon as its supervisor is dead. */
import { lstatSync, unlinkSync } from 'node:fs';
import { SkeinError } from '../errors/index.ts';
import { isSupervisorAlive } from './claim.ts';
import { type RunRecord, readRunRecord, runIds } from './run-record.ts';
import { isRunSocket } from './runtime-folder.ts';

/**
 * Of one workspace. What is no socket, by its name or by what it is, stays.
 * @throws {SkeinError} SK1506, SK1517, SK1611
 */
export async function removeDeadSockets(root: string): Promise<void> {
  for (const run of runIds(root)) {
    const record = recordIfReadable(root, run);
    if (record === undefined || record.state === 'ended' || (await isSupervisorAlive(record))) continue;
    if (isRunSocket(record.socket)) removeSocket(record.socket);
  }
}

/** Of a damaged record there is no socket to know; `skein clear` finds it by itself. */
function recordIfReadable(root: string, run: string): RunRecord | undefined {
  try {
    return readRunRecord(root, run);
  } catch (error) {
    if (error instanceof SkeinError && error.code === 'SK1515') return undefined;
    throw error;
  }
}

function removeSocket(path: string): void {
  try {
    if (lstatSync(path).isSocket()) unlinkSync(path);
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return;
    throw new SkeinError('SK1517', `${path} cannot be removed`, { cause });
  }
}
