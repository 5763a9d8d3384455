/** Probes everything of a run that has to be probed, and tells when something begins or ceases to hold. */
import { SkeinError } from '../../errors/index.ts';
import type { EndpointId, ServiceId } from '../../workspace/index.ts';
import type { Clock } from '../clock.ts';
import type { Predicate } from '../events.ts';
import { ListenerSweep, type ReadListeners } from './listener-sweep.ts';
import type { Probe } from './probe.ts';
import { RequirementWatch } from './requirement-watch.ts';
import type { RequirementKey } from './requirements.ts';
import type { RequirementState } from './state.ts';
import type { Watched } from './target.ts';

/** A requirement's state has changed; between two failing states only the last error differs. */
export interface Transition {
  readonly key: RequirementKey;
  readonly service: ServiceId;
  readonly endpoint: EndpointId | null;
  readonly predicate: Predicate;
  readonly from: RequirementState;
  readonly to: RequirementState;
}

export interface MonitorOptions {
  readonly clock: Clock;
  readonly probe: Probe;
  /** Reads the kernel's table of listening sockets; absent where the platform has none that is cheap to read. */
  readonly readListeners?: ReadListeners;
  readonly onTransition: (transition: Transition) => void;
  /** What does not end the monitoring but should be known: SK1452. */
  readonly onWarning: (warning: SkeinError) => void;
}

/**
 * Owns the probing of a run. Each requirement is probed on a schedule of its own, concurrently with the others; native
 * endpoints share the reads of the listener table. Disposing ends every attempt and timer, and says nothing more.
 */
export class ReadinessMonitor implements Disposable {
  readonly #options: MonitorOptions;
  readonly #watches = new Map<RequirementKey, RequirementWatch>();
  readonly #ofService = new Map<ServiceId, Set<RequirementWatch>>();
  readonly #sweep: ListenerSweep | undefined;

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

  /** Begins to probe, now; a watch of the same requirement is replaced. Called when the service has been started. */
  watch(subject: Watched): void {
    const former = this.#watches.get(subject.key);
    if (former !== undefined) this.#drop(former);
    const watch = new RequirementWatch(subject, {
      clock: this.#options.clock,
      probe: this.#options.probe,
      tableUsable: () => this.#sweep?.usable ?? false,
      changed: (changed, from) => {
        this.#sweep?.wake();
        this.#tell(changed.subject, from, changed.state);
      },
    });
    this.#watches.set(subject.key, watch);
    const ofService = this.#ofService.get(subject.service);
    if (ofService === undefined) this.#ofService.set(subject.service, new Set([watch]));
    else ofService.add(watch);
    watch.probeNow();
    this.#sweep?.wake();
  }

  /** Ends the probing of a service: what was known of it is unknown again. */
  unwatch(service: ServiceId): void {
    for (const watch of [...(this.#ofService.get(service) ?? [])]) this.#drop(watch);
    this.#sweep?.wake();
  }

  /** Something suggests that the service has changed (a line of output, an agent's word): probes all of it at once. */
  hint(service: ServiceId): void {
    for (const watch of this.#ofService.get(service) ?? []) watch.probeNow();
  }

  /** `undefined` for what is not watched. */
  stateOf(key: RequirementKey): RequirementState | undefined {
    return this.#watches.get(key)?.state;
  }

  [Symbol.dispose](): void {
    this.#sweep?.[Symbol.dispose]();
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
    this.#ofService.clear();
  }

  #drop(watch: RequirementWatch): void {
    const { key, service } = watch.subject;
    watch.close();
    this.#watches.delete(key);
    const ofService = this.#ofService.get(service);
    ofService?.delete(watch);
    if (ofService?.size === 0) this.#ofService.delete(service);
    if (watch.state.kind !== 'unknown')
      this.#tell(watch.subject, watch.state, { kind: 'unknown', sinceMs: this.#options.clock.now() });
  }

  #tell({ key, service, endpoint, target }: Watched, from: RequirementState, to: RequirementState): void {
    this.#options.onTransition({ key, service, endpoint, predicate: target.predicate, from, to });
  }

  #tableBroke(cause: unknown): void {
    for (const watch of this.#watches.values()) watch.tableLost();
    this.#options.onWarning(
      new SkeinError(
        'SK1452',
        "the kernel's table of listeners cannot be read; every endpoint is probed by itself",
        {
          cause,
        },
      ),
    );
  }
}
