/** The record of a run, `.skein/runs/<run>/run.json`: enough to find a live run, and to read what an ended one said. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SkeinError } from '../errors/index.ts';
import type { ProcessIdentity } from '../processes/index.ts';
import type { ServiceId } from '../workspace/index.ts';
import { keptRuns, runFolder, runsFolder, writeJson } from './skein-folder.ts';

export interface RunRecord {
  readonly run: string;
  /** Name of the workspace. */
  readonly workspace: string;
  /** Absolute root of the workspace. */
  readonly root: string;
  /** The supervisor, so that a number that was reused is not taken for it. */
  readonly supervisor: ProcessIdentity;
  /** Absolute path of the socket that serves the run's API. */
  readonly socket: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** `claimed`: not served yet. A record that says `serving` of a dead supervisor is left by a crash. */
  readonly state: 'claimed' | 'serving' | 'ended';
  /** Name of each service's file in the run's folder `logs`. */
  readonly logs: Readonly<Record<ServiceId, string>>;
}

/** @throws {SkeinError} SK1506 */
export function writeRunRecord(record: RunRecord): void {
  writeJson(join(runFolder(record.root, record.run), 'run.json'), record);
}

/**
 * The record of a run; `undefined` when there is none.
 * @throws {SkeinError} SK1506 when it cannot be read or is not a record.
 */
export function readRunRecord(root: string, runId: string): RunRecord | undefined {
  const document = readJson(join(runFolder(root, runId), 'run.json'));
  return document === undefined ? undefined : (document as RunRecord);
}

/** The newest run that left a record, live or not. @throws {SkeinError} SK1506 */
export function newestRun(root: string): RunRecord | undefined {
  for (const runId of runIds(root).reverse()) {
    const record = readRunRecord(root, runId);
    if (record !== undefined) return record;
  }
  return undefined;
}

/** Removes the folders of the oldest runs beyond those that are kept; `latest` is one of these, whatever its clock said. */
export function pruneRuns(root: string, latest: string): void {
  const others = runIds(root).filter((runId) => runId !== latest);
  for (const runId of others.slice(0, Math.max(0, others.length + 1 - keptRuns)))
    rmSync(runFolder(root, runId), { recursive: true, force: true });
}

/**
 * A JSON document of ours; `undefined` when there is none.
 * @throws {SkeinError} SK1506 when it cannot be read or parsed.
 */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new SkeinError('SK1506', `${path} cannot be read`, { cause });
  }
}

/** Oldest first: the ids sort by time. */
function runIds(root: string): string[] {
  try {
    return readdirSync(runsFolder(root)).sort();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new SkeinError('SK1506', `${runsFolder(root)} cannot be read`, { cause });
  }
}
