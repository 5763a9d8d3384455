/** SIGUSR1: the run is to read its workspace again (F-17). */
import { SkeinError } from '../../errors/index.ts';
import type { Run } from '../../orchestration/index.ts';

/** Listens from now on until it is disposed of; what is asked before there is a run, is done once there is. */
export class ExtendSignal implements Disposable {
  #run: Pick<Run, 'extend'> | undefined;
  #isAsked = false;
  // Node would open a debugger at this signal where nobody listens.
  readonly #listener = (): void => {
    if (this.#run === undefined) this.#isAsked = true;
    else extend(this.#run);
  };

  constructor() {
    process.on('SIGUSR1', this.#listener);
  }

  attach(run: Pick<Run, 'extend'>): void {
    this.#run = run;
    if (this.#isAsked) extend(run);
  }

  [Symbol.dispose](): void {
    process.off('SIGUSR1', this.#listener);
  }
}

function extend(run: Pick<Run, 'extend'>): void {
  run.extend().catch((error: unknown) => {
    // The run has told what is wrong as a warning.
    if (!(error instanceof SkeinError)) throw error;
  });
}
