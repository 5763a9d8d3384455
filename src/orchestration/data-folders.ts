/**
 * Where the kept data of services lies, `.skein/data/<module>/<service>`. An agent that keeps data elsewhere has its note
 * of that in there, so that a service with kept data is one with a folder.
 */
import { type Dirent, lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SkeinError } from '../errors/index.ts';
import type { ServiceId } from '../workspace/index.ts';

export interface DataFolder {
  /** Of the workspace, or of one that it had once. */
  readonly service: ServiceId;
  /** Absolute. */
  readonly path: string;
}

/** Absolute. `root`: absolute root of the workspace. */
export function dataFolder(root: string, service: ServiceId): string {
  return join(dataRoot(root), service);
}

/** In the order of their names. @throws {SkeinError} SK1416 */
export function dataFolders(root: string): readonly DataFolder[] {
  const folders = dataRoot(root);
  return namesIn(folders).flatMap((module) =>
    namesIn(join(folders, module)).map((name) => ({
      service: `${module}/${name}` as ServiceId,
      path: join(folders, module, name),
    })),
  );
}

/**
 * How much the files in it are; what an agent keeps elsewhere is not counted.
 * @throws {SkeinError} SK1416, SK1417 as `requireOwnFolder`
 */
export function dataBytes(root: string, { service, path }: DataFolder): number {
  requireOwnFolder(root, service);
  return bytesIn(path);
}

/**
 * That no symbolic link stands in the place of a service's folder, or of one above it in `.skein`: what is behind one is
 * not skein's to delete.
 * @throws {SkeinError} SK1417
 */
export function requireOwnFolder(root: string, service: ServiceId): void {
  const path = dataFolder(root, service);
  for (const each of [dataRoot(root), dirname(path), path])
    if (lstatSync(each, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new SkeinError('SK1417', `${each} is a symbolic link, and what it leads to is left alone`, {
        place: { service },
      });
}

/** Links in it are removed, and never followed. @throws {SkeinError} SK1416 */
export function removeDataFolder({ service, path }: DataFolder): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    removeEmpty(dirname(path));
  } catch (cause) {
    throw new SkeinError('SK1416', `the data of ${service} in ${path} cannot be removed`, {
      place: { service },
      cause,
    });
  }
}

function dataRoot(root: string): string {
  return join(root, '.skein', 'data');
}

/** Of folders, and of links that stand in their places. */
function namesIn(folder: string): readonly string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .toSorted();
}

/** A run may be at work in it. */
function bytesIn(folder: string): number {
  return entriesOf(folder)
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return bytesIn(path);
      return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
    })
    .reduce((sum, bytes) => sum + bytes, 0);
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return [];
    throw new SkeinError('SK1416', `the data in ${folder} cannot be read`, { cause });
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
