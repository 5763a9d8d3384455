/**
 * Sockets that killed runs and agents have left behind (T-10). Whether somebody still serves one is asked of the socket:
 * the system answers at once for a process that is alive, be it busy or suspended, and refuses when nobody listens.
 */
import { lstatSync, readdirSync, rmdirSync, type Stats, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { socketInFolder } from '../agents/program/index.ts';
import { SkeinError } from '../errors/index.ts';
import { isRunSocket, presentRuntimeFolders } from './runtime-folder.ts';

/** A socket of a run, or the folder of an agent's socket, that nobody serves any more. */
export interface StaleSocket {
  /** Absolute. */
  readonly path: string;
  /** Does nothing where it is gone, or is in use again. @throws {SkeinError} SK1517 */
  remove(): void;
}

/** Longer than anybody takes from the folder of a socket until listening there (the handshake of an agent), milliseconds. */
const beginningMs = 15_000;

/**
 * In the order of their paths; what begins just now is not among them, and neither is what skein has not put there.
 * @throws {SkeinError} SK1503, SK1517
 */
export async function findStaleSockets(environment: NodeJS.ProcessEnv): Promise<readonly StaleSocket[]> {
  const paths = presentRuntimeFolders(environment).flatMap((folder) =>
    namesIn(folder).map((name) => join(folder, name)),
  );
  const found = await Promise.all(paths.toSorted().map(staleSocket));
  return found.filter((socket) => socket !== undefined);
}

async function staleSocket(path: string): Promise<StaleSocket | undefined> {
  const stats = statsOf(path);
  if (stats === undefined || Date.now() - stats.mtimeMs < beginningMs) return undefined;
  if (stats.isSocket() && isRunSocket(path))
    return (await isServed(path)) ? undefined : { path, remove: () => unlinkThere(path) };
  const socket = stats.isDirectory() ? socketInFolder(path) : undefined;
  if (socket === undefined || (await isServed(socket))) return undefined;
  return {
    path,
    remove: () => {
      unlinkThere(socket);
      removeEmpty(path);
    },
  };
}

/** `false` only where the system says that nobody listens, or that nothing is there. */
function isServed(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', ({ code = '' }: NodeJS.ErrnoException) =>
      resolve(!['ECONNREFUSED', 'ENOENT'].includes(code)),
    );
  });
}

function unlinkThere(path: string): void {
  tolerating(['ENOENT'], path, () => unlinkSync(path));
}

/** A folder that has got something meanwhile is somebody's. */
function removeEmpty(folder: string): void {
  tolerating(['ENOENT', 'ENOTEMPTY', 'EEXIST'], folder, () => rmdirSync(folder));
}

function tolerating(codes: readonly string[], path: string, remove: () => void): void {
  try {
    remove();
  } catch (cause) {
    if (codes.includes((cause as NodeJS.ErrnoException).code ?? '')) return;
    throw new SkeinError('SK1517', `${path} cannot be removed`, { cause });
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw new SkeinError('SK1517', `the sockets in ${folder} cannot be read`, { cause });
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw new SkeinError('SK1517', `${path} cannot be judged`, { cause });
  }
}
