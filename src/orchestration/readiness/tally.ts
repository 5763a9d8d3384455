/** What outcomes in a row come to; pure. */

export interface Thresholds {
  /** Successes in a row after which it holds; at least 1. */
  readonly successes: number;
  /** Failures in a row after which it holds no more, or is given up; at least 1, `Infinity`: never. */
  readonly failures: number;
}

export interface Tally {
  readonly holds: boolean;
  /** The outcome that the last attempts have in common, and how many they are. */
  readonly row: { readonly ok: boolean; readonly length: number };
}

/** Before the first attempt. What is alive counts as such until it is not; what has to become ready does not hold yet. */
export function newTally(holds: boolean): Tally {
  return { holds, row: { ok: holds, length: 0 } };
}

/** One more outcome: another one than the last begins the count anew. */
export function tallied({ holds, row }: Tally, ok: boolean, thresholds: Thresholds): Tally {
  const length = ok === row.ok ? row.length + 1 : 1;
  const decides = length >= (ok ? thresholds.successes : thresholds.failures);
  return { holds: decides ? ok : holds, row: { ok, length } };
}

/** It has just failed as often in a row as it may. */
export function isExhausted({ row }: Tally, { failures }: Thresholds): boolean {
  return !row.ok && row.length === failures;
}
