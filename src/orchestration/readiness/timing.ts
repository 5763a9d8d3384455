/** When a probe runs where its declaration leaves that open. */
import type { ProbePurpose } from '../../workspace/index.ts';
import type { Thresholds } from './tally.ts';
import type { ProbeTarget, Watched } from './target.ts';

export interface Timing {
  /** Fixed, from the beginning of an attempt to that of the next; absent: the pace of R-6. */
  readonly intervalMs?: number;
  /** What one attempt may take: a hung server must not hold up the next one for long. */
  readonly timeoutMs: number;
  readonly thresholds: Thresholds;
  /** From the service's Start to the first attempt. */
  readonly initialDelayMs: number;
}

export function timingOf({
  purpose,
  target,
  timing,
}: Pick<Watched, 'purpose' | 'target' | 'timing'>): Timing {
  const usual = usualTiming[purpose];
  const intervalMs = timing.intervalMs ?? usual.intervalMs;
  return {
    ...(intervalMs !== undefined && { intervalMs }),
    timeoutMs: timing.timeoutMs ?? attemptTimeoutMs(target),
    thresholds: {
      successes: timing.successThreshold ?? 1,
      failures: timing.failureThreshold ?? usual.failures,
    },
    initialDelayMs: timing.initialDelayMs ?? 0,
  };
}

const usualTiming: Readonly<
  Record<ProbePurpose, { readonly intervalMs?: number; readonly failures: number }>
> = {
  // What holds is not revoked by one lost packet or one hiccup: a second attempt, 25 ms later, decides.
  readiness: { failures: 2 },
  // A restart is dear: half a minute of failures has to speak for it.
  liveness: { intervalMs: 10_000, failures: 3 },
  // How long a start may take nobody can guess; the run's deadline judges it.
  startup: { failures: Number.POSITIVE_INFINITY },
};

function attemptTimeoutMs({ predicate }: ProbeTarget): number {
  switch (predicate) {
    // Connecting on one machine takes well under a millisecond; a second is for containers and port-forwards.
    case 'tcp-connect':
      return 1_000;
    // A health route may compile a page at its first request.
    case 'http-status':
    case 'grpc-health':
    case 'command':
      return 5_000;
  }
}
