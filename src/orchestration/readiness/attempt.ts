/** One attempt of a probe: its limits, its outcome, and the words in which a failed one is told. */

export interface ProbeOptions {
  /** Ends the attempt at once; its result no longer matters then. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export type ProbeResult =
  /** `note`: what a person should know about the way in which it holds. */
  | { readonly ok: true; readonly note?: string }
  /** `error` is written for a person: `connection refused`, `503 Service Unavailable`. */
  | { readonly ok: false; readonly error: string };

export function failed(error: string): ProbeResult {
  return { ok: false, error };
}

/**
 * Runs `begin` until it calls `settle`, the time is up, or the signal is aborted, whichever is first; `end` then releases
 * whatever `begin` opened. Later calls of `settle` do nothing.
 */
export function attempt(
  { signal, timeoutMs }: ProbeOptions,
  begin: (settle: (result: ProbeResult) => void) => () => void,
): Promise<ProbeResult> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(failed('cancelled'));
      return;
    }
    let end: (() => void) | undefined;
    let settled = false;
    const settle = (result: ProbeResult): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      end?.();
      resolve(result);
    };
    const cancel = (): void => settle(failed('cancelled'));
    const timer = setTimeout(() => settle(failed(noAnswer(timeoutMs))), timeoutMs);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      end = begin(settle);
      // It may have settled before `end` was known.
      if (settled) end();
    } catch (error) {
      // What cannot even be asked (a path with a line break) fails like any other attempt.
      settle(failed(error instanceof Error ? error.message : String(error)));
    }
  });
}

export function noAnswer(timeoutMs: number): string {
  return `no answer within ${timeoutMs % 1_000 === 0 ? `${timeoutMs / 1_000} s` : `${timeoutMs} ms`}`;
}

const connectionErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EADDRNOTAVAIL: 'address not available',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name cannot be looked up',
  EPROTO: 'TLS handshake failed',
};

/** A connection's error in a person's words; of several addresses tried, the first one's. */
export function connectionError(error: Error): string {
  const single =
    error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  const code = 'code' in single && typeof single.code === 'string' ? single.code : '';
  return connectionErrors[code] ?? (single.message === '' ? code : single.message);
}
