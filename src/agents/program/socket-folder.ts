/**
 * A fresh private folder for the socket of one agent: under XDG_RUNTIME_DIR where that is ours and short enough,
 * else in a 0700 folder of the user's own in the system's temporary folder, whose owner is checked. A folder that
 * somebody else could have put there (a link, another owner, open permissions) is refused, never mended.
 */
import { lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { SkeinError } from '../../errors/index.ts';
import { privacyFault } from '../../processes/index.ts';
import { SOCKET_PATH_LIMIT_BYTES } from './protocol.ts';

export interface SocketFolder {
  /** Absolute; nothing is there yet. At most 100 bytes. */
  readonly socket: string;
  /** Absolute, 0700. */
  readonly folder: string;
  /** Removes the folder and what is in it; repeating it does nothing. */
  remove(): void;
}

export interface SocketPlaces {
  /** Value of XDG_RUNTIME_DIR; absent where it is not set. */
  readonly runtimeDirectory: string | undefined;
  /** Default: the system's. */
  readonly temporaryDirectory?: string;
}

const socketName = 's';
/** What `mkdtemp` adds, and the socket's name: `/a-XXXXXX/s`. */
const suffixBytes = '/a-XXXXXX/'.length + socketName.length;

/** @throws {SkeinError} SK1307 when there is no place that is private and short enough. */
export function makeSocketFolder(places: SocketPlaces): SocketFolder {
  const folder = mkdtempSync(join(privateBase(places), 'a-'));
  return {
    folder,
    socket: join(folder, socketName),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The socket of the folder that an agent was given; `undefined` where a path is, by its name, none. */
export function socketInFolder(path: string): string | undefined {
  return /^a-[A-Za-z0-9]{6}$/.test(basename(path)) ? join(path, socketName) : undefined;
}

function privateBase({ runtimeDirectory, temporaryDirectory = tmpdir() }: SocketPlaces): string {
  if (runtimeDirectory !== undefined && isAbsolute(runtimeDirectory) && isOwnFolder(runtimeDirectory)) {
    const base = join(runtimeDirectory, 'skein');
    if (isShortEnough(base)) return ownFolder(base);
  }
  const base = join(temporaryDirectory, `skein-${process.getuid?.() ?? 'user'}`);
  if (isShortEnough(base)) return ownFolder(base);
  throw new SkeinError(
    'SK1307',
    `${temporaryDirectory} is too long a path for a socket below it: at most ${SOCKET_PATH_LIMIT_BYTES} bytes are sure to be kept whole`,
  );
}

function isShortEnough(base: string): boolean {
  return Buffer.byteLength(base) + suffixBytes <= SOCKET_PATH_LIMIT_BYTES;
}

function isOwnFolder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && privacyFault(stats) === undefined;
}

function ownFolder(path: string): string {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST'))
      throw new SkeinError('SK1307', `the folder ${path} for sockets cannot be made`, { cause: error });
  }
  const fault = privacyFault(lstatSync(path));
  if (fault !== undefined)
    throw new SkeinError('SK1307', `${path}, where the sockets of agents would be, ${fault}`);
  return path;
}
