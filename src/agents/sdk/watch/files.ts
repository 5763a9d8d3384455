/**
 * What the watched files looked like, and what has changed since. An event of the system only says that it is worth while
 * to look: files are compared by their content, so that reads, `chmod`, `touch` and a save of the same text change nothing.
 */
import { createHash } from 'node:crypto';
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** A file at the moment at which it was looked at. */
export interface SeenFile {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly inode: bigint;
  /** Of its content; `undefined` until it was read, and for files that are too large to be read for this. */
  digest: string | undefined;
}

/** By absolute path. */
export type SeenFiles = ReadonlyMap<string, SeenFile>;

/** Paths as they were looked at, sorted. */
export interface Changes {
  /** All of them, also those that are gone. */
  readonly files: readonly string[];
  readonly created: readonly string[];
}

/** Larger files are compared by size and time of modification. */
const longestReadBytes = 1024n * 1024n;

/** What changed from `before` to `now`. */
export function changesBetween(before: SeenFiles, now: SeenFiles): Changes {
  const created = [...now.keys()].filter((path) => !before.has(path));
  const gone = [...before.keys()].filter((path) => !now.has(path));
  const changed = [...now].flatMap(([path, file]) => {
    const former = before.get(path);
    return former === undefined || isSame(former, file) ? [] : [path];
  });
  return { files: [...created, ...gone, ...changed].toSorted(), created: created.toSorted() };
}

/** Nobody can have written to it in between. */
export function isUntouched(before: SeenFile, now: SeenFile): boolean {
  return (
    before.size === now.size &&
    before.mtimeNs === now.mtimeNs &&
    before.ctimeNs === now.ctimeNs &&
    before.inode === now.inode
  );
}

function isSame(before: SeenFile, now: SeenFile): boolean {
  if (before === now) return true;
  if (before.size !== now.size) return false;
  if (before.digest !== undefined && now.digest !== undefined) return before.digest === now.digest;
  return before.mtimeNs === now.mtimeNs;
}

export function seenFile(stats: BigIntStats): SeenFile {
  const { size, mtimeNs, ctimeNs, ino } = stats;
  return { size, mtimeNs, ctimeNs, inode: ino, digest: undefined };
}

/** Whether its content is worth reading. */
export function isReadable({ size }: SeenFile): boolean {
  return size <= longestReadBytes;
}

/** Reads the content's digest, if the file is still the one that was seen. */
export function readDigest(path: string, seen: SeenFile): void {
  if (!isReadable(seen)) return;
  let descriptor: number | undefined;
  try {
    // A pipe that has taken its place must not hold us up.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor, { bigint: true });
    if (!stats.isFile() || !isUntouched(seen, seenFile(stats))) return;
    seen.digest = createHash('sha256').update(readFileSync(descriptor)).digest('base64');
  } catch {
    // Gone or unreadable: the comparison goes by size and time.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
