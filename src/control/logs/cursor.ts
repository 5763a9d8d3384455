/** Where one reader of the output stands, between what is in memory and what only the files hold. Pure. */
import type { LogChunk } from '../../orchestration/index.ts';
import { lineCount, stripAnsi } from '../../processes/index.ts';
import type { ServiceId } from '../../workspace/index.ts';
import type { FileRange } from './file-reader.ts';
import { keyOf, type LogRing } from './ring.ts';

export interface LogQuery {
  /** Absent: all. */
  readonly services?: ReadonlySet<ServiceId>;
  /** Goes on with new output until the store is closed. */
  readonly follow: boolean;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly sinceMs: number;
  /** At most so many of the lines that exist already, the newest. */
  readonly tail?: number;
}

/** Output that is to be read from a service's file. */
export type Gap = Omit<FileRange, 'path'>;

/** How far a reader has come in a service's output: the time of its last line, and how many of that time it has had. */
interface Position {
  readonly timeMs: number;
  readonly lines: number;
}

const nowhere: Position = { timeMs: Number.NEGATIVE_INFINITY, lines: 0 };

export class LogCursor {
  /** Number of the next chunk in memory. */
  sequence = 0;
  readonly #ring: LogRing;
  readonly #query: LogQuery;
  readonly #positions = new Map<ServiceId, Position>();
  /** Up to this time the service's output was, or will be, taken from its file. */
  readonly #fromFile = new Map<ServiceId, number>();
  /** Lines that the reader has had a part of from memory, by service and stream: how many characters, ANSI not counted. */
  readonly #begun = new Map<string, number>();
  /** The same for lines whose next part it has missed: their rest is in the file, with the part that it had. */
  readonly #broken = new Map<string, number>();

  constructor(ring: LogRing, query: LogQuery) {
    this.#ring = ring;
    this.#query = query;
  }

  /** What of the service has left the memory before the reader had it; it goes on after that. */
  gap(service: ServiceId): Gap[] {
    return this.#wants(service) ? this.#gapThrough(service, this.#ring.evictedThrough(service)) : [];
  }

  /** Chunks from memory up to `until`, about `size` characters; ends before a line whose beginning the reader missed. */
  take(until: number, size: number): LogChunk[] {
    const taken: LogChunk[] = [];
    for (let left = size; this.sequence < until && left > 0; this.sequence++) {
      const chunk = this.#ring.at(this.sequence);
      if (this.#isHeadless(chunk)) {
        if (endsLine(chunk)) break;
        continue;
      }
      const fromMemory = this.#isFromMemory(chunk);
      this.#noteBegun(chunk, fromMemory);
      if (!fromMemory || !this.accept(chunk)) continue;
      taken.push(chunk);
      left -= chunk.text.length;
    }
    return taken;
  }

  /** Where `take` has ended before a line whose beginning the reader missed: the file has it whole. */
  headlessGap(until: number): Gap[] {
    if (this.sequence >= until || this.sequence < this.#ring.firstSequence) return [];
    const chunk = this.#ring.at(this.sequence);
    return this.#isHeadless(chunk) ? this.#gapThrough(chunk.service, chunk.timeMs) : [];
  }

  /** Notes that the reader has had this chunk; whether it asked for it. */
  accept(chunk: LogChunk): boolean {
    const before = this.#positions.get(chunk.service) ?? nowhere;
    const lines = lineCount(chunk.text) - (chunk.partial ? 1 : 0);
    const same = before.timeMs === chunk.timeMs ? before.lines : 0;
    this.#positions.set(chunk.service, { timeMs: chunk.timeMs, lines: same + lines });
    return chunk.timeMs >= this.#query.sinceMs;
  }

  /** A chunk from a file, without what of its first line the reader has had from memory; `undefined` where it is not asked for. */
  acceptFromFile(chunk: LogChunk): LogChunk | undefined {
    const had = this.#broken.get(keyOf(chunk)) ?? 0;
    this.#broken.delete(keyOf(chunk));
    if (!this.accept(chunk)) return undefined;
    return had === 0 ? chunk : { ...chunk, text: chunk.text.slice(had) };
  }

  /** Where to begin in memory to have `wanted` lines; `undefined` when memory does not hold so many. */
  tailStart(until: number, wanted: number): number | undefined {
    let count = 0;
    for (let sequence = until - 1; sequence >= this.#ring.firstSequence; sequence--) {
      const chunk = this.#ring.at(sequence);
      if (!this.#wants(chunk.service) || chunk.timeMs <= this.#ring.evictedThrough(chunk.service)) continue;
      count += lineCount(chunk.text);
      if (count >= wanted && !this.#ring.continues(sequence)) return sequence;
    }
    return undefined;
  }

  #noteBegun(chunk: LogChunk, fromMemory: boolean): void {
    const key = keyOf(chunk);
    const end = chunk.text.lastIndexOf('\n');
    const had = end === -1 ? (this.#begun.get(key) ?? 0) : 0;
    if (fromMemory && chunk.partial) this.#begun.set(key, had + stripAnsi(chunk.text.slice(end + 1)).length);
    else this.#begun.delete(key);
  }

  #gapThrough(service: ServiceId, throughMs: number): Gap[] {
    const position = this.#positions.get(service) ?? nowhere;
    if (throughMs < position.timeMs || throughMs === Number.NEGATIVE_INFINITY) return [];
    this.#fromFile.set(service, throughMs);
    for (const stream of ['stdout', 'stderr'] as const) {
      const key = keyOf({ service, stream });
      const had = this.#begun.get(key);
      if (had !== undefined) this.#broken.set(key, had);
      this.#begun.delete(key);
    }
    return [{ service, afterMs: position.timeMs, skip: position.lines, throughMs }];
  }

  /** It goes on with a line whose beginning had left the memory before the reader came to it. */
  #isHeadless(chunk: LogChunk): boolean {
    return this.#isFromMemory(chunk) && this.#ring.continues(this.sequence) && !this.#begun.has(keyOf(chunk));
  }

  #isFromMemory(chunk: LogChunk): boolean {
    return this.#wants(chunk.service) && chunk.timeMs > (this.#fromFile.get(chunk.service) ?? nowhere.timeMs);
  }

  #wants(service: ServiceId): boolean {
    return this.#query.services?.has(service) ?? true;
  }
}

function endsLine(chunk: LogChunk): boolean {
  return !chunk.partial || chunk.text.includes('\n');
}
