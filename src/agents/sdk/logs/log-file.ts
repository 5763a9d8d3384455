/**
 * A service's log file: `<RFC 3339 time with milliseconds> <stdout|stderr> <text>`, ANSI codes stripped; `stdout+` or
 * `stderr+` where the line is so long that it goes on in the stream's next one. Writes are
 * buffered and go out in order, one at a time. The file is also where the Logs stream reads what its host was too slow
 * to take (see `queue.ts`), so that positions in it count over rotations.
 */
import { type FileHandle, open, rename } from 'node:fs/promises';
import { AnsiStripper, type OutputStream } from '../../../processes/index.ts';
import type { LogRecord } from './record.ts';

/** A place between two lines, counted from the first byte and line that this object wrote. */
export interface LogPosition {
  readonly offset: number;
  readonly line: number;
}

export interface LogReading {
  readonly records: readonly LogRecord[];
  /** Where to read on. */
  readonly next: LogPosition;
  /** Lines that rotation, or a fault of the disk, had taken away already. */
  readonly lost: number;
}

export interface LogFileOptions {
  readonly path: string;
  /** Bytes after which the file becomes `<path>.1`; 0: never. */
  readonly limitBytes: number;
  /** Called when writing begins to fail: at the first failure after a success. */
  readonly onFault: (error: Error) => void;
}

/** Beyond this the disk is slower than the service, which then waits for it. */
const congestedBytes = 4 * 1024 * 1024;
const batchBytes = 512 * 1024;

/** Many times faster than `Buffer.from`. */
const encoder = new TextEncoder();

interface Entry {
  readonly bytes: Uint8Array;
  readonly lines: number;
}

/** A file on disk, from its first byte that this object wrote. */
interface Segment {
  readonly file: FileHandle;
  readonly begins: LogPosition;
  /** Bytes that stood in the file before. */
  readonly before: number;
  size: number;
}

export class LogFile {
  readonly path: string;
  readonly #options: LogFileOptions;
  #strippers = newStrippers();
  #queue: Entry[] = [];
  #queuedBytes = 0;
  #end: LogPosition = { offset: 0, line: 0 };
  /** Everything before it is on disk or lost. */
  #written: LogPosition = { offset: 0, line: 0 };
  /** The file of now, and the one before it while it can still be read. */
  #current: Segment | undefined;
  #previous: Segment | undefined;
  #failing = false;
  /** Reads and writes, one after another. */
  #work: Promise<void> = Promise.resolve();
  #writing = false;
  #relieved: (() => void)[] = [];

  constructor(options: LogFileOptions) {
    this.path = options.path;
    this.#options = options;
  }

  /** After everything appended. */
  get end(): LogPosition {
    return this.#end;
  }

