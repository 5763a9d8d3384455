/**
 * The sources that a service instance watches, from the phase in which its agent asks for that to its Stop. What does the
 * watching is loaded when a service first has something to watch.
 *
 *   none ── watch ──▶ watching ── Stop ──▶ resting ── Start ──▶ watching
 *    any ── Destroy, or an Init that has not asked for it since the latest Load ──▶ none
 */
import { isDeepStrictEqual } from 'node:util';
import type { WrittenWatch } from './selection.ts';
import type { SourceWatch } from './source-watch.ts';

/** What is watched, and what a change leads to. */
export interface WatchOptions {
  /**
   * Files, folders and globs, relative to `cwd`. What does not exist yet is watched from when it does. `.gitignore` files
   * count, from the workspace's root on, but not for what is named here itself. None: nothing is watched.
   */
  readonly paths: readonly string[];
  /** Lines as in a `.gitignore`, relative to `cwd`, which prevail over every `.gitignore`. */
  readonly ignore?: readonly string[];
  /** The phase to go through again: `init` where something is built, `start` where the process only has to begin anew. */
  readonly phase: 'init' | 'start';
  /** Absolute, or relative to the service's folder; default: that folder. */
  readonly cwd?: string;
}

export interface SourcesOptions {
  readonly desire: (phase: 'init' | 'start', cause: string) => void;
  /** Writes into the service's log. */
  readonly say: (text: string) => void;
}

interface Wanted {
  readonly written: WrittenWatch;
  readonly phase: 'init' | 'start';
}

type State =
  | { readonly is: 'none' }
  | { readonly is: 'resting'; readonly wanted: Wanted }
  | { readonly is: 'watching'; readonly wanted: Wanted; readonly watch: SourceWatch };

export class Sources {
  readonly #options: SourcesOptions;
  #state: State = { is: 'none' };
  /** Counts the ends of watching, so that a beginning that was overtaken by one is undone. */
  #ends = 0;
  /** Since the latest Load. */
  #isAskedFor = false;

  constructor(options: SourcesOptions) {
    this.#options = options;
  }

  /** Watches from now on, instead of what was watched before; what an Init is about to build is nothing new. */
  async watch(wanted: Wanted): Promise<void> {
    const { written, phase } = wanted;
    this.#isAskedFor = true;
    if (written.paths.length === 0) this.forget();
    else if (this.#state.is !== 'watching' || !isDeepStrictEqual(this.#state.wanted, wanted))
      await this.#open(wanted);
    else if (phase === 'init') await this.#rebase(this.#state.watch);
  }

  /** A phase begins. A Start sees the sources as they are, unless they are built in Init. */
  async began(phase: 'init' | 'start'): Promise<void> {
    const state = this.#state;
    if (phase === 'start' && state.is === 'resting') await this.#open(state.wanted);
    if (phase === 'start' && state.is === 'watching' && state.wanted.phase === 'start')
      await this.#rebase(state.watch);
    if (this.#state.is === 'watching') this.#state.watch.phaseBegan();
  }

  /** The phase has ended, well or not. */
  ended(): void {
    if (this.#state.is === 'watching') this.#state.watch.phaseEnded();
  }

  /** The service's settings were read anew: they may say nothing of sources any more. */
  loaded(): void {
    this.#isAskedFor = false;
  }

  initialized(): void {
    if (!this.#isAskedFor) this.forget();
  }

  /** A stopped service is not reloaded; its next Start watches again. */
  rest(): void {
    this.#ends++;
    if (this.#state.is !== 'watching') return;
    this.#state.watch[Symbol.dispose]();
    this.#state = { is: 'resting', wanted: this.#state.wanted };
  }

  forget(): void {
    this.rest();
    this.#state = { is: 'none' };
  }

  async #open(wanted: Wanted): Promise<void> {
    this.forget();
    this.#state = { is: 'resting', wanted };
    const ends = this.#ends;
    const { desire, say } = this.#options;
    try {
      const { SourceWatch } = await import('./source-watch.ts');
      const watch = await SourceWatch.open({
        written: wanted.written,
        desire: (cause) => desire(wanted.phase, cause),
        say,
      });
      watch.phaseBegan();
      if (ends === this.#ends) this.#state = { is: 'watching', wanted, watch };
      else watch[Symbol.dispose]();
    } catch (error) {
      // The service can do without; who watches in vain must know.
      say(`its files are not watched: ${(error as Error).message}`);
    }
  }

  async #rebase(watch: SourceWatch): Promise<void> {
    try {
      await watch.rebase();
    } catch (error) {
      this.#options.say(`its files could not be looked at: ${(error as Error).message}`);
    }
  }
}
