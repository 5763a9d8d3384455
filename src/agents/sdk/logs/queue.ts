/**
 * What one instance's output waits in until the host takes it by the Logs stream. A slow or absent host never blocks the
 * service and never costs memory without end: beyond the limits new records are left to the log file, which
 * has them anyway, and are read back from there (without ANSI codes) when the host has caught up. Without a log file
 * the oldest records are dropped, and the next one says how many lines were lost.
 */
import type { LogFile, LogPosition } from './log-file.ts';
import type { LogRecord } from './record.ts';

export interface QueuedRecord extends LogRecord {
  /** Lines lost just before this record. */
  readonly lost: number;
}

/** Where records go beyond what waits in memory. */
type Overflow =
  | { readonly kind: 'none' }
  | { readonly kind: 'file'; readonly file: LogFile; readonly from: LogPosition };

/** What the queues of one agent hold together, bytes. */
export class SharedMemory {
  used = 0;
}

export interface LogQueueLimits {
  /** Bytes that a queue may hold whatever the others do; default 256 KiB. */
  readonly ownBytes?: number;
  /** Bytes of all queues together before the log file takes over from those that hold more than their own; default 16 MiB. */
  readonly sharedBytes?: number;
  /** Bytes in memory before the oldest are dropped; default 8 MiB. */
  readonly withoutFileBytes?: number;
}

export class LogQueue {
  readonly #ownBytes: number;
  readonly #sharedBytes: number;
  readonly #shared: SharedMemory;
  readonly #withoutFileBytes: number;
  #records: LogRecord[] = [];
  #bytes = 0;
  /** Lines lost before the first record of `#records`. */
  #lost = 0;
  #overflow: Overflow = { kind: 'none' };
  #reading = false;

  constructor(shared: SharedMemory = new SharedMemory(), limits: LogQueueLimits = {}) {
    this.#shared = shared;
    this.#ownBytes = limits.ownBytes ?? 256 * 1024;
    this.#sharedBytes = limits.sharedBytes ?? 16 * 1024 * 1024;
    this.#withoutFileBytes = limits.withoutFileBytes ?? 8 * 1024 * 1024;
  }

  get isEmpty(): boolean {
    return this.#records.length === 0 && this.#overflow.kind === 'none' && this.#lost === 0;
  }

  /** `file` and `from`: the log file that has the record too, and where in it. */
  push(record: LogRecord, file: LogFile | undefined, from: LogPosition | undefined): void {
    if (this.#overflow.kind === 'file') return;
    const bytes = record.text.length;
    if (file !== undefined && from !== undefined && this.#isTooMuch(bytes)) {
      this.#overflow = { kind: 'file', file, from };
      return;
    }
    this.#records.push(record);
    this.#count(bytes);
    if (file !== undefined) return;
    while (this.#bytes > this.#withoutFileBytes && this.#records.length > 1) this.#dropOldest();
  }

  /** The next records, about `maxBytes` of them; empty when there are none. */
  async take(maxBytes: number): Promise<QueuedRecord[]> {
    if (this.#records.length > 0) return this.#takeFromMemory(maxBytes);
    if (this.#overflow.kind === 'file')
      return this.#takeFromFile(this.#overflow.file, this.#overflow.from, maxBytes);
    return [];
  }

  /** Forgets what lies in a file that is about to go away; it counts as lost. */
  leaveFile(): void {
    if (this.#overflow.kind === 'none') return;
    const { file, from } = this.#overflow;
    this.#overflow = { kind: 'none' };
    this.#lost += file.end.line - from.line;
  }

  #takeFromMemory(maxBytes: number): QueuedRecord[] {
    let bytes = 0;
    const count = this.#records.findIndex((record) => {
      bytes += record.text.length;
      return bytes > maxBytes;
    });
    const taken = this.#records.splice(0, count === -1 ? this.#records.length : Math.max(1, count));
    for (const record of taken) this.#count(-record.text.length);
    return this.#withLoss(taken, 0);
  }

  async #takeFromFile(file: LogFile, from: LogPosition, maxBytes: number): Promise<QueuedRecord[]> {
    // An earlier stream is about to hand over these lines.
    if (this.#reading) return [];
    this.#reading = true;
    const { records, next, lost } = await file.readFrom(from, maxBytes).finally(() => {
      this.#reading = false;
    });
    // Changed meanwhile by `leaveFile` alone, which has counted these lines as lost.
    if (this.#overflow.kind === 'none') return [];
    this.#overflow = next.offset === file.end.offset ? { kind: 'none' } : { kind: 'file', file, from: next };
    return this.#withLoss(records, lost);
  }

  #withLoss(records: readonly LogRecord[], lost: number): QueuedRecord[] {
    this.#lost += lost;
    return records.map((record, at) => {
      const lostBefore = at === 0 ? this.#lost : 0;
      if (at === 0) this.#lost = 0;
      return { ...record, lost: lostBefore };
    });
  }

  #isTooMuch(bytes: number): boolean {
    return this.#bytes + bytes > this.#ownBytes && this.#shared.used + bytes > this.#sharedBytes;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#shared.used += bytes;
  }

  #dropOldest(): void {
    const dropped = this.#records.shift();
    if (dropped === undefined) return;
    this.#count(-dropped.text.length);
    this.#lost += dropped.lines;
  }
}
