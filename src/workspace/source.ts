/** The text of one file, and the way from an offset in it to the place that a person is shown. */
import { type ErrorCode, type FilePlace, SkeinError } from '../errors/index.ts';
import { shownLine } from './shown-line.ts';

export class SourceText {
  readonly file: string;
  readonly text: string;
  #lineStarts: readonly number[] | undefined;

  /** `file` is absolute; `text` is without byte order mark. */
  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
  }

  /** The place of a character; columns count UTF-16 units from 1, as editors do. An offset outside is drawn to the edge. Its line is without secrets (C-2). */
  place(offset: number): FilePlace {
    this.#lineStarts ??= lineStartsOf(this.text);
    const starts = this.#lineStarts;
    const within = Math.max(0, Math.min(offset, this.text.length));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= within) low = middle;
      else high = middle - 1;
    }
    const start = starts[low] ?? 0;
    const { file, text } = this;
    return {
      file,
      line: low + 1,
      column: within - start + 1,
      // Found out when it is shown: of the many places that a workspace has, hardly one ever is.
      get source() {
        return shownLine(text, start);
      },
    };
  }

  /** What is wrong at a character of this text. */
  fault(code: ErrorCode, offset: number, message: string): SkeinError {
    return new SkeinError(code, message, { place: this.place(offset) });
  }
}

/** YAML breaks lines at LF and CRLF; both end in LF. */
function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
