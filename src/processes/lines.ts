/**
 * Folds the chunks of an output stream into lines (U-13). Works on whole chunks: everything between the first and the
 * last line feed is decoded at once, for a line feed never stands inside a character; only what a chunk's border tears
 * is copied. The lines are the same wherever the borders fall, and memory is bounded by `maxPieceBytes`.
 */
import { incompleteTail } from './utf8.ts';

export type OutputStream = 'stdout' | 'stderr';

/** Lines that arrived together: a busy stream is cheap because they are not taken apart before somebody needs them so. */
export interface Lines {
  /** One or more lines joined by `\n`, without a final line ending; invalid UTF-8 is replaced by U+FFFD. */
  readonly text: string;
  /** How many lines `text` holds. */
  readonly lines: number;
  readonly stream: OutputStream;
  /** When the last byte arrived, milliseconds since the epoch. */
  readonly timeMs: number;
  /** There is one line, which goes on in the stream's next `Lines`: joined, the pieces are the line. */
  readonly partial: boolean;
}

export interface LineSplitterOptions {
  /** Longer lines come in pieces of about this size; at least 4, default 64 KiB. */
  readonly maxPieceBytes?: number;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const initialBytes = 1024;
/** A buffer that a long line has grown beyond this is let go with the line: a run has hundreds of streams. */
const retainedBytes = 8 * 1024;

/**
 * One stream's lines. A carriage return within a line starts it over, as on a terminal: what is kept is the last state
 * before the line feed, so that a progress bar is one line (pieces of a long state already delivered stay delivered).
 */
export class LineSplitter {
  readonly #stream: OutputStream;
  readonly #maxPieceBytes: number;
  /** The current state of the line that is not ended yet: the first `#length` bytes. */
  #pending: Buffer = Buffer.allocUnsafe(initialBytes);
  #length = 0;
  /** A carriage return has been seen; what comes next decides whether it ends the line or starts it over. */
  #returned = false;
  /** Pieces of the current line have been delivered. */
  #inPieces = false;

  constructor(stream: OutputStream, options: LineSplitterOptions = {}) {
    this.#stream = stream;
    this.#maxPieceBytes = Math.max(4, options.maxPieceBytes ?? 64 * 1024);
  }

  /** The lines that this chunk completes. The chunk is not kept. */
  push(chunk: Buffer, timeMs: number): Lines[] {
    const lines: Lines[] = [];
    const last = chunk.lastIndexOf(lineFeed);
    let at = 0;
    while (at <= last) {
      const blockEnd = this.#hasPending()
        ? -1
        : lastLineFeed(chunk, at, Math.min(last, at + this.#maxPieceBytes - 1));
      if (blockEnd >= at) {
        lines.push(this.#block(chunk.toString('utf8', at, blockEnd), timeMs));
        at = blockEnd + 1;
      } else {
        const end = chunk.indexOf(lineFeed, at);
        this.#absorb(chunk.subarray(at, end), timeMs, lines);
        lines.push(this.#finish(timeMs));
        at = end + 1;
      }
    }
    if (at < chunk.length) this.#absorb(chunk.subarray(at), timeMs, lines);
    return lines;
  }

  /** The last line where no line feed ended it. Afterwards the splitter is as new. */
  end(timeMs: number): Lines[] {
    return this.#hasPending() ? [this.#finish(timeMs)] : [];
  }

  #hasPending(): boolean {
    return this.#length > 0 || this.#returned || this.#inPieces;
  }

  #block(written: string, timeMs: number): Lines {
    const text = written.includes('\r') ? written.split('\n').map(lastState).join('\n') : written;
    return { text, lines: lineCount(text), stream: this.#stream, timeMs, partial: false };
  }

  /** Bytes without a line feed. */
  #absorb(bytes: Buffer, timeMs: number, lines: Lines[]): void {
    let at = 0;
    while (at < bytes.length) {
      const found = bytes.indexOf(carriageReturn, at);
      const end = found === -1 ? bytes.length : found;
      if (end > at) this.#append(bytes.subarray(at, end), timeMs, lines);
      if (found !== -1) this.#returned = true;
      at = end + 1;
    }
  }

  /** Bytes without a line feed or a carriage return; at least one. */
  #append(bytes: Buffer, timeMs: number, lines: Lines[]): void {
    if (this.#returned) {
      this.#length = 0;
      this.#returned = false;
    }
    let rest = bytes;
    while (this.#length + rest.length > this.#maxPieceBytes) {
      const taken = this.#maxPieceBytes - this.#length;
      this.#keep(rest.subarray(0, taken));
      rest = rest.subarray(taken);
      const tail = incompleteTail(this.#pending, this.#length);
      const cut = this.#length - tail;
      lines.push({ text: this.#decode(cut), lines: 1, stream: this.#stream, timeMs, partial: true });
      this.#pending.copyWithin(0, cut, this.#length);
      this.#length = tail;
      this.#inPieces = true;
    }
    this.#keep(rest);
  }

  #keep(bytes: Buffer): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#pending.length) {
      const grown = Buffer.allocUnsafe(
        Math.min(this.#maxPieceBytes, Math.max(needed, 2 * this.#pending.length)),
      );
      this.#pending.copy(grown, 0, 0, this.#length);
      this.#pending = grown;
    }
    this.#pending.set(bytes, this.#length);
    this.#length = needed;
  }

  #finish(timeMs: number): Lines {
    const text = this.#decode(this.#length);
    const line: Lines = { text, lines: 1, stream: this.#stream, timeMs, partial: false };
    this.#length = 0;
    this.#returned = false;
    this.#inPieces = false;
    if (this.#pending.length > retainedBytes) this.#pending = Buffer.allocUnsafe(initialBytes);
    return line;
  }

  #decode(end: number): string {
    return this.#pending.toString('utf8', 0, end);
  }
}

/** The index of the last line feed from `start` to `end` inclusive, or -1. */
function lastLineFeed(chunk: Buffer, start: number, end: number): number {
  const found = chunk.lastIndexOf(lineFeed, end);
  return found < start ? -1 : found;
}

/** How many lines a text without a final line ending holds; an empty one holds one. */
export function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function lastState(written: string): string {
  let end = written.length;
  while (written.charCodeAt(end - 1) === carriageReturn) end -= 1;
  return written.slice(written.lastIndexOf('\r', end - 1) + 1, end);
}
