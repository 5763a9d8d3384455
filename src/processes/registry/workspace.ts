/** Whose a record is, by the root of its workspace. */
import { realpathSync } from 'node:fs';
import type { RegistryEntry } from './read.ts';

/**
 * The records of one workspace, whichever way its root is written; damaged ones as far as their first line can be read.
 * @param root absolute
 */
export function entriesOfWorkspace(
  entries: readonly RegistryEntry[],
  root: string,
): readonly RegistryEntry[] {
  const resolved = resolvedRoot(root);
  return entries.filter(({ record }) => record.reservation?.workspaceRoot === resolved);
}

/** Links are resolved; a root that is not there any more stays as it is written. */
export function resolvedRoot(root: string): string {
  try {
    return realpathSync.native(root);
  } catch (error) {
    if (
      ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'].includes(
        (error as NodeJS.ErrnoException).code ?? '',
      )
    )
      return root;
    throw error;
  }
}
