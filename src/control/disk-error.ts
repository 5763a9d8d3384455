/** Why a file of skein's cannot be used; above all, that it belongs to somebody else: `sudo skein run` leaves such files. */
import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { SkeinError } from '../errors/index.ts';

/** SK1506: a file or folder that cannot be read, written, made or removed. `cause`: the system's error. */
export function diskError(
  path: string,
  verb: 'read' | 'written' | 'made' | 'removed',
  cause: unknown,
): SkeinError {
  const message = `${path} cannot be ${verb}`;
  const owned = isForbidden(cause) ? foreignOwner(path) : undefined;
  if (owned === undefined) return new SkeinError('SK1506', message, { cause });
  return new SkeinError('SK1506', `${message}: ${owned.path} belongs to ${owned.owner}`, {
    cause,
    remedy: `Run the command as that user, or make it yours: sudo chown -R "$(id -u)" ${owned.path}`,
  });
}

/** Whether the system has refused what it would allow another user. */
export function isForbidden(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}

/**
 * The nearest of the absolute path and the folders above it that can be seen, and whose it is; `undefined` where that is
 * this user.
 */
export function foreignOwner(path: string): { readonly path: string; readonly owner: string } | undefined {
  for (let at = path; ; at = dirname(at)) {
    const uid = ownerOf(at);
    if (uid === process.getuid?.()) return undefined;
    if (uid !== undefined) return { path: at, owner: uid === 0 ? 'root' : `another user (${uid})` };
    if (at === dirname(at)) return undefined;
  }
}

/** `undefined` where there is nothing, or it cannot be seen. */
function ownerOf(path: string): number | undefined {
  try {
    return lstatSync(path).uid;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (isForbidden(error) || ['ENOENT', 'ENOTDIR'].includes(code)) return undefined;
    throw error;
  }
}
