/** What is wanted of a service of the run, and whether it has failed; pure. */
import type { FailureReport } from './events.ts';

/**
 * Each standing carries what is true in it.
 *
 * ```
 *               it failed
 *   wanted ◀─────────────────▶ failed
 *     ▲      it is tried again    ▲
 *     │                           │
 *     └──────▶ told-to-stop ◀─────┘    told to stop; and wanted again, by the way it came
 * ```
 */
export type Standing =
  /** It is to be up: it runs, is on its way, or has nothing left to do. */
  | { readonly kind: 'wanted' }
  /** It is to be up, and failed; told once, until it is tried again. */
  | { readonly kind: 'failed'; readonly report: FailureReport }
  /**
   * Its end is no failure, and it is not started again by itself. `failure`: what it had failed of before; `null` where it
   * had not.
   */
  | { readonly kind: 'told-to-stop'; readonly failure: FailureReport | null };

export const wanted: Standing = { kind: 'wanted' };

export function toldToStop(standing: Standing): Standing {
  return { kind: 'told-to-stop', failure: failureOf(standing) };
}

/** Of one that was told to stop: what it failed of is over when it is tried, and not before. */
export function wantedAgain(standing: Standing): Standing {
  const failure = failureOf(standing);
  return failure === null ? wanted : { kind: 'failed', report: failure };
}

/** Why it does not run; `null` where it did not fail. */
export function failureOf(standing: Standing): FailureReport | null {
  switch (standing.kind) {
    case 'wanted':
      return null;
    case 'failed':
      return standing.report;
    case 'told-to-stop':
      return standing.failure;
  }
}
