/** `skein status`: the live run, or how the last one ended. */
import {
  connectToRun,
  isSupervisorAlive,
  type LastRun,
  latestRun,
  type RunRecord,
  readLastRun,
  runStateWord,
} from '../../control/index.ts';
import { SkeinError } from '../../errors/index.ts';
import { findWorkspace, workspaceName } from '../../workspace/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { failureDocument, receiptDocument, statusDocument } from '../view/documents.ts';
import { failureText, receiptText, statusText } from '../view/status-text.ts';
import { print, warn } from './live-run.ts';

export interface StatusOptions extends CommonOptions {
  readonly last?: true;
}

/** Without a live run the status is 1; with `--last`, 0 where a run has ended. */
export async function status(options: StatusOptions): Promise<ExitStatus> {
  const root = findWorkspace(options.cwd);
  if (options.last) return showLast(options, root, readLastRun(root));
  const connection = await connectToRun(root);
  if (connection === undefined) {
    await showLast(options, root, lastIfWhole(root));
    return exitStatus.failed;
  }
  const { run } = await connection.client.getSnapshot({});
  if (run === undefined) throw new Error('a run always has a snapshot');
  print(options, statusDocument(run), statusText(run, Date.now()));
  return exitStatus.done;
}

/** Who did not ask for the last run learns only that it cannot be told. */
function lastIfWhole(root: string): LastRun | undefined {
  try {
    return readLastRun(root);
  } catch (error) {
    if (!(error instanceof SkeinError) || error.code !== 'SK1515') throw error;
    warn(error);
    return undefined;
  }
}

async function showLast(
  options: StatusOptions,
  root: string,
  last: LastRun | undefined,
): Promise<ExitStatus> {
  const workspace = last?.run.workspace ?? (await workspaceName(root));
  const crashed = await crashedRun(root, last);
  print(
    options,
    {
      workspace,
      root,
      state: 'stopped',
      last: last ? lastDocument(last) : null,
      crashed: crashed?.run ?? null,
    },
    crashed === undefined ? lastText(root, last) : `${crashText(crashed)}\n${lastText(root, last)}`,
  );
  return last === undefined ? exitStatus.failed : exitStatus.done;
}

/** A newer run than the last one that ended in order: its supervisor was killed, or the machine went down. */
async function crashedRun(root: string, last: LastRun | undefined): Promise<RunRecord | undefined> {
  const { record: newest, damaged } = await latestRun(root);
  damaged.forEach(warn);
  if (newest === undefined || newest.state === 'ended' || newest.run === last?.run.run) return undefined;
  // No run of this workspace is live: then it is that of the original, and this a copy.
  return (await isSupervisorAlive(newest)) ? undefined : newest;
}

function crashText({ run, supervisor }: RunRecord): string {
  return `run ${run} ended without a word: its supervisor, process ${supervisor.pid}, is gone; \`skein logs\` has its output`;
}

/** The receipt, and beside it which run that was and how it ended. */
function lastDocument({ run, endedAt }: LastRun): object {
  const receipt =
    run.receipt === undefined
      ? { operation: 'stop', layers: 0, resources: [] }
      : receiptDocument(run.receipt);
  return {
    ...receipt,
    run: run.run,
    startedAt: new Date(Number(run.startedAtUnixMs)).toISOString(),
    endedAt,
    state: runStateWord(run.state),
    failure: run.failure === undefined ? null : failureDocument(run.failure),
    services: statusDocument(run)['services'],
  };
}

function lastText(root: string, last: LastRun | undefined): string {
  if (last === undefined) return `no run of the workspace in ${root} is live, and none has ended in order`;
  const { run, endedAt } = last;
  const head = `no run of ${run.workspace} is live; run ${run.run} ended at ${endedAt} (${runStateWord(run.state)})`;
  const failure = run.failure === undefined ? [] : [failureText(run.failure)];
  const receipt = run.receipt === undefined ? [] : [receiptText(run.receipt)];
  return [head, ...failure, ...receipt].join('\n\n');
}
