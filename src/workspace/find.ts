/** Where the workspace is: the nearest folder upwards that holds `workspace.skein.yaml` (W-3). */
import { dirname, resolve } from 'node:path';
import { SkeinError } from '../errors/index.ts';
import { exists, inFolder, realPath } from './files.ts';

export const workspaceFileName = 'workspace.skein.yaml';

/**
 * The absolute folder, links resolved, of the workspace that `from` lies in.
 * @throws {SkeinError} SK1001 when `from` does not exist or no folder upwards holds a workspace; SK1002 when that cannot be told.
 */
export function findWorkspace(from: string): string {
  const start = resolve(from);
  if (!exists(start))
    throw new SkeinError('SK1001', `there is no folder ${start} to look for a workspace from`, {
      remedy: 'Name a folder that exists.',
    });
  for (let folder = realPath(start); ; folder = dirname(folder)) {
    // Whatever stands under that name ends the walk: the reader says what is wrong with it.
    if (exists(inFolder(folder, workspaceFileName))) return folder;
    if (folder === dirname(folder)) break;
  }
  throw new SkeinError('SK1001', `no ${workspaceFileName} in ${start} or in any folder above it`);
}
