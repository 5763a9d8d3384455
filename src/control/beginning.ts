/**
 * A detached run before its claim: its supervisor lives, and loads its code and the workspace. The command that started it
 * notes it in the run's folder, so that a `stop` in that moment waits for it instead of saying that no run is live.
 */
import { join } from 'node:path';
import { SkeinError } from '../errors/index.ts';
import { isStillRunning, type ProcessIdentity, processIdentity } from '../processes/index.ts';
import { liveRun } from './claim.ts';
import { readJson, writeJson } from './json-file.ts';
import { isIdentity, type RunRecord, readRunRecord, runIds } from './run-record.ts';
import { runFolder } from './skein-folder.ts';

/** How long a supervisor may take until its claim, milliseconds; a large workspace on a busy machine takes a few seconds. */
const claimTimeoutMs = 30_000;
const lookMs = 20;

/** `pid`: the supervisor. Does nothing where it has ended already. @throws {SkeinError} SK1506, SK1611 */
export async function noteBeginning(root: string, run: string, pid: number): Promise<void> {
  const supervisor = await processIdentity(pid);
  if (supervisor !== undefined) writeJson(noteFile(root, run), supervisor);
}

/**
 * The live run of a workspace; where there is none and one is beginning, that one, once it has its claim.
 * `undefined`: there is none, or it ended before its claim. `tell` is told once that one is waited for.
 * @throws {SkeinError} SK1505 when it does not come to its claim; SK1506, SK1515, SK1611
 */
export async function liveOrBeginningRun(
  root: string,
  tell: (supervisor: ProcessIdentity) => void,
): Promise<RunRecord | undefined> {
  let isTold = false;
  for (const deadline = Date.now() + claimTimeoutMs; ; ) {
    // Looked for first: what is none any more has come to its claim, or has ended.
    const beginning = await beginningSupervisor(root);
    const live = await liveRun(root);
    if (live !== undefined || beginning === undefined) return live;
    if (Date.now() > deadline)
      throw new SkeinError('SK1505', `a run is beginning (process ${beginning.pid}) and does not go on`);
    if (!isTold) tell(beginning);
    isTold = true;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

async function beginningSupervisor(root: string): Promise<ProcessIdentity | undefined> {
  for (const run of runIds(root)) {
    const supervisor = beginningSupervisorOf(root, run);
    if (supervisor !== undefined && (await isStillRunning(supervisor)) && !hasRecord(root, run))
      return supervisor;
  }
  return undefined;
}

/** Who was started to hold the run, if that was noted. @throws {SkeinError} SK1506 */
export function beginningSupervisorOf(root: string, run: string): ProcessIdentity | undefined {
  try {
    const note = readJson(noteFile(root, run));
    return isIdentity(note) ? note : undefined;
  } catch (error) {
    // A damaged note proves no supervisor.
    if (error instanceof SkeinError && error.code === 'SK1515') return undefined;
    throw error;
  }
}

function hasRecord(root: string, run: string): boolean {
  try {
    return readRunRecord(root, run) !== undefined;
  } catch (error) {
    if (error instanceof SkeinError && error.code === 'SK1515') return true;
    throw error;
  }
}

function noteFile(root: string, run: string): string {
  return join(runFolder(root, run), 'supervisor.json');
}
