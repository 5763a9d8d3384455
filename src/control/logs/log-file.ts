/**
 * Writes the log file of one service: `<RFC 3339 time with milliseconds> <stdout|stderr> <text>` a line, whole lines
 * only, without ANSI sequences, rotated by size to `.1` (U-13). A line that is too long to be held is written in pieces,
 * of which all but the last bear `stdout+` or `stderr+`.
 */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import type { LogChunk, OutputStream } from '../../orchestration/index.ts';
import { stripAnsi } from '../../processes/index.ts';

/** Where a line that never ends is broken in the file, characters. */
const longestLine = 1 << 20;
/** What is gathered before it is written, characters. */
const writeSize = 64 * 1024;

export interface LogFileOptions {
  /** Absolute. */
  readonly path: string;
  /** Size in bytes at which the file is moved to `<path>.1`. */
  readonly rotateBytes: number;
}

/** Opened at its first line. What is appended is in the file after `flush`; appending never waits. */
export class LogFile {
  readonly #options: LogFileOptions;
  #descriptor: number | undefined;
  #written = 0;
  #waiting = '';
  readonly #openLines = new Map<OutputStream, string>();

  constructor(options: LogFileOptions) {
    this.#options = options;
  }

  /** @throws the system's error when the file cannot be written. */
  append(chunk: LogChunk): void {
    const head = `${new Date(chunk.timeMs).toISOString()} ${chunk.stream} `;
    const text = this.#wholeLines(chunk);
    if (text !== undefined) this.#waiting += head + plain(text).replaceAll('\n', `\n${head}`) + '\n';
    const piece = this.#longPiece(chunk.stream);
    if (piece !== undefined) this.#waiting += `${head.trimEnd()}+ ${plain(piece)}\n`;
    if (this.#waiting.length >= writeSize) this.flush();
  }

  /** Whether something waits to be written. */
  get pending(): boolean {
    return this.#waiting !== '';
  }

  /** @throws the system's error when the file cannot be written. */
  flush(): void {
    if (this.#waiting === '') return;
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    if (this.#written > 0 && this.#written + bytes.length > this.#options.rotateBytes) this.#rotate();
    const descriptor = this.#open();
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(descriptor, bytes, offset);
    this.#written += bytes.length;
  }

  /** Writes what is left, also lines that never ended, and closes the file. */
  close(nowMs: number): void {
    for (const [stream, text] of this.#openLines)
      this.#waiting += `${new Date(nowMs).toISOString()} ${stream} ${plain(text)}\n`;
    this.#openLines.clear();
    try {
      this.flush();
    } finally {
      if (this.#descriptor !== undefined) closeSync(this.#descriptor);
      this.#descriptor = undefined;
    }
  }

  #open(): number {
    if (this.#descriptor === undefined) {
      this.#descriptor = openSync(this.#options.path, 'a', 0o600);
      this.#written = fstatSync(this.#descriptor).size;
    }
    return this.#descriptor;
  }

  #rotate(): void {
    if (this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    renameSync(this.#options.path, `${this.#options.path}.1`);
  }

  /** What of the chunk, and of the line that it goes on with, can be written; the rest is kept for later. */
  #wholeLines({ stream, text, partial }: LogChunk): string | undefined {
    const open = this.#openLines.get(stream);
    const joined = open === undefined ? text : open + text;
    this.#openLines.delete(stream);
    if (!partial) return joined;
    const end = joined.lastIndexOf('\n');
    this.#openLines.set(stream, joined.slice(end + 1));
    return end === -1 ? undefined : joined.slice(0, end);
  }

  /** What there is of a line that has become too long to be held. */
  #longPiece(stream: OutputStream): string | undefined {
    const open = this.#openLines.get(stream);
    if (open === undefined || open.length <= longestLine) return undefined;
    this.#openLines.set(stream, '');
    return open;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const special = /[\r\u001b\u0080-\u009f]/;

/** Text for a file: no ANSI, and of a line that was overwritten in place (a progress bar) its last state. */
function plain(text: string): string {
  return special.test(text) ? text.split('\n').map(plainLine).join('\n') : text;
}

function plainLine(line: string): string {
  const shown = stripAnsi(line).replace(/\r+$/, '');
  return shown.slice(shown.lastIndexOf('\r') + 1);
}
