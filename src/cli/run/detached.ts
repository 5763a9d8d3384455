/** A run that goes on without this command (U-5): starts its supervisor and waits for what was asked for. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fromJson, type JsonValue } from '@bufbuild/protobuf';
import {
  makeRunFolder,
  noteBeginning,
  type Supervisor,
  type SupervisorReport,
  startSupervisor,
} from '../../control/index.ts';
import { SkeinError } from '../../errors/index.ts';
import { type RunSnapshot, RunSnapshotSchema } from '../../gen/skein/control/v1/control_pb.js';
import type { CommonOptions } from '../common-options.ts';
import { type ErrorDocument, restoreError } from '../error-document.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { failureDocument, receiptDocument, statusDocument } from '../view/documents.ts';
import { spell, table } from '../view/table.ts';
import type { RunRequest } from './request.ts';
import { addresses } from './run-view.ts';

export interface DetachedOptions extends CommonOptions {
  readonly wait?: true;
}

/** `script`: absolute path of what Node executes as `skein`. @throws {SkeinError} what the run failed with; SK1509. */
export async function detached(
  request: RunRequest,
  options: DetachedOptions,
  script: string,
): Promise<ExitStatus> {
  const folder = makeRunFolder(request.root, request.runId);
  const supervisor = await startSupervisor({
    script,
    arguments: ['__supervise', JSON.stringify(request)],
    cwd: request.root,
    log: join(folder, 'supervisor.log'),
    environment: process.env,
  });
  await note(request, supervisor);
  let interrupted = false;
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const passOn = (signal: NodeJS.Signals): void => {
    interrupted = true;
    supervisor.signal(signal);
  };
  for (const signal of signals) process.on(signal, passOn);
  try {
    const status = await answer(supervisor, request, options, folder);
    return interrupted ? exitStatus.interrupted : status;
  } catch (error) {
    if (interrupted) return exitStatus.interrupted;
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, passOn);
    supervisor.release();
  }
}

async function note({ root, runId }: RunRequest, { pid }: Supervisor): Promise<void> {
  try {
    await noteBeginning(root, runId, pid);
  } catch (error) {
    // What keeps it from being written, a full disk say, the run meets too and tells; one that was refused at once took its folder away.
    if (!(error instanceof SkeinError)) throw error;
  }
}

async function answer(
  supervisor: Supervisor,
  request: RunRequest,
  options: DetachedOptions,
  folder: string,
): Promise<ExitStatus> {
  for await (const report of supervisor.reports) {
    switch (report.type) {
      case 'started':
        if (!options.wait) return showStarted(supervisor, request, options);
        break;
      case 'ready':
        return showReady(snapshotOf(report.snapshot), options);
      case 'failed':
        return showFailed(report, options, folder);
    }
  }
  throw supervisor.silence();
}

function showStarted({ pid }: Supervisor, { runId }: RunRequest, options: DetachedOptions): ExitStatus {
  const document = { run: runId, pid, state: 'starting' };
  process.stdout.write(`${options.json ? JSON.stringify(document, null, 2) : runId}\n`);
  return exitStatus.done;
}

function showReady(run: RunSnapshot, options: DetachedOptions): ExitStatus {
  process.stdout.write(`${options.json ? JSON.stringify(statusDocument(run), null, 2) : readyText(run)}\n`);
  return exitStatus.done;
}

/** Each service with its time, then where it can be reached. */
function readyText(run: RunSnapshot): string {
  const took = Number((run.readyAtUnixMs ?? run.startedAtUnixMs) - run.startedAtUnixMs);
  const rows = run.services.map((service) => [
    `  ${service.id}`,
    service.timeToReadyMs === undefined ? 'completed' : `ready after ${spell(service.timeToReadyMs)}`,
  ]);
  const reachable = addresses(run, new Set(run.services.map((service) => service.id)));
  return [
    `run ${run.run} is ready after ${spell(took)}`,
    table(rows),
    ...reachable.map((line) => `  ${line}`),
  ].join('\n');
}

/** @throws {SkeinError} the run's own failure. */
function showFailed(
  report: Extract<SupervisorReport, { type: 'failed' }>,
  options: DetachedOptions,
  folder: string,
): ExitStatus {
  // A run that never began leaves nothing to look at.
  if (report.snapshot === undefined) rmSync(folder, { recursive: true, force: true });
  else if (options.json) {
    const { failure, receipt, ...run } = snapshotOf(report.snapshot);
    const document = {
      run: run.run,
      state: 'failed',
      failure: failure === undefined ? null : failureDocument(failure),
      receipt: receipt === undefined ? null : receiptDocument(receipt),
    };
    process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  }
  if (report.exitStatus === exitStatus.interrupted) return exitStatus.interrupted;
  throw restoreError(report.error as ErrorDocument);
}

function snapshotOf(json: unknown): RunSnapshot {
  return fromJson(RunSnapshotSchema, json as JsonValue);
}
