/** `skein clear`: takes away what dead runs have left on disk, of every workspace of this user (T-10). */
import { staleSockets } from '../../control/index.ts';
import { SkeinError } from '../../errors/index.ts';
import { clearRegistry, type RegistryEntry, readRegistry, registryFolder } from '../../processes/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { print, warn } from './live-run.ts';

export interface ClearOptions extends CommonOptions {
  /** Only tell what would be removed. */
  readonly dryRun?: true;
}

/**
 * Needs no workspace. Nothing of a group that runs, or may run, is touched; damaged records are kept and named.
 * @throws {SkeinError} SK1517, SK1611, SK1613 to SK1615
 */
export async function clear(options: ClearOptions): Promise<ExitStatus> {
  const dryRun = options.dryRun === true;
  const folder = registryFolder(process.env);
  const records = await clearRegistry(folder, { dryRun });
  const stale = await staleSockets(process.env);
  const sockets = stale.map(({ path }) => path);
  if (!dryRun) for (const socket of stale) socket.remove();
  const damaged = readRegistry(folder).flatMap(damagedRecord);
  for (const { record, why } of damaged)
    warn(new SkeinError('SK1616', `the record ${record} is kept: it is damaged, for ${why}`));
  print(options, { dryRun, records, sockets, damaged }, clearText(dryRun, [...records, ...sockets]));
  return exitStatus.done;
}

/** What nobody can judge by itself. */
interface DamagedRecord {
  /** Absolute path. */
  readonly record: string;
  readonly why: string;
}

function damagedRecord({ file, record }: RegistryEntry): readonly DamagedRecord[] {
  return record.is === 'damaged' ? [{ record: file, why: record.why }] : [];
}

function clearText(dryRun: boolean, paths: readonly string[]): string {
  if (paths.length === 0) return 'there is nothing to clear';
  return [dryRun ? 'would be removed:' : 'removed:', ...paths.map((path) => `  ${path}`)].join('\n');
}
