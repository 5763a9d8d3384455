/** Folders of our own: who may come through to them, and that nobody else has put them there. */
import { lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { AgentFailure } from '../../sdk/index.ts';
import type { ServerUser } from './server-user.ts';

/**
 * Whether a user may enter an existing folder, by the mode bits of everything on its real path. Access lists are not
 * looked at: what they take away shows as an error of the server.
 */
export function mayEnter(folder: string, user: Pick<ServerUser, 'uid' | 'gid'>): boolean {
  for (let path = realpathSync(folder); ; path = dirname(path)) {
    const { uid, gid, mode } = statSync(path);
    const execute = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & execute) === 0) return false;
    if (path === dirname(path)) return true;
  }
}

/**
 * A folder below the state folder of this user, made where it is missing; as root others may come through, not look in.
 * No part of it may be a link, somebody else's, or writable by others.
 * @throws {AgentFailure} POSTGRES_STATE_FOLDER
 */
export function stateFolder(...names: readonly string[]): string {
  let folder = stateRoot();
  mkdirSync(dirname(folder), { recursive: true });
  makeOwnFolder(folder);
  for (const name of names) {
    folder = join(folder, name);
    makeOwnFolder(folder);
  }
  return folder;
}

function stateRoot(): string {
  if (process.getuid?.() === 0) return process.platform === 'darwin' ? '/var/db/skein' : '/var/lib/skein';
  const base = process.env['XDG_STATE_HOME'] ?? '';
  return join(isAbsolute(base) ? base : join(homedir(), '.local', 'state'), 'skein');
}

/** @throws {AgentFailure} POSTGRES_STATE_FOLDER */
function makeOwnFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new AgentFailure('POSTGRES_STATE_FOLDER', `${folder} cannot be made`, { cause: error });
  }
  const fault = faultOf(folder);
  if (fault === undefined) return;
  throw new AgentFailure(
    'POSTGRES_STATE_FOLDER',
    `${folder}, where the data of the server would be, ${fault}`,
    {
      remedy:
        'Find out who made it, and move it away; it must be a folder that this user owns and alone may write to.',
    },
  );
}

function faultOf(folder: string): string | undefined {
  const stats = lstatSync(folder);
  if (stats.isSymbolicLink()) return 'is a symbolic link';
  if (!stats.isDirectory()) return 'is not a folder';
  if (stats.uid !== process.getuid?.()) return `belongs to user ${stats.uid}`;
  if ((stats.mode & 0o022) !== 0)
    return `can be written to by others (mode ${(stats.mode & 0o777).toString(8)})`;
  return undefined;
}