  append(record: LogRecord): void {
    const bytes = encoder.encode(this.#format(record));
    this.#queue.push({ bytes, lines: record.lines });
    this.#queuedBytes += bytes.length;
    this.#end = { offset: this.#end.offset + bytes.length, line: this.#end.line + record.lines };
    if (!this.#writing) this.#beginWriting();
  }

  /** Resolves as soon as the disk has caught up; `undefined` while it keeps up. */
  relief(): Promise<void> | undefined {
    if (this.#queuedBytes < congestedBytes) return undefined;
    return new Promise((resolve) => this.#relieved.push(resolve));
  }

  /** Lines from a position on, about `maxBytes` of them; waits until they are written. */
  async readFrom(position: LogPosition, maxBytes: number): Promise<LogReading> {
    return this.#inTurn(async () => {
      while (position.offset >= this.#written.offset && this.#queue.length > 0) await this.#writeBatch();
      const segment = [this.#previous, this.#current].find(
        (one) => one !== undefined && position.offset < one.begins.offset + one.size,
      );
      if (segment === undefined) return nothing(position, this.#written);
      const from = position.offset < segment.begins.offset ? segment.begins : position;
      const text = await readLines(segment, from.offset, maxBytes);
      const records = parseLines(text);
      const lines = records.reduce((sum, record) => sum + record.lines, 0);
      const next = { offset: from.offset + Buffer.byteLength(text), line: from.line + lines };
      return { records, next, lost: from.line - position.line };
    });
  }

  /** Resolves when everything appended is written. */
  async flush(): Promise<void> {
    while (this.#queue.length > 0 || this.#writing) await this.#work;
  }

  /** Writes what is left and closes the file. Appending again opens it anew. */
  async close(): Promise<void> {
    await this.flush();
    await this.#inTurn(async () => {
      await Promise.all([this.#previous?.file.close(), this.#current?.file.close()]);
      this.#previous = undefined;
      this.#current = undefined;
    });
  }

  #format({ stream, timeMs, text, partial }: LogRecord): string {
    const prefix = `${timeText(timeMs)} ${stream}`;
    const stripper = this.#strippers[stream];
    if (!partial && stripper.leaves(text)) return `${prefix} ${text.replace(/\n/g, `\n${prefix} `)}\n`;
    const lines = text.split('\n');
    const last = lines.length - 1;
    return lines
      .map((line, at) => {
        const goesOn = partial && at === last;
        return `${prefix}${goesOn ? '+' : ''} ${stripper.strip(line, goesOn)}\n`;
      })
      .join('');
  }

  /** One batch a turn, so that a reader gets its turn however much is being written. */
  #beginWriting(): void {
    this.#writing = true;
    void this.#inTurn(async () => {
      if (this.#queue.length > 0) await this.#writeBatch();
      this.#writing = false;
      if (this.#queue.length > 0) this.#beginWriting();
    });
  }

  /** Never rejects: a full disk must not stop the service. What cannot be written is lost, and that is said. */
  async #writeBatch(): Promise<void> {
    const room = this.#options.limitBytes - (this.#current ? this.#current.before + this.#current.size : 0);
    const batch = takeBatch(
      this.#queue,
      this.#options.limitBytes === 0 ? batchBytes : Math.min(room, batchBytes),
    );
    const bytes = Buffer.concat(batch.map((entry) => entry.bytes));
    const lines = batch.reduce((sum, entry) => sum + entry.lines, 0);
    try {
      const segment = await this.#segmentFor(bytes.length);
      await writeWhole(segment, bytes);
      this.#failing = false;
    } catch (error) {
      await this.#abandonSegment();
      if (!this.#failing) this.#options.onFault(error as Error);
      this.#failing = true;
    }
    this.#written = { offset: this.#written.offset + bytes.length, line: this.#written.line + lines };
    this.#queuedBytes -= bytes.length;
    if (this.#queuedBytes < congestedBytes) for (const resolve of this.#relieved.splice(0)) resolve();
  }

  async #segmentFor(bytes: number): Promise<Segment> {
    const { limitBytes, path } = this.#options;
    this.#current ??= await this.#openSegment();
    const held = this.#current.before + this.#current.size;
    if (limitBytes === 0 || held === 0 || held + bytes <= limitBytes) return this.#current;
    await rename(path, `${path}.1`);
    await this.#previous?.file.close();
    this.#previous = this.#current;
    this.#current = undefined;
    this.#current = await this.#openSegment();
    return this.#current;
  }

  async #openSegment(): Promise<Segment> {
    const file = await open(this.path, 'a+', 0o600);
    return { file, begins: this.#written, before: (await file.stat()).size, size: 0 };
  }

  /** After a failed write nobody knows what stands in the file: what follows begins a segment of its own. */
  async #abandonSegment(): Promise<void> {
    const file = this.#current?.file;
    this.#current = undefined;
    // A failing close adds nothing to the fault that is being reported.
    await file?.close().catch(() => undefined);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#work.then(work);
    this.#work = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }
}

function newStrippers(): Record<OutputStream, AnsiStripper> {
  return { stdout: new AnsiStripper(), stderr: new AnsiStripper() };
}

/** Everything up to what is written had been there and is gone. */
function nothing(position: LogPosition, written: LogPosition): LogReading {
  return { records: [], next: written, lost: Math.max(0, written.line - position.line) };
}

/** At least one entry, else as many as fit. */
function takeBatch(queue: Entry[], room: number): Entry[] {
  let bytes = 0;
  let count = 0;
  for (const entry of queue) {
    if (count > 0 && bytes + entry.bytes.length > room) break;
    bytes += entry.bytes.length;
    count += 1;
  }
  return queue.splice(0, count);
}

async function writeWhole(segment: Segment, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await segment.file.write(bytes, at, bytes.length - at);
    at += bytesWritten;
  }
  segment.size += bytes.length;
}

/** Whole lines of a segment; at least one line, however long it is. */
async function readLines(segment: Segment, offset: number, maxBytes: number): Promise<string> {
  const start = offset - segment.begins.offset;
  for (let length = maxBytes; ; length *= 2) {
    const wanted = Math.min(length, segment.size - start);
    const buffer = Buffer.allocUnsafe(wanted);
    const { bytesRead } = await segment.file.read(buffer, 0, wanted, segment.before + start);
    const end = buffer.lastIndexOf(0x0a, bytesRead - 1) + 1;
    if (end > 0 || wanted < length || bytesRead === 0) return buffer.toString('utf8', 0, end);
  }
}

const writtenLine = /^(\S+) (stdout|stderr)(\+?) (.*)$/s;

/** Neighbouring lines of one stream and time are one record again, to the end of a piece. */
function parseLines(text: string): LogRecord[] {
  const records: { stream: OutputStream; timeMs: number; texts: string[]; partial: boolean }[] = [];
  let lastTime = '';
  for (const line of text.split('\n').slice(0, -1)) {
    const [, time = '', stream = '', mark = '', rest = ''] = writtenLine.exec(line) ?? [];
    const partial = mark !== '';
    const record = records.at(-1);
    if (record !== undefined && !record.partial && time === lastTime && stream === record.stream) {
      record.texts.push(rest);
      record.partial = partial;
    } else
      records.push({
        stream: stream === 'stderr' ? 'stderr' : 'stdout',
        timeMs: Date.parse(time),
        texts: [rest],
        partial,
      });
    lastTime = time;
  }
  return records.map(({ stream, timeMs, texts, partial }) => ({
    stream,
    timeMs,
    text: texts.join('\n'),
    lines: texts.length,
    partial,
  }));
}

let lastTimeMs = -1;
let lastTimeText = '';

/** Many records share a millisecond. */
function timeText(timeMs: number): string {
  if (timeMs !== lastTimeMs) lastTimeText = new Date(timeMs).toISOString();
  lastTimeMs = timeMs;
  return lastTimeText;
}
