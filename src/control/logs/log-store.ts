/**
 * The output of a run (U-13, U-14): takes every chunk as it arrives, keeps the newest in memory and all of it in the
 * services' files, and serves any number of readers. A reader is pulled: one that is slow falls back to the files and
 * costs no memory.
 */
import { join } from 'node:path';
import type { LogChunk } from '../../orchestration/index.ts';
import { lineCount } from '../../processes/index.ts';
import type { ServiceId } from '../../workspace/index.ts';
import { type Gap, LogCursor, type LogQuery } from './cursor.ts';
import { readLogFiles } from './file-reader.ts';
import { LineTail } from './lines.ts';
import { LogFile } from './log-file.ts';
import { LogRing } from './ring.ts';

export interface LogStoreOptions {
  /** Absolute path of the folder that holds the files. */
  readonly folder: string;
  /** Every service that has, or may have, output now. */
  readonly services: () => readonly ServiceId[];
  /** Name of a service's file inside `folder`. */
  readonly fileName: (service: ServiceId) => string;
  /** Whether the service's agent writes the file itself (`log-file/v1`). */
  readonly writesOwnLog: (service: ServiceId) => boolean;
  /** Told once for each service whose file cannot be written; its output is then in memory only. */
  readonly onWriteError: (service: ServiceId, error: Error) => void;
  /** Bytes held in memory for all services together; default 8 MiB. */
  readonly memoryBytes?: number;
  /** Size in bytes at which a file is rotated. */
  readonly rotateBytes: number;
}

/** What a reader is given at a time, characters. */
const batchSize = 256 * 1024;
/** How long output may wait before it is in the file, milliseconds. */
const flushDelayMs = 100;

export class LogStore {
  readonly #options: LogStoreOptions;
  readonly #ring: LogRing;
  readonly #files = new Map<ServiceId, LogFile | 'broken'>();
  #arrival: PromiseWithResolvers = promiseWithResolvers();
  #flushTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: LogStoreOptions) {
    this.#options = options;
    this.#ring = new LogRing(options.memoryBytes ?? 8 * 1024 * 1024);
  }

  append(chunk: LogChunk): void {
    if (this.#closed) return;
    if (!this.#options.writesOwnLog(chunk.service)) this.#write(chunk.service, (file) => file.append(chunk));
    this.#ring.append(chunk);
    this.#wakeReaders();
    this.#flushTimer ??= setTimeout(() => this.flush(), flushDelayMs);
  }

  /** Ends the readers that follow, once they have had everything, and closes the files. */
  close(nowMs: number = Date.now()): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#flushTimer);
    for (const service of this.#files.keys()) this.#write(service, (file) => file.close(nowMs));
    this.#wakeReaders();
  }

  /** At most so many of the newest lines of a service that are in memory, oldest first. */
  lastLines(service: ServiceId, wanted: number): readonly string[] {
    const chunks: LogChunk[] = [];
    let count = 0;
    for (let at = this.#ring.nextSequence - 1; at >= this.#ring.firstSequence && count < wanted; at--) {
      const chunk = this.#ring.at(at);
      if (chunk.service !== service) continue;
      chunks.unshift(chunk);
      count += lineCount(chunk.text);
    }
    const text = chunks.map((chunk) => chunk.text + (chunk.partial ? '' : '\n')).join('');
    return text
      .replace(/\n$/, '')
      .split('\n')
      .slice(text === '' ? 1 : -wanted);
  }

  /**
   * Output in batches, each service's oldest first.
   * @throws the signal's reason when it is aborted; the system's error when a file cannot be read.
   */
  async *read(query: LogQuery, signal?: AbortSignal): AsyncGenerator<readonly LogChunk[]> {
    const reader = new LogCursor(this.#ring, query);
    const existing = this.#ring.nextSequence;
    if (query.tail === undefined) yield* this.#pull(reader, existing, signal);
    else yield* this.#pullTail(reader, existing, query.tail, signal);
    while (query.follow) {
      signal?.throwIfAborted();
      const arrival = this.#arrival.promise;
      yield* this.#pull(reader, this.#ring.nextSequence, signal);
      if (reader.sequence < this.#ring.nextSequence) continue;
      if (this.#closed) return;
      await abortable(arrival, signal);
    }
  }

  async *#pull(reader: LogCursor, until: number, signal?: AbortSignal): AsyncGenerator<readonly LogChunk[]> {
    while (reader.sequence < until) {
      signal?.throwIfAborted();
      if (reader.sequence < this.#ring.firstSequence) {
        const gaps = this.#options.services().flatMap((service) => reader.gap(service));
        reader.sequence = this.#ring.firstSequence;
        // Meanwhile more may leave the memory.
        yield* this.#fill(reader, gaps, signal);
        continue;
      }
      const batch = reader.take(until, batchSize);
      if (batch.length > 0) yield batch;
      yield* this.#fill(reader, reader.headlessGap(until), signal);
    }
  }

  /** What a reader missed because it has left the memory already. */
  async *#fill(
    reader: LogCursor,
    gaps: readonly Gap[],
    signal?: AbortSignal,
  ): AsyncGenerator<readonly LogChunk[]> {
    if (gaps.length === 0) return;
    this.flush();
    const ranges = gaps.map((gap) => ({ ...gap, path: this.#path(gap.service) }));
    yield* batches(readLogFiles(ranges, signal), (chunk) => reader.acceptFromFile(chunk));
  }

  async *#pullTail(
    reader: LogCursor,
    until: number,
    wanted: number,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly LogChunk[]> {
    const start = reader.tailStart(until, wanted);
    if (start !== undefined) reader.sequence = start;
    const tail = new LineTail(wanted);
    for await (const batch of this.#pull(reader, until, signal)) for (const chunk of batch) tail.push(chunk);
    const chunks = wanted > 0 ? tail.chunks() : [];
    if (chunks.length > 0) yield chunks;
  }

  #path(service: ServiceId): string {
    return join(this.#options.folder, this.#options.fileName(service));
  }

  #write(service: ServiceId, action: (file: LogFile) => void): void {
    const file = this.#files.get(service) ?? this.#create(service);
    if (file === 'broken') return;
    try {
      action(file);
    } catch (error) {
      this.#files.set(service, 'broken');
      this.#options.onWriteError(service, error as Error);
    }
  }

  #create(service: ServiceId): LogFile {
    const file = new LogFile({ path: this.#path(service), rotateBytes: this.#options.rotateBytes });
    this.#files.set(service, file);
    return file;
  }

  /** Puts into the files what waits for it; done by itself a moment after output has come. */
  flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    for (const [service, file] of this.#files)
      if (file !== 'broken' && file.pending) this.#write(service, () => file.flush());
  }

  #wakeReaders(): void {
    const { resolve } = this.#arrival;
    this.#arrival = promiseWithResolvers();
    resolve();
  }
}

/** Chunks gathered until there is enough of them, as `accept` gives them back. */
export async function* batches(
  chunks: AsyncIterable<LogChunk>,
  accept: (chunk: LogChunk) => LogChunk | undefined,
): AsyncGenerator<readonly LogChunk[]> {
  let batch: LogChunk[] = [];
  let size = 0;
  for await (const each of chunks) {
    const chunk = accept(each);
    if (chunk === undefined) continue;
    batch.push(chunk);
    size += chunk.text.length;
    if (size < batchSize) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function promiseWithResolvers(): PromiseWithResolvers {
  let resolve = (): void => {};
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

function abortable(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void promise.then(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
  });
}
