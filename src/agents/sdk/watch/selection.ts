/** What of the disk is watched: paths and globs as a person wrote them, as folders to walk and files to take. */
import { resolve, sep } from 'node:path';
import picomatch from 'picomatch';

/** What a service watches, as it is written. */
export interface WrittenWatch {
  /** Files, folders and globs; absolute, or relative to `folder`. With `!` in front: one more to `ignore`. */
  readonly paths: readonly string[];
  /** Lines as in a `.gitignore`, relative to `folder`. */
  readonly ignore: readonly string[];
  /** Absolute. */
  readonly folder: string;
  /** Absolute; `.gitignore` files count from here on. */
  readonly workspaceFolder: string;
}

/** A place to look at: a file, or a folder of which some files are taken, or all. */
export interface Root {
  /** Absolute. */
  readonly path: string;
  /** Folders below it that may hold what is taken: 0 for its own files alone. */
  readonly depth: number;
  /** Whether a file below it is taken; its path is relative to the root, with `/`. */
  takes(file: string): boolean;
}

/**
 * The roots of `written`. `exists` says whether a path is there as it is written: a folder may be called `[id]`, which
 * is a glob too.
 */
export function rootsOf(written: WrittenWatch, exists: (path: string) => boolean): readonly Root[] {
  return written.paths
    .filter((text) => !isExclusion(text))
    .map((text) => {
      const { base, glob, isGlob } = picomatch.scan(text);
      if (!isGlob || exists(resolve(written.folder, text))) return plainRoot(written, text);
      const path = resolve(written.folder, base);
      const isMatch = picomatch(glob, { dot: true });
      return {
        path,
        depth: depthOf(glob),
        takes: (file) => isMatch(file),
      };
    });
}

/** Everything that `written` leaves out, as lines of a `.gitignore`. */
export function exclusionsOf({ paths, ignore }: WrittenWatch): readonly string[] {
  return [...paths.filter(isExclusion).map((text) => text.slice(1)), ...ignore];
}

function isExclusion(text: string): boolean {
  return text.startsWith('!');
}

function plainRoot({ folder }: WrittenWatch, text: string): Root {
  const path = resolve(folder, text);
  return { path, depth: Number.POSITIVE_INFINITY, takes: () => true };
}

/** Without `**` and alternatives, every segment is one folder. */
function depthOf(glob: string): number {
  return /\*\*|[{(]/.test(glob) ? Number.POSITIVE_INFINITY : glob.split('/').length - 1;
}

/** `path` relative to `folder`, both absolute and resolved; `undefined` where it lies outside of it, empty for the folder itself. */
export function within(folder: string, path: string): string | undefined {
  if (path === folder) return '';
  const start = folder.endsWith(sep) ? folder : folder + sep;
  return path.startsWith(start) ? path.slice(start.length) : undefined;
}
