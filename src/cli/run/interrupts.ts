/**
 * What a person, a terminal or another process says to a run by signals (T-5): the first stops it, a second Ctrl-C
 * hurries, a third kills. SIGTERM and SIGHUP act as the first and never as more: a closed terminal sends both.
 */
import type { Run } from '../../orchestration/index.ts';

export type Stage = 'stop' | 'hurry' | 'kill';

/** A wrapper (npx, npm run) passes on the Ctrl-C that the terminal has given us already: within this time it is one. */
const sameKeystrokeMs = 60;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export class Interrupts implements Disposable {
  readonly #aborter = new AbortController();
  readonly #tell: (stage: Stage, cause: string) => void;
  readonly #listeners = new Map<NodeJS.Signals, () => void>();
  #run: Pick<Run, 'stop' | 'hurry'> | undefined;
  #stage: Stage | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** Listens from now on until it is disposed of. `tell` is told each stage as it begins. */
  constructor(tell: (stage: Stage, cause: string) => void) {
    this.#tell = tell;
    for (const signal of signals) {
      const listener = (): void => this.#received(signal);
      this.#listeners.set(signal, listener);
      process.on(signal, listener);
    }
  }

  /** Aborted at the first interruption. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  get interrupted(): boolean {
    return this.#stage !== undefined;
  }

  /** From now on this run is what is interrupted. */
  attach(run: Pick<Run, 'stop' | 'hurry'>): void {
    this.#run = run;
    if (!this.interrupted) return;
    this.#stop('interrupted');
    // The impatience of before holds for this run too.
    if (this.#stage === 'hurry' || this.#stage === 'kill') run.hurry(this.#stage);
  }

  /** Stops the run for another reason than a signal, such as an output that was closed. */
  interrupt(cause: string): void {
    if (this.interrupted) return;
    this.#begin('stop', cause);
    this.#aborter.abort(new Error(cause));
    this.#stop(cause);
  }

  [Symbol.dispose](): void {
    for (const [signal, listener] of this.#listeners) process.off(signal, listener);
  }

  #received(signal: NodeJS.Signals): void {
    const at = performance.now();
    const again = at - this.#lastAt >= sameKeystrokeMs;
    this.#lastAt = at;
    if (!this.interrupted) this.interrupt(signal);
    else if (signal === 'SIGINT' && again) this.#escalate(this.#stage === 'stop' ? 'hurry' : 'kill');
  }

  #escalate(stage: 'hurry' | 'kill'): void {
    this.#begin(stage, 'SIGINT');
    this.#run?.hurry(stage);
  }

  #begin(stage: Stage, cause: string): void {
    this.#stage = stage;
    this.#tell(stage, cause);
  }

  #stop(cause: string): void {
    void this.#run?.stop({ cause });
  }
}
