/** Lines of one stream of one instance that arrived together, as they travel through this folder. */
import type { OutputStream } from '../../../processes/index.ts';

export interface LogRecord {
  readonly stream: OutputStream;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  /** One or more lines joined by `\n`, without a final one; masked. */
  readonly text: string;
  /** Lines in `text`. */
  readonly lines: number;
  /** The last line goes on in the stream's next record. */
  readonly partial: boolean;
}

/** The last lines of a process's output, for failures. Long lines are cut. */
export class LineTail {
  readonly #limit: number;
  #texts: string[] = [];
  #lines = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add({ text, lines }: LogRecord): void {
    this.#texts.push(text);
    this.#lines += lines;
    if (this.#lines < 4 * this.#limit && this.#texts.length < 4 * this.#limit) return;
    this.#texts = [this.lines().join('\n')];
    this.#lines = Math.min(this.#lines, this.#limit);
  }

  /** Oldest first. */
  lines(): string[] {
    if (this.#texts.length === 0) return [];
    const lines = this.#texts.join('\n').split('\n').slice(-this.#limit);
    return lines.map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line));
  }
}

const longestLine = 2_000;
