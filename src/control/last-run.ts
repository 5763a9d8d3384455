/** How a workspace's last run ended, `.skein/last.json`: for `skein status` when no run is live (T-3). */
import { fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { type RunSnapshot, RunSnapshotSchema } from '../gen/skein/control/v1/control_pb.js';
import { readJson } from './run-record.ts';
import { lastRunFile, writeJson } from './skein-folder.ts';

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

/** `undefined` when no run of the workspace has ended in order yet. @throws {SkeinError} SK1506 */
export function readLastRun(root: string): LastRun | undefined {
  const document = readJson(lastRunFile(root)) as { endedAt: string; run: JsonValue } | undefined;
  if (document === undefined) return undefined;
  return {
    endedAt: document.endedAt,
    run: fromJson(RunSnapshotSchema, document.run, { ignoreUnknownFields: true }),
  };
}
