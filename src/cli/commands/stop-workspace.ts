/** How one workspace is stopped: its live run is asked, and where there is none, what dead runs have left is settled. */
import { create } from '@bufbuild/protobuf';
import {
  awaitRun,
  connectToRun,
  findLeftovers,
  isSupervisorAlive,
  type Leftovers,
  nameLeftovers,
  ownerOf,
  type RunConnection,
  type RunRecord,
  settleLeftovers,
} from '../../control/index.ts';
import { SkeinError } from '../../errors/index.ts';
import { type Receipt, ReceiptSchema } from '../../gen/skein/control/v1/control_pb.js';
import { loadWorkspace, type Workspace, WorkspaceFaults } from '../../workspace/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { plainText } from '../view/plain-text.ts';

export interface StopOptions extends CommonOptions {
  /** Every workspace of this user. */
  readonly all?: true;
  readonly only?: true;
  /** Milliseconds for each layer. */
  readonly teardownBudget?: number;
}

export interface Stopped {
  readonly receipt: Receipt;
  /** What may still run, and why. */
  readonly faults: readonly SkeinError[];
  /** Whether there was a live run. */
  readonly wasLive: boolean;
}

/** How long the supervisor may take to end after its answer, milliseconds. */
const endTimeoutMs = 15_000;
/** How long one that does not answer is waited for: its API closes just before it ends. */
const silenceMs = 5_000;
const lookMs = 10;
/** That of a run which nobody has given another, milliseconds. */
const defaultBudgetMs = 15_000;

/**
 * Returns when the supervisor has ended; without a live run, when what dead ones have left is settled.
 * @throws {SkeinError} SK1505, SK1506, SK1512, SK1515; whatever the run answers; SK1031, SK1032 for a service that is
 * neither in the workspace nor on record; SK1611, SK1613 to SK1615
 */
export async function stopWorkspace(
  root: string,
  services: readonly string[],
  options: StopOptions,
): Promise<Stopped> {
  const connection = await awaitRun(root, ({ pid }) =>
    say(options, `waiting for a run that is beginning (process ${pid})`),
  );
  const answered = connection && (await stopIfItLives(connection, services, options));
  if (answered !== undefined) return answered;
  const leftovers = await findLeftovers(root);
  // A run may have begun meanwhile.
  const held = leftovers.held.find(({ record }) => record.reservation?.purpose.kind === 'service');
  const begun = held && (await connectToRun(root));
  const stopped = begun && (await stopIfItLives(begun, services, options));
  if (stopped !== undefined) return stopped;
  const { receipt, faults } = await stopLeftovers(leftovers, services, options);
  const owner = held && ownerOf(held, leftovers.held);
  const lost =
    owner &&
    new SkeinError(
      'SK1516',
      `process ${owner.pid} still holds services of ${root}, and no claim in its .skein says of which run`,
    );
  return { receipt, faults: [...faults, ...(lost ? [lost] : [])], wasLive: false };
}

/** `undefined` where the run was ending by itself, and has ended before it could answer. */
async function stopIfItLives(
  connection: RunConnection,
  services: readonly string[],
  options: StopOptions,
): Promise<Stopped | undefined> {
  try {
    return await stopRun(connection, services, options);
  } catch (error) {
    if (!(error instanceof SkeinError) || error.code !== 'SK1505') throw error;
    if (await livesOn(connection.record, silenceMs)) throw error;
    return undefined;
  }
}

async function stopRun(
  { record, client }: RunConnection,
  services: readonly string[],
  options: StopOptions,
): Promise<Stopped> {
  const { only, teardownBudget } = options;
  const request = {
    services: [...services],
    only: only === true,
    ...(teardownBudget !== undefined && { budgetMs: teardownBudget }),
  };
  if (services.length === 0) say(options, `stopping run ${record.run}`);
  // A teardown may last; whether anybody is there to do it is told soon.
  await client.getSnapshot({});
  const { receipt } = await client.stop(request);
  if (services.length === 0) await ended(record);
  return { receipt: receipt ?? nothing(), faults: [], wasLive: true };
}

async function stopLeftovers(
  leftovers: Leftovers,
  services: readonly string[],
  options: StopOptions,
): Promise<{ readonly receipt: Receipt; readonly faults: readonly SkeinError[] }> {
  const { root, abandoned } = leftovers;
  if (abandoned.length === 0) return { receipt: nothing(), faults: [] };
  const workspace = await readable(root);
  // Of a live run nothing of this is needed.
  const { workspaceLayers } = await import('../../orchestration/index.ts');
  say(options, `stopping what a dead run has left of ${root}`);
  return settleLeftovers(leftovers, {
    order: workspace === undefined ? [] : workspaceLayers(workspace),
    timeoutMs: options.teardownBudget ?? defaultBudgetMs,
    ...(services.length > 0 && { services: nameLeftovers(services, abandoned, workspace) }),
  });
}

/** A line for a person. */
function say({ quiet, json }: StopOptions, text: string): void {
  if (!quiet && !json) process.stderr.write(`${plainText(text)}\n`);
}

/** The workspace as far as it can be read; `undefined` where it cannot, or is no more. */
async function readable(root: string): Promise<Workspace | undefined> {
  try {
    return await loadWorkspace(root);
  } catch (error) {
    if (error instanceof WorkspaceFaults) return error.readable;
    if (error instanceof SkeinError) return undefined;
    throw error;
  }
}

function nothing(): Receipt {
  return create(ReceiptSchema, { operation: 'stop' });
}

/** @throws {SkeinError} SK1512 */
async function ended(record: RunRecord): Promise<void> {
  if (await livesOn(record, endTimeoutMs))
    throw new SkeinError(
      'SK1512',
      `process ${record.supervisor.pid} of run ${record.run} has stopped its services, but lives on`,
    );
}

/** Whether the supervisor has not ended within this time. */
async function livesOn(record: RunRecord, timeoutMs: number): Promise<boolean> {
  for (const deadline = Date.now() + timeoutMs; await isSupervisorAlive(record); ) {
    if (Date.now() > deadline) return true;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  return false;
}
