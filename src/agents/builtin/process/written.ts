/** What durations and signals mean that a `spec` writes as text. Apart from the schema, which is loaded late. */
import { constants } from 'node:os';

export const durationPattern: RegExp = /^(\d{1,10})(ms|s|m)$/;

/** Milliseconds of a duration that the schema has accepted. */
export function durationMs(written: string): number {
  const [, amount = '0', unit] = durationPattern.exec(written) ?? [];
  return Number(amount) * (unit === 'm' ? 60_000 : unit === 's' ? 1000 : 1);
}

/** `TERM`, `SIGTERM` or `sigterm` as Node names it; `undefined` where there is no such signal. */
export function signalName(written: string): NodeJS.Signals | undefined {
  const upper = written.toUpperCase();
  const name = upper.startsWith('SIG') ? upper : `SIG${upper}`;
  return Object.hasOwn(constants.signals, name) ? (name as NodeJS.Signals) : undefined;
}
