/**
 * Where the sockets of runs live: a folder that nobody but this user can enter, with a path so short that a socket fits
 * behind it.
 */
import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { SkeinError } from '../errors/index.ts';
import { privacyFault } from '../processes/index.ts';

/** A socket's path is cut in silence beyond 104 bytes (macOS) or 107 (Linux). */
const longestSocketPath = 100;

/**
 * The absolute path of the folder, made where it is missing: `skein` in XDG_RUNTIME_DIR where that is ours alone, else
 * `skein-<uid>` in the system's temporary folder.
 * @throws {SkeinError} SK1503 when the folder is a link, somebody else's, or open to others.
 */
export function runtimeFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const given = environment['XDG_RUNTIME_DIR'];
  const folder =
    given?.startsWith('/') && isOurs(statIfThere(given)) ? join(given, 'skein') : temporaryFolder();
  try {
    // Not recursive: the folder around it is there, and Node's recursion never ends where nothing can be made (/proc).
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new SkeinError('SK1503', `${folder} cannot be made`, { cause });
  }
  const stats = statIfThere(folder);
  const fault = stats === undefined ? 'was removed at once' : privacyFault(stats);
  if (fault !== undefined) throw new SkeinError('SK1503', `${folder} ${fault}`);
  return folder;
}

/**
 * The absolute path of the socket of a run.
 * @throws {SkeinError} SK1503; SK1504 when it would be longer than a socket's path may be.
 */
export function socketPath(runId: string, environment: NodeJS.ProcessEnv = process.env): string {
  const path = join(runtimeFolder(environment), `${runId}.sock`);
  const length = Buffer.byteLength(path);
  if (length > longestSocketPath)
    throw new SkeinError('SK1504', `${path} has ${length} bytes; a socket may have ${longestSocketPath}`);
  return path;
}

/**
 * The folders that sockets of this user may be in, those of agents too, as far as they are there; nothing is made. One
 * that is not ours alone is none of them.
 * @throws {SkeinError} SK1503
 */
export function presentRuntimeFolders(environment: NodeJS.ProcessEnv): readonly string[] {
  const given = environment['XDG_RUNTIME_DIR'];
  const folders = [...(given?.startsWith('/') ? [join(given, 'skein')] : []), temporaryFolder()];
  return folders.filter((folder) => {
    const stats = statIfThere(folder);
    return stats !== undefined && privacyFault(stats) === undefined;
  });
}

/** Whether a path is, by its name, the socket of a run. */
export function isRunSocket(path: string): boolean {
  return /^\d{8}-\d{6}-[0-9a-z]{4}\.sock$/.test(basename(path));
}

function temporaryFolder(): string {
  return join(tmpdir(), `skein-${userInfo().uid}`);
}

function statIfThere(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new SkeinError('SK1503', `${path} cannot be judged`, { cause: error });
  }
}

function isOurs(stats: Stats | undefined): boolean {
  return stats?.isDirectory() === true && stats.uid === userInfo().uid;
}
