/** The socket of a dead agent, which nobody else takes away. */
import { lstatSync, rmdirSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { SkeinError } from '../../errors/index.ts';

/**
 * Removes it and its folder. What is no socket stays, and so does a folder that has anything else in it.
 * @throws {SkeinError} SK1614
 */
export function removeSocket(path: string | null): void {
  if (path === null) return;
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isSocket()) unlinkSync(path);
    rmdirSync(dirname(path));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(code)) return;
    throw new SkeinError('SK1614', `the socket ${path} of a dead agent cannot be removed`, { cause: error });
  }
}
