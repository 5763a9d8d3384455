/**
 * Everything that happens in a run, as data. Views, logs, receipts, records and tests see events and nothing else; the
 * snapshot (`snapshot.ts`) is a fold over them.
 */
import type { ErrorCode } from '../errors/index.ts';
import type { EndpointId, Service, ServiceId } from '../workspace/index.ts';

export type Mode = 'run' | 'test' | 'build' | 'sync' | 'deploy' | 'render';

export type RunState = 'starting' | 'ready' | 'degraded' | 'failed' | 'stopping' | 'stopped';

export type ServiceState =
  | 'pending'
  | 'loading'
  | 'initializing'
  | 'waiting'
  | 'starting'
  | 'running'
  | 'completed'
  | 'failed'
  | 'crash-looping'
  | 'stopping'
  | 'stopped'
  | 'excluded';

/** What must hold for readiness. */
export type Predicate =
  | 'lifecycle'
  | 'runner'
  | 'endpoint-mapping'
  | 'tcp-connect'
  | 'grpc-health'
  | 'http-status'
  | 'command';

/** How a process ended. */
export type ProcessEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string };

/** A requirement of readiness that does not hold; `sinceMs` is a point in time (milliseconds since 1970). */
export interface UnmetRequirement {
  readonly service: ServiceId;
  readonly endpoint: EndpointId | null;
  readonly predicate: Predicate;
  /** `null` where nothing was tried yet. */
  readonly lastError: string | null;
  readonly sinceMs: number;
}

/** Why a service or a run failed, with the words of the culprit. */
export interface FailureReport {
  /** `SK1451`-like, or an agent's own stable code. */
  readonly code: ErrorCode | string;
  readonly message: string;
  readonly service: ServiceId | null;
  readonly phase: string | null;
  readonly remedy: string | null;
  /** Oldest first. */
  readonly lastLines: readonly string[];
  readonly exit: ProcessEnd | null;
}

/** One link of the answer to "why is it not ready". */
export interface WhyLink {
  readonly service: ServiceId;
  readonly requirement: UnmetRequirement | null;
  readonly failure: FailureReport | null;
}

/** An address of an endpoint as people and programs of this machine use it. */
export interface EndpointAddress {
  readonly endpoint: EndpointId;
  /** `host:port`. */
  readonly address: string;
  /** `null` for an API without URLs. */
  readonly url: string | null;
}

export type Outcome = 'stopped' | 'failed' | 'forced' | 'timed-out';

/** What a teardown did (T-3), by layer, then in the order of registration. */
export interface Receipt {
  readonly operation: string;
  readonly layers: number;
  readonly resources: readonly ReceiptResource[];
}

export interface ReceiptResource {
  readonly id: ServiceId;
  readonly layer: number;
  readonly outcome: Outcome;
  readonly durationMs: number;
  readonly error: string | null;
}

/** The things that happen. */
export type Happening =
  /** Services came into the run (F-17). `order`: of all that are in it now, producers first. */
  | {
      readonly type: 'joined';
      readonly services: readonly Service[];
      readonly order: readonly ServiceId[];
    }
  /** Services are no part of the run any more (F-18); they have been stopped. */
  | { readonly type: 'left'; readonly services: readonly ServiceId[] }
  | {
      readonly type: 'run-state';
      readonly state: RunState;
      readonly cause: string;
      readonly failure?: FailureReport;
    }
  | {
      readonly type: 'service-state';
      readonly service: ServiceId;
      readonly state: ServiceState;
      readonly cause: string;
      readonly failure?: FailureReport;
    }
  | {
      readonly type: 'process-started';
      readonly service: ServiceId;
      readonly pid: number | null;
      readonly restart: boolean;
    }
  /** The service goes through `phase` again, and through what follows it, because of `cause` (F-14). */
  | {
      readonly type: 'reload';
      readonly service: ServiceId;
      readonly phase: 'load' | 'init' | 'start';
      readonly cause: string;
    }
  /** What was repeated failed before it touched the process of before, which runs on (F-15). */
  | { readonly type: 'reload-failed'; readonly service: ServiceId; readonly failure: FailureReport }
  | { readonly type: 'process-ended'; readonly service: ServiceId; readonly end: ProcessEnd }
  | {
      readonly type: 'addresses';
      readonly service: ServiceId;
      readonly addresses: readonly EndpointAddress[];
    }
  | {
      readonly type: 'endpoint-readiness';
      readonly service: ServiceId;
      readonly endpoint: EndpointId;
      readonly ready: boolean;
      readonly predicate: Predicate;
      readonly lastError: string | null;
    }
  | { readonly type: 'service-readiness'; readonly service: ServiceId; readonly ready: boolean }
  | {
      readonly type: 'resource-use';
      readonly service: ServiceId;
      readonly cpuMs: number;
      readonly memoryBytes: number;
    }
  | {
      readonly type: 'warning';
      readonly service: ServiceId | null;
      readonly phase: string;
      readonly message: string;
    }
  | { readonly type: 'receipt'; readonly receipt: Receipt };

/** A thing that happened, with its place in the run's history. */
export interface RunEvent {
  /** Counts from 1 within the run. */
  readonly sequence: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly timeMs: number;
  readonly happening: Happening;
}

export type OutputStream = 'stdout' | 'stderr';

/** Lines of one service and stream that arrived together. */
export interface LogChunk {
  readonly service: ServiceId;
  readonly stream: OutputStream;
  /** Milliseconds since 1970-01-01 UTC; never decreases within a service. */
  readonly timeMs: number;
  /** One or more lines joined by `\n`, without a final one. */
  readonly text: string;
  /** The last line is not complete: its next piece follows. */
  readonly partial: boolean;
  /** Lines lost before this chunk. */
  readonly lost: number;
}
