/**
 * The run as others see it: its API and the socket that serves it, its output, its record on disk. What is heavy (the
 * RPC library) is loaded when it is used, so that a command that needs none of it starts fast.
 */
import type { Event, LogChunk } from '../gen/skein/control/v1/control_pb.js';
import type { Run } from '../orchestration/index.ts';
import type { ProcessIdentity } from '../processes/index.ts';
import { liveOrBeginningRun } from './beginning.ts';
import { liveRun } from './claim.ts';
import type { RunConnection } from './client.ts';
import type { LogStore } from './logs/log-store.ts';
import type { RunRecord } from './run-record.ts';
import type { ControlServer } from './server.ts';
import type { StaleSocket } from './stale-sockets.ts';

export { noteBeginning } from './beginning.ts';
export {
  claimForClear,
  claimRun,
  isSupervisorAlive,
  latestRun,
  liveRun,
  type RunClaim,
} from './claim.ts';
export type { RunConnection } from './client.ts';
export {
  type Reporter,
  type Supervisor,
  type SupervisorReport,
  startSupervisor,
  supervisorReporter,
} from './detach.ts';
export { findEndedRuns, removeRunFolder } from './ended-runs.ts';
export { controlErrors } from './errors.ts';
export { type LastRun, readLastRun, writeLastRun } from './last-run.ts';
export { beingOf, nameLeftovers, ownerOf } from './leftovers.ts';
export { readEndedLogs } from './logs/ended-logs.ts';
export { LogFileNames, shortName } from './logs/file-name.ts';
export { LogStore } from './logs/log-store.ts';
export { logMessages, runStateWord, serviceStateWord, snapshotMessage } from './messages.ts';
export type { RunRecord } from './run-record.ts';
export { socketPath } from './runtime-folder.ts';
export {
  findLeftovers,
  type Leftovers,
  recordedWorkspaces,
  settleLeftovers,
} from './settle-leftovers.ts';
export { logsFolder, makeRunFolder, newRunId } from './skein-folder.ts';

/** A run's API, served on its socket; and its streams for the process that holds the run. */
export interface ServedRun extends AsyncDisposable {
  /** Every event in batches, until the run has ended. */
  events(): AsyncIterable<readonly Event[]>;
  /** All output in batches, until the log store is closed. */
  output(): AsyncIterable<readonly LogChunk[]>;
}

/**
 * Serves `run` on `socket` until it is disposed of, which lets calls under way finish first.
 * @throws {SkeinError} SK1511
 */
export async function serveRun(run: Run, logs: LogStore, socket: string): Promise<ServedRun> {
  const [{ controlService }, { serveControl }, { readLogs, watchEvents }] = await Promise.all([
    import('./service.ts'),
    import('./server.ts'),
    import('./streams.ts'),
  ]);
  const implementation = controlService(run, logs);
  const server: ControlServer = await serveControl(implementation, socket);
  return {
    events: () => watchEvents(run, 0n),
    output: () => readLogs(logs, { follow: true, sinceMs: 0 }),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      implementation[Symbol.dispose]();
    },
  };
}

/**
 * A client of the workspace's live run; `undefined` when there is none.
 * @throws {SkeinError} SK1505 when it has claimed the workspace and does not come to serve its API; SK1506.
 */
export async function connectToRun(root: string, signal?: AbortSignal): Promise<RunConnection | undefined> {
  return connectWhere(root, await liveRun(root), signal);
}

/**
 * As `connectToRun`, and waits for a detached run that is just beginning, of which `tell` is told once.
 * @throws {SkeinError} SK1505 when it has claimed the workspace and does not come to serve its API; SK1506.
 */
export async function awaitRun(
  root: string,
  tell: (supervisor: ProcessIdentity) => void,
): Promise<RunConnection | undefined> {
  return connectWhere(root, await liveOrBeginningRun(root, tell));
}

async function connectWhere(
  root: string,
  record: RunRecord | undefined,
  signal?: AbortSignal,
): Promise<RunConnection | undefined> {
  // Without a run nothing of the RPC library is needed.
  if (record === undefined) return undefined;
  const { connectTo } = await import('./client.ts');
  return connectTo(root, record, signal);
}

/**
 * The sockets that killed runs and agents of this user have left.
 * @throws {SkeinError} SK1503, SK1517
 */
export async function staleSockets(environment: NodeJS.ProcessEnv): Promise<readonly StaleSocket[]> {
  const { findStaleSockets } = await import('./stale-sockets.ts');
  return findStaleSockets(environment);
}
