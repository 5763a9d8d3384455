/**
 * The probes of the started services, phase by phase: where startup probes are declared, nothing else is probed until
 * all of them have succeeded; then readiness and liveness are, each by itself.
 */
import type { EndpointId, ServiceId } from '../../workspace/index.ts';
import { type Exhausted, type MonitorOptions, ReadinessMonitor, type Transition } from './monitor.ts';
import type { RequirementKey } from './requirements.ts';
import type { RequirementState } from './state.ts';
import { type ProbedService, probesOf, type Watched } from './target.ts';

export interface ProbePhasesOptions extends Omit<MonitorOptions, 'onTransition' | 'onExhausted'> {
  /** A requirement's state has changed. */
  readonly onReadiness: (transition: Transition) => void;
  /** These requirements are not examined yet, since a startup probe fails; `null`: they are, or nothing runs any more. */
  readonly onStartup: (requirements: readonly Watched[], lastError: string | null) => void;
  /** Once for each start: a startup or liveness probe has failed past its threshold; `why` is a clause. */
  readonly onUnhealthy: (service: ServiceId, why: string) => void;
}

/** One start. */
interface Life {
  readonly started: ProbedService;
  readonly startMs: number;
  /** Startup probes that have not succeeded yet; empty: it is up. */
  readonly starting: Set<RequirementKey>;
}

export class ProbePhases implements Disposable {
  readonly #options: ProbePhasesOptions;
  readonly #monitor: ReadinessMonitor;
  readonly #lives = new Map<ServiceId, Life>();

  constructor(options: ProbePhasesOptions) {
    this.#options = options;
    this.#monitor = new ReadinessMonitor({
      ...options,
      onTransition: (transition) => this.#changed(transition),
      onExhausted: (exhausted) => this.#exhausted(exhausted),
    });
  }

  /** The service's process runs: begins with the first phase that it has. */
  begin(started: ProbedService): void {
    this.end(started.service.id);
    const startup = probesOf(started, 'startup');
    const startMs = this.#options.clock.now();
    const life = { started, startMs, starting: new Set(startup.map(({ key }) => key)) };
    this.#lives.set(started.service.id, life);
    if (startup.length === 0) this.#serve(life);
    for (const probe of startup) this.#monitor.watch(probe, startMs);
  }

  /** What runs has ended, or is started again: nothing is probed, and nothing is known of it any more. */
  end(service: ServiceId): void {
    const life = this.#lives.get(service);
    if (life === undefined) return;
    this.#lives.delete(service);
    this.#monitor.unwatch(service);
    if (life.starting.size > 0) this.#options.onStartup(probesOf(life.started, 'readiness'), null);
  }

  /** Something suggests that the service has changed: what has no interval of its own is probed at once. */
  hint(service: ServiceId): void {
    this.#monitor.hint(service);
  }

  /** Where the endpoint of a running service is reached. */
  addressOf(service: ServiceId, endpoint: EndpointId): ReturnType<ProbedService['addressOf']> {
    return this.#lives.get(service)?.started.addressOf(endpoint);
  }

  /** `undefined` for what is not probed now. */
  stateOf(key: RequirementKey): RequirementState | undefined {
    return this.#monitor.stateOf(key);
  }

  [Symbol.dispose](): void {
    this.#monitor[Symbol.dispose]();
    this.#lives.clear();
  }

  #serve({ started, startMs }: Life): void {
    for (const purpose of ['readiness', 'liveness'] as const)
      for (const probe of probesOf(started, purpose)) this.#monitor.watch(probe, startMs);
  }

  #changed(transition: Transition): void {
    if (transition.purpose === 'readiness') this.#options.onReadiness(transition);
    else if (transition.purpose === 'startup') this.#startupChanged(transition);
  }

  #startupChanged({ service, endpoint, key, to }: Transition): void {
    const life = this.#lives.get(service);
    if (life === undefined || !life.starting.has(key)) return;
    if (to.kind === 'failing') {
      const why = `startup of ${endpoint ?? service} has not succeeded yet: ${to.lastError}`;
      this.#options.onStartup(probesOf(life.started, 'readiness'), why);
    }
    if (to.kind !== 'holding') return;
    life.starting.delete(key);
    if (life.starting.size > 0) return;
    this.#monitor.unwatch(service, ['startup']);
    this.#options.onStartup(probesOf(life.started, 'readiness'), null);
    this.#serve(life);
  }

  #exhausted({ subject, failures, lastError }: Exhausted): void {
    const { service, endpoint, purpose, key } = subject;
    const life = this.#lives.get(service);
    // A startup probe that has succeeded waits for the others, whatever it finds meanwhile.
    if (life === undefined || (purpose === 'startup' && !life.starting.has(key))) return;
    // Said once: whoever hears of it starts the service again, or leaves it as it is.
    this.#monitor.unwatch(service, ['startup', 'liveness']);
    const times = failures === 1 ? 'failed' : `failed ${failures} times in a row`;
    this.#options.onUnhealthy(service, `${purpose} of ${endpoint ?? service} ${times}: ${lastError}`);
  }
}
