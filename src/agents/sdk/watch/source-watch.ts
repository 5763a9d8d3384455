/** The watch over a service's sources: changes become wishes for a reload, unless the reloads themselves make them. */
import { relative, sep } from 'node:path';
import { causeOf } from './cause.ts';
import type { Changes } from './files.ts';
import { isSuspended, type LoopWatch, noLoops, noted, withStrangers } from './loop.ts';
import type { WrittenWatch } from './selection.ts';
import { TreeWatcher, type TreeWatcherOptions } from './tree-watcher.ts';

export interface SourceWatchOptions extends Pick<TreeWatcherOptions, 'listen'> {
  readonly written: WrittenWatch;
  /** Asks for a reload; `cause` is for a person. */
  readonly desire: (cause: string) => void;
  readonly say: (text: string) => void;
}

/** The latest phase that the service went through, by `performance.now()`; `endMs` is absent while it is under way. */
interface LatestPhase {
  readonly beginMs: number;
  readonly endMs: number | undefined;
  /** A change after it has been weighed; further ones until the next phase say nothing about loops. */
  readonly isWeighed: boolean;
}

export class SourceWatch implements Disposable {
  readonly #options: SourceWatchOptions;
  #tree: TreeWatcher | undefined;
  #loops: LoopWatch = noLoops;
  #phase: LatestPhase | undefined;

  private constructor(options: SourceWatchOptions) {
    this.#options = options;
  }

  /** Resolves when every change from then on is noticed. */
  static async open(options: SourceWatchOptions): Promise<SourceWatch> {
    const { written, say, listen } = options;
    const watch = new SourceWatch(options);
    watch.#tree = await TreeWatcher.open({
      written,
      say,
      onChange: (changes, atMs) => watch.#changed(changes, atMs),
      isIdle: (path) => isSuspended(watch.#loops, watch.#name(path)),
      ...(listen !== undefined && { listen }),
    });
    return watch;
  }

  /** A phase begins that sees the sources as they are: what has changed until now needs no reload of its own. */
  async rebase(): Promise<void> {
    await this.#tree?.rebase();
  }

  /** The service was stopped and is started: what has looped before may be mended. */
  forgetLoops(): void {
    this.#loops = noLoops;
  }

  phaseBegan(): void {
    this.#phase = { beginMs: performance.now(), endMs: undefined, isWeighed: false };
  }

  phaseEnded(): void {
    if (this.#phase !== undefined) this.#phase = { ...this.#phase, endMs: performance.now() };
  }

  [Symbol.dispose](): void {
    this.#tree?.[Symbol.dispose]();
  }

  #changed(changes: Changes, atMs: number): void {
    const created = changes.created.map((path) => this.#name(path));
    const files = this.#counting(
      changes.files.map((path) => this.#name(path)),
      created,
    );
    if (files.length === 0) return;
    this.#weigh(files, this.#counting(created, created), atMs);
    const left = this.#counting(files, created);
    if (left.length > 0) this.#options.desire(causeOf(left));
  }

  #counting(names: readonly string[], created: readonly string[]): readonly string[] {
    this.#loops = withStrangers(this.#loops, created);
    return names.filter((name) => !isSuspended(this.#loops, name));
  }

  #weigh(files: readonly string[], created: readonly string[], atMs: number): void {
    if (this.#phase === undefined || this.#phase.isWeighed) return;
    const { beginMs, endMs } = this.#phase;
    this.#phase = { ...this.#phase, isWeighed: true };
    const { loops, found } = noted(this.#loops, {
      files,
      created,
      afterBeginMs: Math.max(0, atMs - beginMs),
      afterEndMs: endMs === undefined || atMs < endMs ? undefined : atMs - endMs,
    });
    this.#loops = loops;
    for (const name of found)
      this.#options.say(
        `${name} has changed with each of the last reloads, so that the reloads would never end. Its changes are ` +
          `ignored until another file changes or the service is restarted; add it to \`ignore\` if the service or its ` +
          `build writes it`,
      );
  }

  /** Relative to the folder of the watch, with `/`. */
  #name(path: string): string {
    return relative(this.#options.written.folder, path).replaceAll(sep, '/');
  }
}
