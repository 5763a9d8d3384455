/**
 * The newest output of a run in memory, bounded, in the order of arrival. What leaves it is found in the services' log
 * files; so that the join of the two is exact, output leaves by whole milliseconds of a service and by whole lines.
 */
import type { LogChunk } from '../../orchestration/index.ts';
import type { ServiceId } from '../../workspace/index.ts';

/** A line that arrives in pieces; `throughMs` is the time of its newest piece. */
interface OpenLine {
  throughMs: number;
}

interface Entry {
  readonly chunk: LogChunk;
  readonly size: number;
  /** The line in pieces that this chunk is part of, where it is. */
  readonly line: OpenLine | undefined;
  /** It begins in the middle of a line. */
  readonly continues: boolean;
}

/** What a string and its object cost beside its characters. */
const entryOverhead = 64;

export class LogRing {
  readonly #capacity: number;
  #entries: Entry[] = [];
  /** Index of the oldest entry that still counts. */
  #head = 0;
  #firstSequence = 0;
  #size = 0;
  readonly #evictedThrough = new Map<ServiceId, number>();
  readonly #openLines = new Map<string, OpenLine>();

  /** `capacity` in bytes, characters counted as one each. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Number of the oldest chunk held; chunks count from 0 in the order of arrival. */
  get firstSequence(): number {
    return this.#firstSequence;
  }

  /** Number that the next chunk will have. */
  get nextSequence(): number {
    return this.#firstSequence + this.#entries.length - this.#head;
  }

  /** Everything of `service` up to this time (milliseconds, inclusive) is to be read from its file, and nothing after it. */
  evictedThrough(service: ServiceId): number {
    return this.#evictedThrough.get(service) ?? Number.NEGATIVE_INFINITY;
  }

  /** @throws {RangeError} for a number that is not held: a bug of the caller. */
  at(sequence: number): LogChunk {
    return this.#entry(sequence).chunk;
  }

  /** Whether the chunk begins in the middle of a line. @throws {RangeError} as `at` */
  continues(sequence: number): boolean {
    return this.#entry(sequence).continues;
  }

  #entry(sequence: number): Entry {
    const entry = this.#entries[this.#head + sequence - this.#firstSequence];
    if (entry === undefined) throw new RangeError(`the ring does not hold chunk ${sequence}`);
    return entry;
  }

  append(chunk: LogChunk): void {
    const size = chunk.text.length + entryOverhead;
    const continues = this.#openLines.has(keyOf(chunk));
    this.#entries.push({ chunk, size, line: this.#joinLine(chunk), continues });
    this.#size += size;
    while (this.#size > this.#capacity && this.#entries.length - this.#head > 1) this.#evictOldest();
  }

  #joinLine(chunk: LogChunk): OpenLine | undefined {
    const key = keyOf(chunk);
    const open = this.#openLines.get(key);
    if (open !== undefined) open.throughMs = chunk.timeMs;
    if (!chunk.partial) {
      if (open !== undefined) this.#openLines.delete(key);
      return open;
    }
    // A chunk of several lines ends the open line, and its last line opens the next.
    if (open !== undefined && !chunk.text.includes('\n')) return open;
    const next = { throughMs: chunk.timeMs };
    this.#openLines.set(key, next);
    return next;
  }

  #evictOldest(): void {
    const entry = this.#entries[this.#head];
    if (entry === undefined) return;
    this.#entries[this.#head] = undefined as unknown as Entry;
    this.#head += 1;
    this.#firstSequence += 1;
    this.#size -= entry.size;
    const { service, timeMs } = entry.chunk;
    const through = Math.max(timeMs, entry.line?.throughMs ?? timeMs, this.evictedThrough(service));
    this.#evictedThrough.set(service, through);
    if (this.#head > 1024 && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
  }
}

/** Lines in pieces are told apart by service and stream. */
export function keyOf({ service, stream }: Pick<LogChunk, 'service' | 'stream'>): string {
  return `${service} ${stream}`;
}
