/**
 * Folders of ended runs in `.skein/runs` that nobody asks for any more (T-10): `skein status` and `skein logs` read the
 * newest run's.
 */
import { lstatSync, rmSync } from 'node:fs';
import { SkeinError } from '../errors/index.ts';
import { isStillRunning } from '../processes/index.ts';
import { beginningSupervisorOf } from './beginning.ts';
import { diskError } from './disk-error.ts';
import { newestRun, readRunRecord, runIds } from './run-record.ts';
import { runFolder } from './skein-folder.ts';

/** Longer than a run takes from the making of its folder to its record, milliseconds. */
const beginningMs = 60_000;

export interface EndedRuns {
  /** Absolute paths of their folders, oldest first. */
  readonly folders: readonly string[];
  /** SK1515 for each whose record is damaged, so that nobody can tell whether it has ended; they are kept. */
  readonly damaged: readonly SkeinError[];
}

/**
 * Without the newest run, those that live or begin, and those of which something is on record as started.
 * @param unsettled ids of the latter
 * @throws {SkeinError} SK1506, SK1611
 */
export async function findEndedRuns(root: string, unsettled: ReadonlySet<string>): Promise<EndedRuns> {
  const newest = newestRun(root).record?.run;
  const folders: string[] = [];
  const damaged: SkeinError[] = [];
  for (const run of runIds(root)) {
    if (run === newest || unsettled.has(run)) continue;
    try {
      if (await hasEnded(root, run)) folders.push(runFolder(root, run));
    } catch (error) {
      if (!(error instanceof SkeinError) || error.code !== 'SK1515') throw error;
      damaged.push(error);
    }
  }
  return { folders, damaged };
}

/** @throws {SkeinError} SK1506 */
export function removeRunFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (cause) {
    throw diskError(folder, 'removed', cause);
  }
}

async function hasEnded(root: string, run: string): Promise<boolean> {
  const stats = lstatSync(runFolder(root, run), { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return false;
  const record = readRunRecord(root, run);
  if (record !== undefined) return record.state === 'ended' || !(await isStillRunning(record.supervisor));
  const beginning = beginningSupervisorOf(root, run);
  if (beginning !== undefined && (await isStillRunning(beginning))) return false;
  return Date.now() - stats.mtimeMs > beginningMs;
}
