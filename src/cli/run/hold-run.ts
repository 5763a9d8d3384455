/** Begins a run in this process and holds it until it has ended: claim, flow, output, API, record. */

import { join } from 'node:path';
import {
  claimRun,
  findLeftovers,
  LogFileNames,
  LogStore,
  type RunClaim,
  type ServedRun,
  serveRun,
  settleLeftovers,
  snapshotMessage,
  socketPath,
  writeLastRun,
} from '../../control/index.ts';
import { SkeinError, SkeinFaults } from '../../errors/index.ts';
import type { RunSnapshot } from '../../gen/skein/control/v1/control_pb.js';
import { parsePortOverride } from '../../network/index.ts';
import { Flow, foreseeableFaults, logFileLimitBytes, workspaceLayers } from '../../orchestration/index.ts';
import {
  type EndpointId,
  loadWorkspace,
  type Port,
  type ServiceId,
  type Workspace,
  WorkspaceFaults,
} from '../../workspace/index.ts';
import { choiceOf } from './choice.ts';
import type { EarlyAgents } from './early-agents.ts';
import type { RunRequest } from './request.ts';

export interface HeldRun {
  readonly flow: Flow;
  readonly served: ServedRun;
  /** Ends those who follow the output. To be called once the run has ended. */
  closeOutput(): void;
  /** Writes how the run ended and gives the workspace free. To be called last; answers the last snapshot. */
  finish(): Promise<RunSnapshot>;
}

/** How many lines a failure shows. */
const shownLines = 20;

/**
 * Returns when the run has been started and its API is served.
 * `warn` takes what the person should know and no event says.
 * @throws {SkeinError} whatever is wrong with the workspace, the plan or the command line; SK1501 beside a live run.
 */
export async function holdRun(
  request: RunRequest,
  agents: EarlyAgents,
  signal: AbortSignal,
  warn: (message: string) => void,
): Promise<HeldRun> {
  try {
    return await claimAndBegin(request, agents, signal, warn);
  } catch (error) {
    await agents.discard();
    throw error;
  }
}

async function claimAndBegin(
  request: RunRequest,
  agents: EarlyAgents,
  signal: AbortSignal,
  warn: (message: string) => void,
): Promise<HeldRun> {
  const workspace = await loadWhole(request, signal);
  const choice = choiceOf(workspace, request);
  const claim = await claimRun({
    root: workspace.root,
    workspace: workspace.name,
    run: request.runId,
    socket: socketPath(request.runId),
    now: new Date(),
  });
  try {
    await settleDeadRuns(workspace, request, signal, warn);
    return await begin({ request, workspace, choice, claim, agents, signal, warn });
  } catch (error) {
    claim.release();
    throw error;
  }
}

/**
 * Stops what dead runs of the workspace have left (T-11), and says so. What is not proven is told and keeps no run from
 * starting: where it holds a port that is needed, the plan gate refuses with the name of the holder.
 */
async function settleDeadRuns(
  workspace: Workspace,
  { teardownBudgetMs: timeoutMs }: RunRequest,
  abort: AbortSignal,
  warn: (message: string) => void,
): Promise<void> {
  const leftovers = await findLeftovers(workspace.root);
  if (leftovers.abandoned.length === 0) return;
  const { receipt, faults } = await settleLeftovers(leftovers, {
    order: workspaceLayers(workspace),
    timeoutMs,
    abort,
  });
  const ends = receipt.resources.map(({ id, outcome }) => `${id} (${outcome})`);
  if (ends.length > 0) warn(`a run that is dead had left something running: ${ends.join(', ')}`);
  for (const { code, message, remedy } of faults)
    warn(`${code}: ${message}${remedy === undefined ? '' : `; ${remedy}`}`);
}

/** The workspace; where it does not load, the message also names what else would refuse the run. */
async function loadWhole(request: RunRequest, signal: AbortSignal): Promise<Workspace> {
  try {
    return await loadWorkspace(request.root);
  } catch (error) {
    if (!(error instanceof WorkspaceFaults) || request.temporaryPorts) throw error;
    const taken = await foreseeableFaults(error.readable, readablePorts(request, error.readable), signal);
    throw new SkeinFaults([...error.faults, ...taken]);
  }
}

/** The ports of `--port` as far as they can be understood while the workspace cannot be read whole. */
function readablePorts(request: RunRequest, readable: Workspace): ReadonlyMap<EndpointId, Port> {
  const ports = new Map<EndpointId, Port>();
  for (const written of request.ports) {
    try {
      const { endpoint, port } = parsePortOverride(readable, written);
      ports.set(endpoint, port);
    } catch (error) {
      // What it names may be among the faults; it is judged once the workspace loads.
      if (!(error instanceof SkeinError)) throw error;
    }
  }
  return ports;
}

