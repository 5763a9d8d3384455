/** An error as data: for `--json`, and to cross from a supervisor to the command that waits for it. */
import {
  type ErrorCode,
  type ErrorTable,
  faultsOf,
  type Place,
  SkeinError,
  SkeinFaults,
} from '../errors/index.ts';

/** One fault. */
export interface FaultDocument {
  readonly code: string;
  readonly message: string;
  /** `{ file, line, column, source? }` or `{ service, phase?, endpoint? }`; `null` where it has no place. */
  readonly place: Place | null;
  /** What led to it, nearest first. */
  readonly causes: readonly string[];
  /** What to do next; `null` where nobody knows. */
  readonly remedy: string | null;
  readonly lastLines: readonly string[];
}

/** What `--json` writes to stderr: every fault, never none. */
export interface ErrorDocument {
  readonly errors: readonly FaultDocument[];
}

export function describeError(error: SkeinError, tables: readonly ErrorTable[]): ErrorDocument {
  return { errors: faultsOf(error).map((fault) => describeFault(fault, tables)) };
}

function describeFault(fault: SkeinError, tables: readonly ErrorTable[]): FaultDocument {
  const tabled = tables.map((table) => table[fault.code]?.remedy).find((remedy) => remedy !== undefined);
  const causes: string[] = [];
  for (let cause = fault.cause; cause instanceof Error; cause = cause.cause) causes.push(cause.message);
  return {
    code: fault.code,
    message: fault.message,
    place: fault.place ?? null,
    causes,
    remedy: fault.remedy ?? tabled ?? null,
    lastLines: fault.lastLines,
  };
}

/** The error again, as it was in the process that it comes from. */
export function restoreError({ errors }: ErrorDocument): SkeinError {
  const faults = errors.map(restoreFault);
  const [only] = faults;
  return only !== undefined && faults.length === 1 ? only : new SkeinFaults(faults);
}

function restoreFault(fault: FaultDocument): SkeinError {
  const cause = fault.causes.reduceRight<Error | undefined>(
    (inner, message) => new Error(message, { cause: inner }),
    undefined,
  );
  return new SkeinError(fault.code as ErrorCode, fault.message, {
    ...(fault.place !== null && { place: fault.place }),
    ...(cause !== undefined && { cause }),
    ...(fault.remedy !== null && { remedy: fault.remedy }),
    lastLines: fault.lastLines,
  });
}
