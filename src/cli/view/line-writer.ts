/** Writes to a stream that may be slow, or go away, without gathering what it does not take. */
import type { Writable } from 'node:stream';

/** Many times faster than the stream's own encoding of text. */
const encoder = new TextEncoder();

/** Whether nobody reads the stream any more, which is the end of it; any other error means that it cannot be written. */
export function isReaderGone(error: Error): boolean {
  return ['EPIPE', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '');
}

export class LineWriter {
  readonly #stream: Writable;
  readonly #onBroken: (error: Error) => void;
  #broken = false;

  /** `onBroken` is told once when the stream takes no more (a closed pipe, a closed terminal). */
  constructor(stream: Writable, onBroken: (error: Error) => void) {
    this.#stream = stream;
    this.#onBroken = onBroken;
    stream.on('error', (error) => this.#break(error));
  }

  /** Resolves when more can be written. What is written to a broken stream is dropped. */
  async write(text: string): Promise<void> {
    if (this.#broken || text === '' || this.#stream.write(encoder.encode(text))) return;
    await new Promise<void>((resolve) => {
      const events = ['drain', 'close', 'error'] as const;
      const goOn = (): void => {
        for (const event of events) this.#stream.off(event, goOn);
        resolve();
      };
      for (const event of events) this.#stream.once(event, goOn);
    });
  }

  #break(error: Error): void {
    if (this.#broken) return;
    this.#broken = true;
    this.#onBroken(error);
  }
}
