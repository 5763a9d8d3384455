/** Everything that one instance prints, on its way out: split into lines, masked, appended to the log file, queued for the host. */
import type { Readable } from 'node:stream';
import { LineSplitter, type Lines, type OutputStream } from '../../../processes/index.ts';
import { MASK, SecretMask } from '../../../secrets/index.ts';
import { LogFile } from './log-file.ts';
import { LogQueue, type SharedMemory } from './queue.ts';
import type { LogRecord } from './record.ts';

/** Longer lines come in pieces, each with a line of its own in the log file. */
const longestLineBytes = 1024 * 1024;
/** A held-back text of this length is one endless self-overlapping secret. */
const longestHeldBack = 4 * longestLineBytes;

export class InstanceOutput {
  readonly instance: string;
  readonly mask: SecretMask = new SecretMask();
  readonly queue: LogQueue;
  readonly #wake: (output: InstanceOutput) => void;
  #file: LogFile | undefined;

  /** `shared`: what the queues of the agent hold together. `wake` is called whenever the queue holds something. */
  constructor(instance: string, shared: SharedMemory, wake: (output: InstanceOutput) => void) {
    this.instance = instance;
    this.queue = new LogQueue(shared);
    this.#wake = wake;
  }

  /** Keeps the output in `path` from now on; an empty path keeps none. */
  async useFile(path: string, limitBytes: number): Promise<void> {
    if (this.#file?.path === path) return;
    const previous = this.#file;
    this.#file =
      path === ''
        ? undefined
        : new LogFile({ path, limitBytes, onFault: (error) => this.#reportFault(path, error) });
    this.queue.leaveFile();
    await previous?.close();
  }

  /** Masks and hands on what has arrived; returns a promise where the service has to wait for the disk. */
  write(record: LogRecord): Promise<void> | undefined {
    const from = this.#file?.end;
    this.#file?.append(record);
    this.queue.push(record, this.#file, from);
    this.#wake(this);
    return this.#file?.relief();
  }

  /** Lines of the agent's own. */
  say(text: string, stream: OutputStream = 'stderr'): void {
    const lines = text.replace(/\n$/, '').split('\n');
    const masked = this.mask.apply(lines.join('\n'));
    void this.write({ stream, timeMs: Date.now(), text: masked, lines: lines.length, partial: false });
  }

  /**
   * Reads a stream of a process to its end. `observe` sees every record before it leaves, already masked.
   * Resolves when the stream has ended.
   */
  async pump(readable: Readable, stream: OutputStream, observe: (record: LogRecord) => void): Promise<void> {
    const splitter = new LineSplitter(stream, { maxPieceBytes: longestLineBytes });
    const masker = new LineMasker(this.mask);
    for await (const chunk of readable) {
      for (const record of masker.records(splitter.push(chunk as Buffer, Date.now()))) {
        observe(record);
        const relief = this.write(record);
        if (relief !== undefined) await relief;
      }
    }
    for (const record of masker.records(splitter.end(Date.now()))) {
      observe(record);
      await this.write(record);
    }
  }

  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  #reportFault(path: string, error: Error): void {
    const text = `skein: the log file ${path} cannot be written (${error.message}); output goes on without it`;
    // Only to the host: the file is what fails.
    this.queue.push(
      { stream: 'stderr', timeMs: Date.now(), text, lines: 1, partial: false },
      undefined,
      undefined,
    );
    this.#wake(this);
  }
}

/** Turns lines into masked records; the end of an unfinished line waits where a secret might go on in its next piece. */
class LineMasker {
  readonly #mask: SecretMask;
  #heldBack = '';

  constructor(mask: SecretMask) {
    this.#mask = mask;
  }

  *records(lines: readonly Lines[]): Generator<LogRecord> {
    let from = 0;
    for (let at = 0; at < lines.length; at++) {
      if (!lines[at]?.partial && !(at === from && this.#heldBack !== '')) continue;
      yield* this.#whole(lines.slice(from, at));
      const line = lines[at];
      if (line) yield* this.#piece(line);
      from = at + 1;
    }
    yield* this.#whole(lines.slice(from));
  }

  *#whole(lines: readonly Lines[]): Generator<LogRecord> {
    const first = lines[0];
    if (first === undefined) return;
    const text = this.#mask.apply(lines.map((each) => each.text).join('\n'));
    const count = lines.reduce((sum, each) => sum + each.lines, 0);
    yield { stream: first.stream, timeMs: first.timeMs, text, lines: count, partial: false };
  }

  /** A piece of a long line, or the last one. */
  *#piece({ text, stream, timeMs, partial }: Lines): Generator<LogRecord> {
    const known = this.#heldBack + text;
    const cut = partial ? this.#mask.safeCut(known) : known.length;
    const endless = cut === 0 && known.length > longestHeldBack;
    this.#heldBack = endless ? '' : known.slice(cut);
    const masked = endless ? MASK : this.#mask.apply(known.slice(0, cut));
    if (masked !== '' || !partial) yield { stream, timeMs, text: masked, lines: 1, partial };
  }
}
