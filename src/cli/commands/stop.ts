/** `skein stop`: ends the run, or services of it, and what dead runs have left; with `--all` that of every workspace. */
import { recordedWorkspaces } from '../../control/index.ts';
import { faultsOf, SkeinError, SkeinFaults } from '../../errors/index.ts';
import { findWorkspace } from '../../workspace/index.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { receiptDocument } from '../view/documents.ts';
import { isClean, receiptText } from '../view/status-text.ts';
import { print } from './live-run.ts';
import { type StopOptions, type Stopped, stopWorkspace } from './stop-workspace.ts';

/**
 * Without a live run and anything left of one there is nothing to do, which is no failure.
 * @throws {SkeinError} as `stopWorkspace` does; what may still run, once the receipt is printed
 */
export async function stop(services: readonly string[], options: StopOptions): Promise<ExitStatus> {
  if (options.all) return stopAll(services, options);
  const stopped = await stopWorkspace(findWorkspace(options.cwd), services, options);
  print(options, receiptDocument(stopped.receipt), textOf(stopped));
  return conclude([stopped], stopped.faults);
}

/** Every workspace by itself: what keeps one running keeps no other. */
async function stopAll(services: readonly string[], options: StopOptions): Promise<ExitStatus> {
  if (services.length > 0 || options.only)
    throw new SkeinError('SK1554', '--all stops every workspace, so no service can be chosen');
  const { roots, faults } = recordedWorkspaces();
  const ends = await Promise.all(roots.map((root) => stopOne(root, options)));
  const stopped = ends.filter((end) => 'receipt' in end);
  print(
    options,
    stopped.map(({ root, receipt }) => ({ root, ...receiptDocument(receipt) })),
    stopped.length === 0
      ? 'no workspace has anything to stop'
      : stopped.map((one) => `${one.root}\n${textOf(one)}`).join('\n\n'),
  );
  return conclude(stopped, [...ends.flatMap((end) => end.faults), ...faults]);
}

type One = (Stopped & { readonly root: string }) | { readonly faults: readonly SkeinError[] };

async function stopOne(root: string, options: StopOptions): Promise<One> {
  try {
    return { root, ...(await stopWorkspace(root, [], options)) };
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    return { faults: faultsOf(error) };
  }
}

function textOf({ receipt, wasLive }: Stopped): string {
  return wasLive || receipt.resources.length > 0 ? receiptText(receipt) : 'no run is live';
}

/** @throws {SkeinFaults} what may still run */
function conclude(stopped: readonly Stopped[], faults: readonly SkeinError[]): ExitStatus {
  if (faults.length > 0) throw new SkeinFaults(faults);
  return stopped.every(({ receipt }) => isClean(receipt)) ? exitStatus.done : exitStatus.failed;
}
