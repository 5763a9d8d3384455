/** How long an agent may take for what: every call has a deadline, by phase. */

/** All in milliseconds; `Infinity` is no deadline. */
export interface AgentTimeouts {
  /** From the spawn to health SERVING. Default 10 s. */
  readonly handshakeMs: number;
  /** GetAgentInformation, and Information of an instance. Default 5 s. */
  readonly informationMs: number;
  /** Default 30 s. */
  readonly loadMs: number;
  /** Builds happen here. Default 10 min. */
  readonly initMs: number;
  /** Default 60 s. */
  readonly startMs: number;
  /** What Stop and Destroy may take where the request names no `timeoutMs`. Default 10 s. */
  readonly stopMs: number;
  /** Added to a stop's own time, for the kill and the answer. Default 5 s. */
  readonly stopGraceMs: number;
  /** Test, Lint, Compile, Sync, Build, Deploy. Default 1 h. */
  readonly workMs: number;
  /** Budget given to Shutdown; the answer may take `stopGraceMs` more. Default 10 s. */
  readonly shutdownMs: number;
  /** From an answered Shutdown to the exit, and from SIGTERM to SIGKILL. Default 2 s. */
  readonly exitMs: number;
}

export const defaultTimeouts: AgentTimeouts = {
  handshakeMs: 10_000,
  informationMs: 5_000,
  loadMs: 30_000,
  initMs: 600_000,
  startMs: 60_000,
  stopMs: 10_000,
  stopGraceMs: 5_000,
  workMs: 3_600_000,
  shutdownMs: 10_000,
  exitMs: 2_000,
};

/** `1.5 s`, `250 ms`, `10 min`: how a duration reads in a message. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${Number((ms / 1_000).toFixed(1))} s`;
  return `${Number((ms / 60_000).toFixed(1))} min`;
}
