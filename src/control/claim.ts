/**
 * The claim of a workspace by one run (T-11), race-free without locks of the file system:
 *
 * Claims are numbered folders in `.skein/claims`, and the highest number is the one that counts. A run claims by moving
 * a folder that it has filled to the number after the highest, which succeeds for one run only, and only when the
 * holder of the highest is dead or has released it. Afterwards it looks again: were its number not the highest any
 * more, it had looked at an old state, and starts over. The holder of the highest removes the lower ones; the highest
 * is never removed, so numbers only grow.
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { SkeinError } from '../errors/index.ts';
import { isStillRunning, type ProcessIdentity, processIdentity } from '../processes/index.ts';
import { diskError } from './disk-error.ts';
import { isObject } from './json-file.ts';
import {
  isIdentity,
  type NewestRun,
  newestRun,
  pruneRuns,
  type RunRecord,
  readRunRecord,
  writeRunRecord,
} from './run-record.ts';
import { makeRunFolder, skeinFolder } from './skein-folder.ts';

export interface ClaimOptions {
  /** Absolute root of the workspace. */
  readonly root: string;
  /** Name of the workspace. */
  readonly workspace: string;
  readonly run: string;
  /** Absolute path of the socket that the run will serve. */
  readonly socket: string;
  readonly now: Date;
}

/** A workspace held by this process until it is released, or this process dies. */
export interface RunClaim {
  readonly record: RunRecord;
  /** Absolute folder of the run. */
  readonly folder: string;
  /** Notes that the API is served and where the output is. @throws {SkeinError} SK1506 */
  serving(logs: RunRecord['logs']): void;
  /** Gives the workspace free; the record stays. Called again it does nothing. @throws {SkeinError} SK1506 */
  release(): void;
}

interface Claim {
  /** Absolute root of the workspace that is held. */
  readonly root: string;
  /** Who holds it: a run, or a command that deletes kept data, which must have no run beside it. */
  readonly holder: 'run' | 'clear';
  /** Id of the run; of a command one of its own, for which there is no record. */
  readonly run: string;
  readonly startedAt: string;
  readonly supervisor: ProcessIdentity;
}

/**
 * Takes the workspace for a run of this process.
 * @throws {SkeinError} SK1501 when a live run holds it, naming the run; SK1518 while its kept data is being deleted;
 * SK1506 when `.skein` cannot be written.
 */
export async function claimRun(options: ClaimOptions): Promise<RunClaim> {
  const { root, run } = options;
  const supervisor = await ownIdentity();
  const claim = { root, run, startedAt: options.now.toISOString(), supervisor };
  const folder = makeRunFolder(root, run);
  try {
    const number = await take(root, { ...claim, holder: 'run' });
    let record: RunRecord = {
      ...claim,
      workspace: options.workspace,
      socket: options.socket,
      state: 'claimed',
      logs: {},
    };
    writeRunRecord(record);
    const update = (change: Partial<RunRecord>): void => {
      record = { ...record, ...change };
      writeRunRecord(record);
    };
    return {
      get record(): RunRecord {
        return record;
      },
      folder,
      serving: (logs) => update({ state: 'serving', logs }),
      release: () => {
        if (record.state === 'ended') return;
        update({ state: 'ended' });
        giveFree(root, number);
        // At the end: a start must not wait for the removal of hundreds of old logs.
        pruneRuns(root, run);
      },
    };
  } catch (error) {
    if (error instanceof SkeinError && ['SK1501', 'SK1518'].includes(error.code))
      rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Takes the workspace for a command that deletes kept data, so that no run begins meanwhile. Disposing gives it free.
 * @param options.id as that of a run, and new
 * @throws {SkeinError} SK1501, SK1518, SK1506 as `claimRun` does
 */
export async function claimForClear(options: {
  readonly root: string;
  readonly id: string;
  readonly now: Date;
}): Promise<Disposable> {
  const { root, id, now } = options;
  const supervisor = await ownIdentity();
  const number = await take(root, {
    root,
    holder: 'clear',
    run: id,
    startedAt: now.toISOString(),
    supervisor,
  });
  return { [Symbol.dispose]: () => giveFree(root, number) };
}

/**
 * The run that holds the workspace, when its supervisor lives.
 * @throws {SkeinError} SK1506, SK1611; SK1515 when its record is damaged, so that it cannot be spoken to.
 */
export async function liveRun(root: string): Promise<RunRecord | undefined> {
  const claim = await liveClaim(root, highest(root));
  // A command that clears is no run, and has no record of one.
  if (claim === undefined || claim.holder === 'clear') return undefined;
  try {
    return readRunRecord(root, claim.run);
  } catch (error) {
    if (!(error instanceof SkeinError) || error.code !== 'SK1515') throw error;
    const { pid } = claim.supervisor;
    throw new SkeinError('SK1515', `run ${claim.run} is live (process ${pid}), but ${error.message}`, {
      cause: error.cause,
      remedy: `End the run with \`kill -INT ${pid}\`; it stops its services in order.`,
    });
  }
}

/** The newest run of a workspace, live or ended. @throws {SkeinError} SK1506, SK1515, SK1611 as `liveRun` does. */
export async function latestRun(root: string): Promise<NewestRun> {
  const live = await liveRun(root);
  return live === undefined ? newestRun(root) : { record: live, damaged: [] };
}

/** Whether the supervisor of a run lives. @throws {SkeinError} SK1611 */
export function isSupervisorAlive(record: RunRecord): Promise<boolean> {
  return isStillRunning(record.supervisor);
}

async function ownIdentity(): Promise<ProcessIdentity> {
  const identity = await processIdentity(process.pid);
  if (identity === undefined) throw new Error('a process always has an identity of its own');
  return identity;
}

function giveFree(root: string, number: number): void {
  writeFileSync(join(claimFolder(root, number), 'released'), '');
}

async function take(root: string, claim: Claim): Promise<number> {
  for (;;) {
    const before = highest(root);
    const holder = await liveClaim(root, before);
    if (holder !== undefined) throw refusal(root, holder);
    const number = before + 1;
    if (!place(root, number, claim)) continue;
    if (highest(root) === number) {
      removeBelow(root, number);
      return number;
    }
    rmSync(claimFolder(root, number), { recursive: true, force: true });
  }
}

/** The claim with this number, when it is held by a live process. */
async function liveClaim(root: string, number: number): Promise<Claim | undefined> {
  if (number === 0) return undefined;
  const folder = claimFolder(root, number);
  const claim = readClaim(join(folder, 'claim.json'));
  if (claim === undefined || entries(folder).includes('released')) return undefined;
  if (isOfAnother(root, claim)) return undefined;
  return (await isStillRunning(claim.supervisor)) ? claim : undefined;
}

/**
 * A copy of a workspace has the claims of the original too, which hold the original alone. A folder that was moved, so
 * that nothing is at its old place, keeps its own.
 */
function isOfAnother(root: string, claim: Claim): boolean {
  const original = statIfThere(claim.root);
  const here = statIfThere(root);
  return original !== undefined && (original.dev !== here?.dev || original.ino !== here.ino);
}

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw diskError(path, 'read', cause);
  }
}

