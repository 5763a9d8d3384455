/**
 * One look at everything that is watched: which files there are and what they look like, and in which folders to listen
 * for changes. Synchronous calls, for they cost a quarter of the others, in slices that leave room for other services.
 */
import { type BigIntStats, type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import { isUntouched, readDigest, type SeenFile, seenFile } from './files.ts';
import { foldersAbove, ownRules, type Rules } from './rules.ts';
import { exclusionsOf, type Root, rootsOf, type WrittenWatch, within } from './selection.ts';
import type { Slices } from './slices.ts';

/** Whether something of this name in the folder is worth a look when it changes. */
type Interest = (name: string) => boolean;

export interface Scan {
  readonly files: ReadonlyMap<string, SeenFile>;
  /** Folders to listen to, and what is of interest in them. */
  readonly folders: ReadonlyMap<string, readonly Interest[]>;
  /** What cannot be looked at, and why. */
  readonly faults: ReadonlyMap<string, Error>;
  /** Named paths that do not exist. */
  readonly missing: readonly string[];
}

export interface ScanOptions {
  readonly written: WrittenWatch;
  /** What is known of files that nobody has touched since is taken over. */
  readonly previous: Scan | undefined;
  /** Called before a folder is read, so that nothing that happens afterwards is missed; `identity` tells it from one that
   * stood there before. */
  readonly listen: (folder: string, identity: string) => void;
  readonly slices: Slices;
}

export async function scan(options: ScanOptions): Promise<Scan> {
  const scanning = new Scanning(options);
  for (const root of rootsOf(options.written, (path) => stats(path) instanceof Error === false))
    await scanning.look(root);
  return scanning;
}

class Scanning implements Scan {
  readonly files: Map<string, SeenFile> = new Map();
  readonly folders: Map<string, Interest[]> = new Map();
  readonly faults: Map<string, Error> = new Map();
  readonly missing: string[] = [];
  readonly #options: ScanOptions;
  /** Folders that the present root has led to, as device and inode: a link may lead back. */
  #seen: Set<string> = new Set();

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  async look(root: Root): Promise<void> {
    this.#listenAbove(root.path);
    const found = stats(root.path);
    if (found instanceof Error) {
      if (isAbsence(found)) this.missing.push(root.path);
      else this.faults.set(root.path, found);
      return;
    }
    const { written } = this.#options;
    const own = ownRules(exclusionsOf(written), written.folder);
    if (!found.isDirectory()) {
      if (!own.ignores(root.path, false)) this.#take(root.path, found, isLink(root.path));
      return;
    }
    this.#seen = new Set();
    await this.#walk(root.path, { root, rules: this.#rulesAbove(root.path, own), depth: root.depth, found });
  }

  async #walk(
    folder: string,
    { root, rules, depth, found }: { root: Root; rules: Rules; depth: number; found: BigIntStats },
  ): Promise<void> {
    const { listen, slices } = this.#options;
    const place = `${found.dev}:${found.ino}`;
    if (this.#seen.has(place)) return;
    this.#seen.add(place);
    listen(folder, `${place}:${found.birthtimeNs}`);
    const entries = this.#entries(folder);
    const inside = entries.some(({ name }) => name === '.gitignore')
      ? this.#withGitignore(folder, rules)
      : rules;
    const takes = (path: string): boolean =>
      root.takes(within(root.path, path) ?? '') && !inside.ignores(path, false);
    this.#interest(folder, (name) => {
      const path = join(folder, name);
      if (takes(path)) return true;
      return depth > 0 && !inside.ignores(path, true) && (this.folders.has(path) || isFolder(path));
    });
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const kind = kindOf(entry, path);
      if (kind === 'folder' && depth > 0 && !inside.ignores(path, true)) {
        const child = stats(path);
        if (!(child instanceof Error))
          await this.#walk(path, { root, rules: inside, depth: depth - 1, found: child });
      } else if (kind === 'file' && takes(path)) {
        const child = stats(path);
        if (!(child instanceof Error)) this.#take(path, child, entry.isSymbolicLink());
      }
    }
    if (slices.isOver) await slices.next();
  }

  #entries(folder: string): readonly Dirent[] {
    try {
      return readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      // Gone since: whoever listens to the folder above hears of it.
      if (!isAbsence(error)) this.faults.set(folder, error as Error);
      return [];
    }
  }

  #take(path: string, found: BigIntStats, isLinked: boolean): void {
    const before = this.#options.previous?.files.get(path);
    const seen = seenFile(found);
    const isKnown = before !== undefined && isUntouched(before, seen);
    if (before?.digest !== undefined && !isKnown) readDigest(path, seen);
    this.files.set(path, isKnown ? before : seen);
    if (isLinked) this.#listenToTarget(path);
  }

  /** A link's own folder tells nothing of what is written to the file that it leads to. */
  #listenToTarget(path: string): void {
    try {
      this.#listenFor(realpathSync(path));
    } catch (error) {
      if (!isAbsence(error)) this.faults.set(path, error as Error);
    }
  }

  /** That it comes, goes, or is replaced is told by the folder above; if that is not there, by the one above that. */
  #listenAbove(path: string): void {
    const { root } = parse(path);
    for (let at = path; at !== root && !this.#listenFor(at); ) at = dirname(at);
  }

  #listenFor(path: string): boolean {
    const above = dirname(path);
    const found = stats(above);
    if (found instanceof Error || !found.isDirectory()) return false;
    this.#options.listen(above, `${found.dev}:${found.ino}:${found.birthtimeNs}`);
    const wanted = basename(path);
    this.#interest(above, (name) => name === wanted);
    return true;
  }

  #interest(folder: string, interest: Interest): void {
    const interests = this.folders.get(folder);
    if (interests === undefined) this.folders.set(folder, [interest]);
    else interests.push(interest);
  }

  /** What is named although a `.gitignore` above it speaks against it is watched: then none of those counts. */
  #rulesAbove(path: string, own: Rules): Rules {
    const folders = foldersAbove(path, this.#options.written.workspaceFolder);
    let rules = own;
    for (const [at, folder] of folders.entries()) {
      rules = this.#withGitignore(folder, rules);
      if (rules.ignores(folders[at + 1] ?? path, true)) return own;
    }
    return rules;
  }

  #withGitignore(folder: string, rules: Rules): Rules {
    try {
      return rules.and(folder, readFileSync(join(folder, '.gitignore'), 'utf8'));
    } catch (error) {
      if (!isAbsence(error)) this.faults.set(join(folder, '.gitignore'), error as Error);
      return rules;
    }
  }
}

/** Of what a link leads to. */
function stats(path: string): BigIntStats | Error {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    return error as Error;
  }
}

function kindOf(entry: Dirent, path: string): 'file' | 'folder' | 'other' {
  if (entry.isDirectory()) return 'folder';
  if (entry.isFile()) return 'file';
  if (!entry.isSymbolicLink()) return 'other';
  const target = stats(path);
  // A link that leads nowhere is no source.
  if (target instanceof Error) return 'other';
  return target.isDirectory() ? 'folder' : target.isFile() ? 'file' : 'other';
}

function isFolder(path: string): boolean {
  const found = stats(path);
  return !(found instanceof Error) && found.isDirectory();
}

function isLink(path: string): boolean {
  try {
    return realpathSync(path) !== path;
  } catch {
    // It was there a moment ago: the folder above tells what became of it.
    return false;
  }
}

function isAbsence(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
