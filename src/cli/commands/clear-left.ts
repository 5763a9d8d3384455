/**
 * What dead runs have left on disk: records and sockets, of every workspace of this user; and of the workspace that the
 * command stands in, the folders of ended runs.
 */
import { findEndedRuns, removeRunFolder, staleSockets } from '../../control/index.ts';
import { SkeinError } from '../../errors/index.ts';
import {
  clearRegistry,
  entriesOfWorkspace,
  type RegistryEntry,
  readRegistry,
  registryFolder,
} from '../../processes/index.ts';
import { findWorkspace } from '../../workspace/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { warn } from './live-run.ts';

export interface ClearOptions extends CommonOptions {
  /** Only tell what would be removed. */
  readonly dryRun?: true;
  /** Kept data of services goes too. */
  readonly data?: true;
  /** The deletion of data is confirmed. */
  readonly yes?: true;
  /** Folders to look for agents in. */
  readonly agentPath?: readonly string[];
}

export interface ClearedLeft {
  /** For `--json`. */
  readonly document: {
    readonly dryRun: boolean;
    /** Absolute paths, as are the next two. */
    readonly records: readonly string[];
    readonly sockets: readonly string[];
    /** Folders. */
    readonly runs: readonly string[];
    readonly damaged: readonly DamagedRecord[];
  };
  /** All that was removed, or would be. */
  readonly paths: readonly string[];
}

/** What nobody can judge by itself. */
interface DamagedRecord {
  /** Absolute path. */
  readonly record: string;
  readonly why: string;
}

/**
 * Nothing of a group that runs, or may run, is touched; damaged records are kept and named.
 * @throws {SkeinError} SK1503, SK1506, SK1517, SK1611, SK1613 to SK1615
 */
export async function clearLeft(options: ClearOptions): Promise<ClearedLeft> {
  const dryRun = options.dryRun === true;
  const folder = registryFolder(process.env);
  const records = await clearRegistry(folder, { dryRun });
  const stale = await staleSockets(process.env);
  const sockets = stale.map(({ path }) => path);
  if (!dryRun) for (const socket of stale) socket.remove();
  const left = readRegistry(folder).filter(({ file }) => !records.includes(file));
  const runs = await endedRuns(options, left);
  if (!dryRun) for (const run of runs) removeRunFolder(run);
  const damaged = left.flatMap(damagedRecord);
  for (const { record, why } of damaged)
    warn(new SkeinError('SK1616', `the record ${record} is kept: it is damaged, for ${why}`));
  return {
    document: { dryRun, records, sockets, runs, damaged },
    paths: [...records, ...sockets, ...runs],
  };
}

/** The lines for a person. */
export function listText({ dryRun }: ClearOptions, lines: readonly string[]): string {
  if (lines.length === 0) return 'there is nothing to clear';
  return [dryRun ? 'would be removed:' : 'removed:', ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Of no workspace there are none. `left`: the records that stay. */
async function endedRuns({ cwd }: ClearOptions, left: readonly RegistryEntry[]): Promise<readonly string[]> {
  const root = workspaceAround(cwd);
  if (root === undefined) return [];
  const unsettled = entriesOfWorkspace(left, root).flatMap(({ record }) => {
    const purpose = record.reservation?.purpose;
    return purpose?.kind === 'service' ? [purpose.run] : [];
  });
  const { folders, damaged } = await findEndedRuns(root, new Set(unsettled));
  damaged.forEach(warn);
  return folders;
}

function workspaceAround(cwd: string): string | undefined {
  try {
    return findWorkspace(cwd);
  } catch (error) {
    if (error instanceof SkeinError && error.code === 'SK1001') return undefined;
    throw error;
  }
}

function damagedRecord({ file, record }: RegistryEntry): readonly DamagedRecord[] {
  return record.is === 'damaged' ? [{ record: file, why: record.why }] : [];
}