interface Plan {
  readonly request: RunRequest;
  readonly workspace: Workspace;
  readonly choice: ReturnType<typeof choiceOf>;
  readonly claim: RunClaim;
  readonly agents: EarlyAgents;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

async function begin({ request, workspace, choice, claim, agents, signal, warn }: Plan): Promise<HeldRun> {
  const folder = join(claim.folder, 'logs');
  const files = new LogFileNames(workspace);
  const logs = new LogStore({
    rotateBytes: logFileLimitBytes,
    folder,
    services: () => files.services,
    fileName: (service) => files.of(service),
    writesOwnLog: (service) => flow.writesOwnLog(service),
    onWriteError: (service, error) =>
      warn(`the output of ${service} cannot be kept in a file: ${error.message}`),
  });
  const startedAgents = await agents.take();
  const flow = await Flow.create(
    {
      workspace,
      ...choice,
      runId: request.runId,
      runDirectory: claim.folder,
      failFast: request.failFast,
      failBeforeReady: request.wait,
      readinessTimeoutMs: request.readinessTimeoutMs,
      teardownBudgetMs: request.teardownBudgetMs,
      temporaryPorts: request.temporaryPorts,
      agentPaths: request.agentPaths,
      ...(request.parallelism !== undefined && { parallelism: request.parallelism }),
      logFile: ({ id }) => join(folder, files.of(id)),
      lastLines: ({ id }) => logs.lastLines(id, shownLines),
      // A copy: each look into the real one asks the system.
      callerEnvironment: { ...process.env },
      ...(startedAgents && { startedAgents }),
    },
    signal,
  );
  flow.onLog((chunk) => logs.append(chunk));
  flow.start();
  try {
    const served = await serveRun(flow, logs, claim.record.socket);
    keepFileNames(flow, claim, files);
    endWithJobs(flow);
    const closeOutput = (): void => logs.close();
    return {
      flow,
      served,
      closeOutput,
      finish: () => finish(flow, served, claim, logs, warn),
    };
  } catch (error) {
    await flow.stop({ cause: 'the run cannot be served' });
    logs.close();
    throw error;
  }
}

async function finish(
  flow: Flow,
  served: ServedRun,
  claim: RunClaim,
  logs: LogStore,
  warn: (message: string) => void,
): Promise<RunSnapshot> {
  await flow.ended;
  const last = snapshotMessage(flow.snapshot(), Date.now());
  addLastLines(last, logs);
  try {
    writeLastRun(flow.workspace.root, { endedAt: new Date().toISOString(), run: last });
  } catch (error) {
    // A full disk takes away the record of a run, and not what the run has done.
    if (!(error instanceof SkeinError)) throw error;
    warn(`how the run ended cannot be kept: ${error.message}`);
  }
  await served[Symbol.asyncDispose]();
  claim.release();
  return last;
}

/** The news of a service's end can be faster than its last words, which come by another stream; by now all are here. */
function addLastLines({ failure }: RunSnapshot, logs: LogStore): void {
  if (failure === undefined || failure.service === '' || failure.lastLines.length > 0) return;
  failure.lastLines = [...logs.lastLines(failure.service as ServiceId, shownLines)];
}

/** The record names the log of every service that takes part, or has (U-14). */
function keepFileNames(flow: Flow, claim: RunClaim, files: LogFileNames): void {
  const participants = new Set(flow.snapshot().services.keys());
  const note = (): void =>
    claim.serving(Object.fromEntries([...participants].map((id) => [id, files.of(id)])));
  note();
  flow.onEvent(({ happening }) => {
    if (happening.type !== 'joined') return;
    for (const { id } of happening.services) participants.add(id);
    note();
  });
}

/** A run of jobs alone has nothing left to do when all have completed. */
function endWithJobs(flow: Flow): void {
  const subscription = flow.onEvent(({ happening }) => {
    if (happening.type !== 'service-state' || happening.state !== 'completed') return;
    const services = [...flow.snapshot().services.values()].filter(({ state }) => state !== 'excluded');
    if (services.every(({ kind, state }) => kind === 'job' && state === 'completed')) void end();
  }, 0);
  const end = async (): Promise<void> => {
    subscription[Symbol.dispose]();
    // Whoever waits for readiness hears of it before the end. A run that failed says so itself.
    await flow.waitReady().catch(() => undefined);
    await flow.stop({ cause: 'every job has completed' });
  };
}
