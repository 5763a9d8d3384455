/**
 * Where the records of this user's process groups are kept: a folder of the user's own, 0700. One that somebody else could
 * have put there, or look into, is refused and never mended.
 */
import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { SkeinError } from '../../errors/index.ts';
import { privacyFault } from '../private-folder.ts';

/** Absolute; in XDG_STATE_HOME, or where that is not set in `~/.local/state`. Nothing may be there yet. */
export function registryFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const { XDG_STATE_HOME: given, HOME: home } = environment;
  const state = isPath(given) ? given : join(isPath(home) ? home : homedir(), '.local', 'state');
  return join(state, 'skein', 'process-groups');
}

function isPath(value: string | undefined): value is string {
  return value !== undefined && isAbsolute(value);
}

/**
 * Makes the folder where it is missing.
 * @throws {SkeinError} SK1613
 */
export function makeRegistryFolder(folder: string): void {
  if (isRegistryFolder(folder)) return;
  try {
    makeFolder(folder);
  } catch (error) {
    throw new SkeinError('SK1613', `the folder ${folder} for records of process groups cannot be made`, {
      cause: error,
    });
  }
  isRegistryFolder(folder);
}

/**
 * Whether the folder is there.
 * @throws {SkeinError} SK1613 when it is not private to this user
 */
export function isRegistryFolder(folder: string): boolean {
  const stats = statsOf(folder);
  if (stats === undefined) return false;
  const fault = privacyFault(stats);
  if (fault === undefined) return true;
  throw new SkeinError('SK1613', `${folder}, where the records of process groups are kept, ${fault}`);
}

function statsOf(folder: string): Stats | undefined {
  try {
    return lstatSync(folder, { throwIfNoEntry: false });
  } catch (error) {
    throw new SkeinError('SK1613', `the folder ${folder} for records of process groups cannot be judged`, {
      cause: error,
    });
  }
}

/** Node's own recursion never ends where nothing can be made (/proc). */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    makeFolder(dirname(folder));
    mkdirSync(folder, { mode: 0o700 });
  }
}
