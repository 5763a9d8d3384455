/**
 * The one error type of the product. Whatever skein can foresee going wrong is thrown as a `SkeinError`: what failed
 * (message), where (place), why (cause) and what to do next (remedy). Anything else that is thrown is a bug and keeps
 * its stack.
 */

/** A position in a file of the user's; `line` and `column` count from 1. */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The offending source line as written, without its line break. */
  readonly source?: string | undefined;
}

/** A position in a run: which service, in which phase, at which endpoint. */
export interface RunPlace {
  readonly service: string;
  readonly phase?: string;
  readonly endpoint?: string;
}

export type Place = FilePlace | RunPlace;

/** One entry of a folder's error table: what the code means, and what a person does about it. */
export interface ErrorEntry {
  readonly title: string;
  readonly remedy: string;
}

/** `SK` and four digits; the first two name the subject (10 workspace, 11 configuration, 12 network, …). */
export type ErrorCode = `SK${number}`;

export type ErrorTable = Readonly<Record<ErrorCode, ErrorEntry>>;

export interface SkeinErrorOptions {
  readonly place?: Place;
  readonly cause?: unknown;
  /** What to do next; where absent, the remedy of the code's table entry is shown. */
  readonly remedy?: string;
  /** Last lines of output that belong to the failure, oldest first. */
  readonly lastLines?: readonly string[];
}

/** An expected failure with a stable code. */
export class SkeinError extends Error {
  override readonly name = 'SkeinError';
  readonly code: ErrorCode;
  readonly place: Place | undefined;
  readonly remedy: string | undefined;
  readonly lastLines: readonly string[];

  constructor(code: ErrorCode, message: string, options: SkeinErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.place = options.place;
    this.remedy = options.remedy;
    this.lastLines = options.lastLines ?? [];
  }
}

/** Several faults found together, reported together; never empty. */
export class SkeinFaults extends SkeinError {
  readonly faults: readonly SkeinError[];

  /** @throws {RangeError} when `faults` is empty: that is a bug of the caller. */
  constructor(faults: readonly SkeinError[]) {
    const first = faults[0];
    if (first === undefined) throw new RangeError('SkeinFaults needs at least one fault');
    super(first.code, faults.length === 1 ? first.message : `${faults.length} faults`, {
      ...(first.place && { place: first.place }),
      ...(first.remedy !== undefined && { remedy: first.remedy }),
    });
    this.faults = faults;
  }
}

/** Every single fault of an error, flattened. */
export function faultsOf(error: SkeinError): readonly SkeinError[] {
  return error instanceof SkeinFaults ? error.faults.flatMap(faultsOf) : [error];
}

/** Everything that an error says: one fault a line, each with its place where that is in a file. */
export function wholeMessage(error: SkeinError): string {
  return faultsOf(error)
    .map(({ place, message }) =>
      place !== undefined && isFilePlace(place)
        ? `${place.file}:${place.line}:${place.column}: ${message}`
        : message,
    )
    .join('\n');
}

export function isFilePlace(place: Place): place is FilePlace {
  return 'file' in place;
}
