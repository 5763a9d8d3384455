/**
 * A live run as those who stand above it see it: the control service, and through it every view, hold this and nothing
 * else of the flow.
 */
import type { EndpointId, ServiceId, Workspace } from '../workspace/index.ts';
import type { LogChunk, Mode, Receipt, RunEvent, WhyLink } from './events.ts';
import type { RunSnapshot } from './snapshot.ts';

/** A service's log file is begun afresh beyond this, whoever writes it (U-13). */
export const logFileLimitBytes: number = 64 * 1024 * 1024;

/** A variable of a service's process with its provenance; `value` is masked when `secret`. */
export interface ConfigurationEntry {
  readonly variable: string;
  readonly group: string;
  readonly key: string;
  readonly value: string;
  readonly secret: boolean;
  /** `file:line`; `null` where it was generated. */
  readonly source: string | null;
  readonly delivered: boolean;
  readonly reason: string;
}

/** What came of reading the workspace again. */
export interface Extension {
  /** Producers first. */
  readonly joined: readonly ServiceId[];
  readonly left: readonly ServiceId[];
  /** Those that run on as they were declared before: what has changed in their declaration is not applied. */
  readonly outdated: readonly ServiceId[];
  /** Of those that left; `null` where none did. */
  readonly receipt: Receipt | null;
}

export interface Run {
  readonly id: string;
  readonly mode: Mode;
  readonly workspace: Workspace;
  /** The first root: it names the run (F-3). */
  readonly origin: ServiceId;
  /** The state now: the fold of every event so far. */
  snapshot(): RunSnapshot;
  /** Every event after `afterSequence`, oldest first, then each new one as it happens. Disposing ends it. */
  onEvent(listener: (event: RunEvent) => void, afterSequence?: number): Disposable;
  /** Output of the services as it arrives; while a returned promise is pending, agents keep what follows. Disposing ends it. */
  onLog(listener: (chunk: LogChunk) => void | Promise<void>): Disposable;
  /** Resolves when every requirement holds; rejects with a SkeinError (SK14xx) at the deadline or when the run fails. */
  waitReady(signal?: AbortSignal): Promise<void>;
  /** Resolves when the run has ended, with its receipt; never rejects. */
  readonly ended: Promise<Receipt>;
  /** @throws {SkeinError} when the service is unknown, excluded, or does not come up again. */
  restart(service: ServiceId, signal?: AbortSignal): Promise<void>;
  /** @throws {SkeinError} for an unknown service. */
  startServices(services: readonly ServiceId[], signal?: AbortSignal): Promise<void>;
  /** Stops these services, dependents first; with `only`, these alone. */
  stopServices(services: readonly ServiceId[], options?: { readonly only?: boolean }): Promise<Receipt>;
  /** Tears the whole run down (T-1). Called again, it joins the teardown under way. */
  stop(options?: { readonly cause?: string; readonly budgetMs?: number }): Promise<Receipt>;
  /** Second Ctrl-C: every budget drops to 2 s. Third: kill (T-5). */
  hurry(how: 'hurry' | 'kill'): void;
  /**
   * Reads the workspace again, and takes in what it newly composes, and the services of these names (F-17); what it does not
   * compose any more leaves (F-18).
   * @throws {SkeinError} what is wrong, all faults together; nothing has changed then (F-19)
   */
  extend(names?: readonly string[]): Promise<Extension>;
  why(service: ServiceId): readonly WhyLink[];
  configuration(service: ServiceId): readonly ConfigurationEntry[];
  /** Local URL or `host:port` of an endpoint; `undefined` before it is known. */
  address(endpoint: EndpointId): string | undefined;
}
