/** How a workspace's last run ended, `.skein/last.json`: for `skein status` when no run is live (T-3). */
import { fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { type RunSnapshot, RunSnapshotSchema } from '../gen/skein/control/v1/control_pb.js';
import { damaged, isObject, readJson, writeJson } from './json-file.ts';
import { lastRunFile } from './skein-folder.ts';

export interface LastRun {
  /** ISO 8601. */
  readonly endedAt: string;
  /** The last snapshot, with the receipt, and with the failure where there was one. */
  readonly run: RunSnapshot;
}

/** @throws {SkeinError} SK1506 */
export function writeLastRun(root: string, last: LastRun): void {
  writeJson(lastRunFile(root), { endedAt: last.endedAt, run: toJson(RunSnapshotSchema, last.run) });
}

/**
 * `undefined` when no run of the workspace has ended in order yet.
 * @throws {SkeinError} SK1506 when it cannot be read, SK1515 when it is damaged.
 */
export function readLastRun(root: string): LastRun | undefined {
  const path = lastRunFile(root);
  const document = readJson(path);
  if (document === undefined) return undefined;
  if (!isObject(document) || !isTime(document['endedAt'])) throw damaged(path);
  const run = snapshotOf(document['run'], path);
  const times = [run, ...run.services].map(({ startedAtUnixMs }) => startedAtUnixMs);
  if (![...times, run.readyAtUnixMs].every(isMoment)) throw damaged(path);
  return { endedAt: document['endedAt'], run };
}

function snapshotOf(document: unknown, path: string): RunSnapshot {
  try {
    return fromJson(RunSnapshotSchema, document as JsonValue, { ignoreUnknownFields: true });
  } catch (cause) {
    throw damaged(path, cause);
  }
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

/** Whether a calendar has it: milliseconds since 1970. */
function isMoment(unixMs: bigint | undefined): boolean {
  return unixMs === undefined || !Number.isNaN(new Date(Number(unixMs)).getTime());
}
