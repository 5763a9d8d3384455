/** Durations as files and the command line write them: `250ms`, `10s`, `5m`. */

export const durationPattern: RegExp = /^(\d{1,10})(ms|s|m)$/;

/** Milliseconds of a duration as written, or `undefined` where it is none. */
export function durationMs(written: string): number | undefined {
  const [, amount, unit] = durationPattern.exec(written) ?? [];
  if (amount === undefined) return undefined;
  return Number(amount) * (unit === 'm' ? 60_000 : unit === 's' ? 1000 : 1);
}
