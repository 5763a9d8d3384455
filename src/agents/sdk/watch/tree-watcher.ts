/**
 * Tells what has changed in a watched tree, burst by burst. Events wake it, a look at the whole tree decides: nothing is
 * told that is not different, and nothing is missed because an event was.
 *
 *   quiet ── touched ──▶ burst ── over ──▶ look ── nothing differs ──▶ quiet
 *                          ▲                 │
 *                          └── many differ, and they may be still more ── else: told
 */
import type { watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause, setImmediate as waiting } from 'node:timers/promises';
import { type Burst, burstEndMs, joined } from './burst.ts';
import { type Changes, changesBetween, isReadable, readDigest } from './files.ts';
import { FolderListeners } from './folder-listeners.ts';
import { type Scan, scan } from './scan.ts';
import type { WrittenWatch } from './selection.ts';
import { Slices } from './slices.ts';

export interface TreeWatcherOptions {
  readonly written: WrittenWatch;
  /** `atMs`: of the first touch, by `performance.now()`. */
  readonly onChange: (changes: Changes, atMs: number) => void;
  /** For the person: what cannot be watched, or not at once. Each thing is said once. */
  readonly say: (text: string) => void;
  /** Whether a touch of this file, by its absolute path, is not worth a look. */
  readonly isIdle: (path: string) => boolean;
  readonly listen?: typeof watch;
}

/** Where the system does not tell of changes, the tree is looked at in this rhythm. */
const pollMs = 2_000;
/** The digests of this many files and bytes are read at once; those of larger trees leave time to the services that start. */
const readAtOnce = { files: 500, bytes: 4n * 1024n * 1024n };
const digestPauseMs = 20;

export class TreeWatcher implements Disposable {
  readonly #options: TreeWatcherOptions;
  readonly #listeners: FolderListeners;
  readonly #said = new Set<string>();
  readonly #closing = new AbortController();
  #base: Scan | undefined;
  #burst: Burst | undefined;
  #timer: NodeJS.Timeout | undefined;
  #polling: NodeJS.Timeout | undefined;
  /** Looks follow one another. */
  #looks: Promise<void> = Promise.resolve();

  private constructor(options: TreeWatcherOptions) {
    this.#options = options;
    this.#listeners = new FolderListeners({
      onTouch: (folder, name) => this.#touched(folder, name),
      onRefusal: (folder, error) => this.#refused(folder, error),
      ...(options.listen !== undefined && { listen: options.listen }),
    });
  }

  /** Resolves when everything is known: what changes from then on is told. */
  static async open(options: TreeWatcherOptions): Promise<TreeWatcher> {
    const watcher = new TreeWatcher(options);
    try {
      await watcher.rebase();
      return watcher;
    } catch (error) {
      watcher[Symbol.dispose]();
      throw error;
    }
  }

  /** What the tree looks like now is nothing new: resolves when it is known, and what changes from then on is told. */
  rebase(): Promise<void> {
    return this.#next(async () => {
      this.#burst = undefined;
      this.#become(await this.#scan());
    });
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
    clearInterval(this.#polling);
    this.#listeners[Symbol.dispose]();
  }

  #touched(folder: string, name: string | null): void {
    if (name !== null) {
      if (this.#options.isIdle(join(folder, name))) return;
      const interests = this.#base?.folders.get(folder);
      if (interests !== undefined && !interests.some((interest) => interest(name))) return;
    }
    this.#wake();
  }

  #wake(): void {
    const nowMs = performance.now();
    const touch: Burst = { firstMs: nowMs, lastMs: nowMs, files: 1 };
    this.#burst = this.#burst === undefined ? touch : joined(this.#burst, touch);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#burst === undefined || this.#timer !== undefined || this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => this.#wait(), Math.max(1, burstEndMs(this.#burst) - performance.now()));
    this.#timer.unref();
  }

  #wait(): void {
    this.#timer = undefined;
    if (this.#burst === undefined) return;
    if (burstEndMs(this.#burst) > performance.now()) this.#schedule();
    else
      this.#next(() => this.#look()).catch(({ message }: Error) =>
        this.#say(`the files could not be looked at: ${message}`),
      );
  }

  async #look(): Promise<void> {
    // What the system has told while this process was busy comes first.
    await waiting();
    const burst = this.#burst;
    if (burst === undefined || this.#base === undefined) return;
    if (burstEndMs(burst) > performance.now()) return this.#schedule();
    this.#burst = undefined;
    const now = await this.#scan();
    const changes = changesBetween(this.#base.files, now.files);
    const known = joined({ ...burst, files: Math.max(burst.files, changes.files.length) }, this.#burst);
    if (changes.files.length > 1 && burstEndMs(known) > performance.now()) {
      this.#burst = known;
      this.#schedule();
      return;
    }
    this.#become(now);
    if (changes.files.length > 0 && !this.#closing.signal.aborted)
      this.#options.onChange(changes, burst.firstMs);
  }

  async #scan(): Promise<Scan> {
    const { written } = this.#options;
    const found = await scan({
      written,
      previous: this.#base,
      listen: (folder, identity) => this.#listen(folder, identity),
      slices: new Slices(),
    });
    this.#listeners.keep(found.folders);
    for (const [path, { message }] of found.faults) this.#say(`${path} cannot be watched: ${message}`);
    for (const path of found.missing) this.#say(`${path} does not exist; it is watched from when it does`);
    return found;
  }

  #listen(folder: string, identity: string): void {
    if (this.#closing.signal.aborted || this.#polling !== undefined) return;
    this.#listeners.attach(folder, identity);
  }

  #become(now: Scan): void {
    this.#base = now;
    void this.#readDigests(now);
  }

  /** Without them a file that is written with the same content would count as changed. */
  async #readDigests(known: Scan): Promise<void> {
    const slices = new Slices(() => pause(digestPauseMs, undefined, { ref: false }));
    let [files, bytes] = [0, 0n];
    for (const [path, file] of known.files) {
      if (file.digest !== undefined || !isReadable(file)) continue;
      files += 1;
      bytes += file.size;
      const isMuch = files > readAtOnce.files || bytes > readAtOnce.bytes;
      if (isMuch && slices.isOver) await slices.next();
      if (this.#base !== known || this.#closing.signal.aborted) return;
      readDigest(path, file);
    }
  }

  #refused(folder: string, error: NodeJS.ErrnoException): void {
    if (this.#closing.signal.aborted || error.code === 'ENOENT' || error.code === 'ENOTDIR') return;
    if (error.code !== 'ENOSPC' && error.code !== 'EMFILE' && error.code !== 'ENFILE') {
      this.#say(`${folder} cannot be watched: ${error.message}`);
      return;
    }
    this.#polling ??= setInterval(() => this.#wake(), pollMs).unref();
    this.#say(
      `the system watches no more folders for this user (${error.code}, at ${folder}); the files are looked at every ` +
        `${pollMs / 1_000} s instead. Watch less by \`ignore\`, or raise fs.inotify.max_user_watches (Linux)`,
    );
  }

  #say(text: string): void {
    if (this.#said.has(text)) return;
    this.#said.add(text);
    this.#options.say(text);
  }

  #next(look: () => Promise<void>): Promise<void> {
    const done = this.#looks.then(look);
    // A look that fails is told to whoever asked for it; a later one does not depend on it.
    this.#looks = done.catch(() => undefined);
    return done;
  }
}
