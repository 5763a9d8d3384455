/** Probes everything of a run that has to be probed, and tells when something begins or ceases to hold. */
import { SkeinError } from '../../errors/index.ts';
import type { EndpointId, ProbePurpose, ServiceId } from '../../workspace/index.ts';
import type { Clock } from '../clock.ts';
import type { Predicate } from '../events.ts';
import { type AskOwnership, ownedProbe } from './listener-owner.ts';
import { ListenerSweep, type ReadListeners } from './listener-sweep.ts';
import type { Probe } from './probe.ts';
import { ProbeWatch } from './probe-watch.ts';
import type { RequirementKey } from './requirements.ts';
import type { RequirementState } from './state.ts';
import type { Watched } from './target.ts';

/** What a probe examines has changed; between two failing states only the last error differs. */
export interface Transition {
  readonly purpose: ProbePurpose;
  readonly key: RequirementKey;
  readonly service: ServiceId;
  readonly endpoint: EndpointId | null;
  readonly predicate: Predicate;
  readonly from: RequirementState;
  readonly to: RequirementState;
}

export interface Exhausted {
  readonly subject: Watched;
  /** In a row. */
  readonly failures: number;
  readonly lastError: string;
}

export interface MonitorOptions {
  readonly clock: Clock;
  readonly probe: Probe;
  /** Tells whose the listener at an address is; absent: nobody asks. */
  readonly askOwnership?: AskOwnership;
  /** Reads the kernel's table of listening sockets; absent where the platform has none that is cheap to read. */
  readonly readListeners?: ReadListeners;
  readonly onTransition: (transition: Transition) => void;
  /** A liveness or startup probe has failed as often in a row as it may. */
  readonly onExhausted: (exhausted: Exhausted) => void;
  /** What does not end the monitoring but should be known: SK1452, of no service; SK1453. */
  readonly onWarning: (warning: SkeinError, service: ServiceId | null) => void;
}

/** A requirement has a probe for each purpose at most. */
type ProbeKey = `${ProbePurpose} ${RequirementKey}`;

/**
 * Owns the probing of a run. Each requirement is probed on a schedule of its own, concurrently with the others; native
 * endpoints share the reads of the listener table. Disposing ends every attempt and timer, and says nothing more.
 */
export class ReadinessMonitor implements Disposable {
  readonly #options: MonitorOptions;
  readonly #watches = new Map<ProbeKey, ProbeWatch>();
  readonly #ofService = new Map<ServiceId, Set<ProbeWatch>>();
  readonly #sweep: ListenerSweep | undefined;
  readonly #doubted = new Set<string>();

  constructor(options: MonitorOptions) {
    this.#options = options;
    const { clock, readListeners } = options;
    this.#sweep =
      readListeners &&
      new ListenerSweep(
        clock,
        readListeners,
        () => this.#watches.values(),
        (cause) => this.#tableBroke(cause),
      );
  }

  /**
   * Begins to probe; a watch of the same requirement and purpose is replaced. `startMs`: the service's Start, from which
   * its initial delay counts; default: now.
   */
  watch(subject: Watched, startMs: number = this.#options.clock.now()): void {
    const key = probeKey(subject.purpose, subject.key);
    const former = this.#watches.get(key);
    if (former !== undefined) this.#drop(former);
    const watch = new ProbeWatch(subject, {
      clock: this.#options.clock,
      probe: this.#probeOf(subject),
      tableUsable: () => this.#sweep?.usable ?? false,
      changed: (changed, from) => {
        this.#sweep?.wake();
        this.#tell(changed.subject, from, changed.state);
      },
      exhausted: (exhausted, failures, lastError) =>
        this.#options.onExhausted({ subject: exhausted.subject, failures, lastError }),
    });
    this.#watches.set(key, watch);
    const ofService = this.#ofService.get(subject.service);
    if (ofService === undefined) this.#ofService.set(subject.service, new Set([watch]));
    else ofService.add(watch);
    watch.begin(startMs);
    this.#sweep?.wake();
  }

  /** Ends the probing of a service, or what of it has such a purpose: what was known of it is unknown again. */
  unwatch(service: ServiceId, purposes?: readonly ProbePurpose[]): void {
    for (const watch of [...(this.#ofService.get(service) ?? [])])
      if (purposes === undefined || purposes.includes(watch.subject.purpose)) this.#drop(watch);
    this.#sweep?.wake();
  }

  /** Something suggests that the service has changed (a line of output, an agent's word): probes all of it at once. */
  hint(service: ServiceId): void {
    for (const watch of this.#ofService.get(service) ?? []) watch.probeNow();
  }

  /** What is known of a requirement; `undefined` for one that is not watched. */
  stateOf(key: RequirementKey): RequirementState | undefined {
    return this.#watches.get(probeKey('readiness', key))?.state;
  }

  [Symbol.dispose](): void {
    this.#sweep?.[Symbol.dispose]();
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
    this.#ofService.clear();
  }

  #probeOf(subject: Watched): Probe {
    const { probe, askOwnership } = this.#options;
    const { groups } = subject;
    if (groups === undefined || askOwnership === undefined) return probe;
    return ownedProbe(probe, subject, groups, {
      ask: askOwnership,
      onDoubt: (doubted, why) => this.#doubt(doubted, why),
    });
  }

  /** Said once: it changes with the service's declaration, if at all. */
  #doubt({ service, endpoint }: Watched, why: string): void {
    const subject = endpoint ?? service;
    if (this.#doubted.has(subject)) return;
    this.#doubted.add(subject);
    const message = `it cannot be told whether ${subject} is answered by ${service} itself: ${why}`;
    const place = { service, ...(endpoint !== null && { endpoint }) };
    this.#options.onWarning(new SkeinError('SK1453', message, { place }), service);
  }

  #drop(watch: ProbeWatch): void {
    const { key, purpose, service } = watch.subject;
    watch.close();
    this.#watches.delete(probeKey(purpose, key));
    const ofService = this.#ofService.get(service);
    ofService?.delete(watch);
    if (ofService?.size === 0) this.#ofService.delete(service);
    if (watch.state.kind !== 'unknown')
      this.#tell(watch.subject, watch.state, { kind: 'unknown', sinceMs: this.#options.clock.now() });
  }

  #tell(subject: Watched, from: RequirementState, to: RequirementState): void {
    const { key, purpose, service, endpoint, target } = subject;
    this.#options.onTransition({ key, purpose, service, endpoint, predicate: target.predicate, from, to });
  }

  #tableBroke(cause: unknown): void {
    for (const watch of this.#watches.values()) watch.tableLost();
    const message = "the kernel's table of listeners cannot be read; every endpoint is probed by itself";
    this.#options.onWarning(new SkeinError('SK1452', message, { cause }), null);
  }
}

function probeKey(purpose: ProbePurpose, requirement: RequirementKey): ProbeKey {
  return `${purpose} ${requirement}`;
}
