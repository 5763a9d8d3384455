/** Counting and cutting the lines of chunks. */
import type { LogChunk } from '../../orchestration/index.ts';
import { lineCount } from '../../processes/index.ts';

/** The chunk without its first `count` lines, of which it has more. */
function withoutFirstLines(chunk: LogChunk, count: number): LogChunk {
  let start = 0;
  for (let dropped = 0; dropped < count; dropped++) start = chunk.text.indexOf('\n', start) + 1;
  return start === 0 ? chunk : { ...chunk, text: chunk.text.slice(start) };
}

/** Gathers chunks and keeps of them the newest lines only. */
export class LineTail {
  readonly #wanted: number;
  #chunks: LogChunk[] = [];
  #counts: number[] = [];
  #lines = 0;

  /** `wanted`: how many lines at most. */
  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  push(chunk: LogChunk): void {
    const count = lineCount(chunk.text);
    this.#chunks.push(chunk);
    this.#counts.push(count);
    this.#lines += count;
    let dropped = 0;
    for (; this.#lines - (this.#counts[dropped] ?? 0) >= this.#wanted; dropped++) {
      if (dropped >= this.#counts.length) break;
      this.#lines -= this.#counts[dropped] ?? 0;
    }
    if (dropped > 0) {
      this.#chunks.splice(0, dropped);
      this.#counts.splice(0, dropped);
    }
  }

  chunks(): readonly LogChunk[] {
    const [first, ...others] = this.#chunks;
    const excess = this.#lines - this.#wanted;
    if (first === undefined || excess <= 0) return this.#chunks;
    return [withoutFirstLines(first, excess), ...others];
  }
}
