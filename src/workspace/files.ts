/** The reader's only touch of the disk: bounded text in (W-4), and paths that stay inside a root (W-3). */
import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { type ErrorCode, type FilePlace, SkeinError } from '../errors/index.ts';
import { SourceText } from './source.ts';

/** 1 MiB (W-4). */
export const maxFileBytes: number = 1024 * 1024;

const byteOrderMark = '\uFEFF';

/**
 * Reads a regular file of UTF-8 within the bound.
 * @throws {SkeinError} SK1002 (missing, no regular file, not readable), SK1003 (too large), SK1004 (not UTF-8).
 */
export function readSource(file: string): SourceText {
  // Judged before opening: opening a pipe would wait for its writer.
  const stats = statOf(file);
  if (stats === undefined) throw new SkeinError('SK1002', `${file} does not exist`);
  if (!stats.isFile())
    throw new SkeinError('SK1002', `${file} is ${kindOf(stats)}, not a file`, { place: fileStart(file) });
  const bytes = stats.size > maxFileBytes ? undefined : reading(file, () => readFileSync(file));
  const size = bytes?.length ?? stats.size;
  if (bytes === undefined || size > maxFileBytes)
    throw new SkeinError('SK1003', `${file} holds ${size} bytes; a file may hold ${maxFileBytes} (1 MiB)`, {
      place: fileStart(file),
    });
  if (!isUtf8(bytes)) throw notUtf8(file, bytes);
  const text = bytes.toString('utf8');
  return new SourceText(file, text.startsWith(byteOrderMark) ? text.slice(1) : text);
}

/** Whether anything, of whatever kind, stands at the path. @throws {SkeinError} SK1002 when that cannot be told. */
export function exists(path: string): boolean {
  return statOf(path) !== undefined;
}

/** @throws {SkeinError} SK1002 when that cannot be told. */
export function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

/**
 * Names of the folders (or links to folders) in a folder, sorted, hidden ones left out; none when there is no such folder.
 * @throws {SkeinError} SK1002
 */
export function foldersIn(folder: string): readonly string[] {
  if (!isFolder(folder)) return [];
  const entries = reading(folder, () => readdirSync(folder, { withFileTypes: true }));
  return entries
    .filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()))
    .map((entry) => entry.name)
    .sort();
}

/** The path with all links resolved. @throws {SkeinError} SK1002 */
export function realPath(path: string): string {
  return reading(path, () => realpathSync.native(path));
}

/** Whether the path exists and no part of it is a link; false also where that cannot be told. */
export function isRealPath(path: string): boolean {
  try {
    return realpathSync.native(path) === path;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/** What a written path is resolved by, and where it may lead. */
export interface PathBounds {
  /** Absolute, links resolved: the folder that the path is relative to. */
  readonly base: string;
  /** Absolute, links resolved: nothing outside is accepted. */
  readonly root: string;
}

/**
 * The absolute path that `written` names, links resolved, proven inside the root before and after resolving (W-3).
 * @throws {SkeinError} SK1020 (outside), SK1021 (nothing there), SK1002 (cannot be told).
 */
export function resolveInside(
  written: string,
  bounds: PathBounds,
  place: FilePlace,
  whose: 'module' | 'workspace' = 'module',
): string {
  const path = resolve(bounds.base, written);
  if (!isInside(bounds.root, path))
    throw new SkeinError('SK1020', `the path \`${written}\` leaves the ${whose}'s root ${bounds.root}`, {
      place,
    });
  if (statOf(path, place) === undefined)
    throw new SkeinError('SK1021', `the path \`${written}\` names nothing: ${path} does not exist`, {
      place,
    });
  const real = reading(path, () => realpathSync.native(path), place);
  if (!isInside(bounds.root, real))
    throw new SkeinError(
      'SK1020',
      `the path \`${written}\` leads through a link to ${real}, outside the ${whose}'s root ${bounds.root}`,
      {
        place,
      },
    );
  return real;
}

/** Whether a path, taken as written, is the root or lies below it. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && resolve(root, way) === path;
}

/** The first character of a file, for what is wrong with the file as a whole. */
export function fileStart(file: string): FilePlace {
  return { file, line: 1, column: 1 };
}

/** `folder/name`, absolute. */
export function inFolder(folder: string, ...names: readonly string[]): string {
  return join(folder, ...names);
}

function statOf(path: string, place?: FilePlace): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A file where a folder should be: the path names nothing.
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined;
    throw unreadable(path, error, place);
  }
}

function reading<T>(path: string, read: () => T, place?: FilePlace): T {
  try {
    return read();
  } catch (error) {
    throw unreadable(path, error, place);
  }
}

function unreadable(path: string, cause: unknown, place: FilePlace = fileStart(path)): SkeinError {
  const code: ErrorCode = 'SK1002';
  return new SkeinError(code, `${path} cannot be read`, { place, cause });
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

function notUtf8(file: string, bytes: Buffer): SkeinError {
  // The longest prefix that decodes: bad bytes make every longer one fail.
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodes(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  const text = new TextDecoder('utf-8').decode(bytes.subarray(0, good), { stream: true });
  // A bad sequence is seen at its second byte or later; it begins where the last whole character ended.
  const badByte = Buffer.byteLength(text) + 1;
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return new SkeinError(
    'SK1004',
    `${file} is not UTF-8${utf16 ? ': it is UTF-16' : `: byte ${badByte} belongs to no character`}`,
    {
      place: new SourceText(file, text).place(text.length),
    },
  );
}

function decodes(prefix: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(prefix, { stream: true });
    return true;
  } catch (error) {
    // The documented answer of a fatal decoder to bad bytes; anything else is a bug.
    if (error instanceof TypeError) return false;
    throw error;
  }
}
