/** Long synchronous work, cut into slices, between which the agent serves whoever else asks. */
import { setImmediate } from 'node:timers/promises';

/** What a call of another service may have to wait. */
const sliceMs = 8;

export class Slices {
  readonly #pause: () => Promise<unknown>;
  #beganMs: number = performance.now();

  /** `pause` is what happens between two slices; default: whatever else is waiting. */
  constructor(pause: () => Promise<unknown> = () => setImmediate()) {
    this.#pause = pause;
  }

  get isOver(): boolean {
    return performance.now() - this.#beganMs >= sliceMs;
  }

  async next(): Promise<void> {
    await this.#pause();
    this.#beganMs = performance.now();
  }
}
