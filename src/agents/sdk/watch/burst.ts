/**
 * When a burst of changes is over, so that many saves are one reload (F-15). A single save is answered quickly; where
 * several files have changed, more are awaited a little longer, for a checkout or a code generator writes them in turns.
 */

/** Changes that follow one another. Times in milliseconds of one clock. */
export interface Burst {
  readonly firstMs: number;
  readonly lastMs: number;
  /** Changed so far, as far as that is known; at least 1. */
  readonly files: number;
}

/** No change for this long after a single one ends the burst; an editor writes, renames and writes again within less. */
const quietMs = 150;
/** The same after changes of several files. */
const quietOfManyMs = 500;
/** A tree that is never quiet is looked at nevertheless. */
export const longestBurstMs = 5_000;

/** The moment from which on the burst counts as over, if nothing else changes. */
export function burstEndMs({ firstMs, lastMs, files }: Burst): number {
  return Math.min(lastMs + (files > 1 ? quietOfManyMs : quietMs), firstMs + longestBurstMs);
}

/** Both as one. */
export function joined(earlier: Burst, later: Burst | undefined): Burst {
  if (later === undefined) return earlier;
  return {
    firstMs: Math.min(earlier.firstMs, later.firstMs),
    lastMs: Math.max(earlier.lastMs, later.lastMs),
    files: Math.max(earlier.files, later.files),
  };
}
