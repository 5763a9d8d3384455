/**
 * The sources that a service instance watches, from the phase in which its agent asks for that to its Stop. What does the
 * watching is loaded when a service first has something to watch.
 *
 *   none ── watch ──▶ watching ── Stop ──▶ resting ── Start ──▶ watching
 *    any ── Destroy, or an Init that has not asked for it since the latest Load ──▶ none
 *
 * A Start does not build. What is built in Init is therefore watched on while it rests: a change that no Init has built
 * until the next Start is wished for then.
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
  | { readonly is: 'resting'; readonly wanted: Wanted; readonly watch: SourceWatch | undefined }
  | { readonly is: 'watching'; readonly wanted: Wanted; readonly watch: SourceWatch };

/** Causes of wishes for an Init: of one that has not begun, and of the latest that has begun and not ended well. */
interface Unbuilt {
  readonly waiting: string | undefined;
  readonly building: string | undefined;
}

export class Sources {
  readonly #options: SourcesOptions;
  #state: State = { is: 'none' };
  /** Counts the ends of watching, so that a beginning that was overtaken by one is undone. */
  #ends = 0;
  /** Since the latest Load. */
  #isAskedFor = false;
  #unbuilt: Unbuilt = { waiting: undefined, building: undefined };

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
    if (phase === 'init') {
      const { waiting, building } = this.#unbuilt;
      this.#unbuilt = { waiting: undefined, building: waiting ?? building };
    } else await this.#starts();
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
    this.#unbuilt = { ...this.#unbuilt, building: undefined };
    if (!this.#isAskedFor) this.forget();
  }

  /** A stopped service is not reloaded; its next Start watches again. */
  rest(): void {
    this.#ends++;
    if (this.#state.is !== 'watching') return;
    const { wanted, watch } = this.#state;
    const isBuilt = wanted.phase === 'init';
    if (!isBuilt) watch[Symbol.dispose]();
    this.#state = { is: 'resting', wanted, watch: isBuilt ? watch : undefined };
    // The Stop has interrupted it, or it had failed.
    const { waiting, building } = this.#unbuilt;
    this.#unbuilt = { waiting: waiting ?? building, building: undefined };
  }

  forget(): void {
    this.#ends++;
    if (this.#state.is !== 'none') this.#state.watch?.[Symbol.dispose]();
    this.#state = { is: 'none' };
    this.#unbuilt = { waiting: undefined, building: undefined };
  }

  async #starts(): Promise<void> {
    const state = this.#state;
    if (state.is === 'resting') {
      if (state.watch === undefined) return this.#open(state.wanted);
      state.watch.forgetLoops();
      this.#state = { ...state, is: 'watching', watch: state.watch };
      if (this.#unbuilt.waiting !== undefined) this.#options.desire('init', this.#unbuilt.waiting);
    } else if (state.is === 'watching' && state.wanted.phase === 'start') await this.#rebase(state.watch);
  }

  #desire(phase: 'init' | 'start', cause: string): void {
    if (phase === 'init') this.#unbuilt = { ...this.#unbuilt, waiting: cause };
    if (this.#state.is !== 'resting') this.#options.desire(phase, cause);
  }

  async #open(wanted: Wanted): Promise<void> {
    this.forget();
    this.#state = { is: 'resting', wanted, watch: undefined };
    const ends = this.#ends;
    const { say } = this.#options;
    try {
      const { SourceWatch } = await import('./source-watch.ts');
      const watch = await SourceWatch.open({
        written: wanted.written,
        desire: (cause) => this.#desire(wanted.phase, cause),
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
