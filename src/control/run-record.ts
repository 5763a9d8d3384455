/** The record of a run, `.skein/runs/<run>/run.json`: enough to find a live run, and to read what an ended one said. */
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SkeinError } from '../errors/index.ts';
import type { ProcessIdentity } from '../processes/index.ts';
import type { ServiceId } from '../workspace/index.ts';
import { diskError } from './disk-error.ts';
import { damaged, isObject, readJson, writeJson } from './json-file.ts';
import { keptRuns, runFolder, runsFolder } from './skein-folder.ts';

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
 * @throws {SkeinError} SK1506 when it cannot be read, SK1515 when it is damaged.
 */
export function readRunRecord(root: string, runId: string): RunRecord | undefined {
  const path = join(runFolder(root, runId), 'run.json');
  const document = readJson(path);
  if (document === undefined || isRunRecord(document)) return document;
  throw damaged(path);
}

/** The newest run that left a record, live or not. */
export interface NewestRun {
  readonly record: RunRecord | undefined;
  /** SK1515 for each newer one whose record is damaged, newest first. */
  readonly damaged: readonly SkeinError[];
}

/** @throws {SkeinError} SK1506 */
export function newestRun(root: string): NewestRun {
  const passed: SkeinError[] = [];
  for (const runId of runIds(root).reverse()) {
    try {
      const record = readRunRecord(root, runId);
      if (record !== undefined) return { record, damaged: passed };
    } catch (error) {
      if (!(error instanceof SkeinError) || error.code !== 'SK1515') throw error;
      passed.push(error);
    }
  }
  return { record: undefined, damaged: passed };
}

/** Removes the folders of the oldest runs beyond those that are kept; `latest` is one of these, whatever its clock said. */
export function pruneRuns(root: string, latest: string): void {
  const others = runIds(root).filter((runId) => runId !== latest);
  for (const runId of others.slice(0, Math.max(0, others.length + 1 - keptRuns)))
    rmSync(runFolder(root, runId), { recursive: true, force: true });
}

/** Oldest first: the ids sort by time. @throws {SkeinError} SK1506 */
export function runIds(root: string): string[] {
  try {
    return readdirSync(runsFolder(root)).sort();
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return [];
    throw diskError(runsFolder(root), 'read', cause);
  }
}

function isRunRecord(document: unknown): document is RunRecord {
  return (
    isObject(document) &&
    ['run', 'workspace', 'root', 'socket', 'startedAt'].every((key) => typeof document[key] === 'string') &&
    ['claimed', 'serving', 'ended'].includes(document['state'] as string) &&
    isIdentity(document['supervisor']) &&
    isObject(document['logs']) &&
    Object.values(document['logs']).every((name) => typeof name === 'string' && name === basename(name))
  );
}

/** Whether a value that was read from disk is that of a process. */
export function isIdentity(value: unknown): value is ProcessIdentity {
  return (
    isObject(value) &&
    Number.isSafeInteger(value['pid']) &&
    typeof value['start'] === 'string' &&
    typeof value['boot'] === 'string'
  );
}