/**
 * What the file says, or `undefined` where it holds no claim: a claim appears whole, so that one that cannot be read was
 * damaged after its holder (a power loss), and nobody holds it.
 */
function readClaim(path: string): Claim | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw diskError(path, 'read', cause);
  }
  try {
    const document: unknown = JSON.parse(text);
    // One without a holder is of a version that knew runs alone.
    const claim = isObject(document) ? { holder: 'run', ...document } : document;
    return isClaim(claim) ? claim : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isClaim(document: unknown): document is Claim {
  return (
    isObject(document) &&
    ['run', 'clear'].includes(document['holder'] as string) &&
    typeof document['root'] === 'string' &&
    typeof document['run'] === 'string' &&
    typeof document['startedAt'] === 'string' &&
    isIdentity(document['supervisor'])
  );
}

/** Whether the number was free; the folder appears with its content. */
function place(root: string, number: number, claim: Claim): boolean {
  const prepared = join(skeinFolder(root), 'claims', `new-${claim.run}`);
  try {
    mkdirSync(prepared, { recursive: true, mode: 0o700 });
    writeFileSync(join(prepared, 'claim.json'), JSON.stringify(claim), { mode: 0o600 });
    renameSync(prepared, claimFolder(root, number));
    return true;
  } catch (cause) {
    rmSync(prepared, { recursive: true, force: true });
    if (['EEXIST', 'ENOTEMPTY'].includes((cause as NodeJS.ErrnoException).code ?? '')) return false;
    throw diskError(claimFolder(root, number), 'written', cause);
  }
}

function removeBelow(root: string, number: number): void {
  for (const lower of numbers(root))
    if (lower < number) rmSync(claimFolder(root, lower), { recursive: true, force: true, maxRetries: 3 });
}

/** 0 where there is none. */
function highest(root: string): number {
  return Math.max(0, ...numbers(root));
}

function numbers(root: string): number[] {
  return entries(join(skeinFolder(root), 'claims'))
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function claimFolder(root: string, number: number): string {
  return join(skeinFolder(root), 'claims', String(number));
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw diskError(folder, 'read', cause);
  }
}

function refusal(root: string, holder: Claim): SkeinError {
  if (holder.holder === 'clear')
    return new SkeinError(
      'SK1518',
      `process ${holder.supervisor.pid} deletes kept data of the workspace in ${root}, since ${holder.startedAt}`,
    );
  return new SkeinError(
    'SK1501',
    `run ${holder.run} of the workspace in ${root} is live (process ${holder.supervisor.pid}, since ${holder.startedAt})`,
  );
}
