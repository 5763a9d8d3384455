/** How a run's start-up went (U-11): the phases of each service until it was first ready, and the critical path of them. */
import type { Happening, RunEvent, ServiceState } from '../orchestration/index.ts';
import type { ServiceId } from '../workspace/index.ts';

export type SpanPhase = 'load' | 'init' | 'wait' | 'start' | 'ready';

export interface TimelineSpan {
  readonly service: ServiceId;
  readonly phase: SpanPhase;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly startedAtMs: number;
  /** `null` while it goes on. */
  readonly endedAtMs: number | null;
  /** It lies on the critical path: had it been shorter, the run would have been ready sooner. */
  readonly critical: boolean;
}

interface OpenSpan {
  readonly service: ServiceId;
  readonly phase: SpanPhase;
  readonly startedAtMs: number;
  endedAtMs: number | null;
}

const phases: Readonly<Partial<Record<ServiceState, SpanPhase>>> = {
  loading: 'load',
  initializing: 'init',
  waiting: 'wait',
  starting: 'start',
  running: 'ready',
};

/** A fold over a run's events; bounded, for what follows a service's first readiness is no start-up. */
export class Timeline {
  readonly #spans: OpenSpan[] = [];
  readonly #open = new Map<ServiceId, OpenSpan>();
  /** When each service was first as its dependents need it. */
  readonly #doneAtMs = new Map<ServiceId, number>();

  add({ happening, timeMs }: RunEvent): void {
    if (!('service' in happening) || happening.service === null) return;
    if (this.#doneAtMs.has(happening.service)) return;
    const { service } = happening;
    if (isDone(happening)) {
      this.#end(service, timeMs);
      this.#doneAtMs.set(service, timeMs);
    } else if (happening.type === 'service-state') {
      this.#end(service, timeMs);
      const phase = phases[happening.state];
      if (phase === undefined) return;
      const span: OpenSpan = { service, phase, startedAtMs: timeMs, endedAtMs: null };
      this.#spans.push(span);
      this.#open.set(service, span);
    }
  }

  /** In the order in which they began. `dependencies`: of each service, those that its start waits for. */
  spans(dependencies: (service: ServiceId) => readonly ServiceId[]): TimelineSpan[] {
    const critical = this.#criticalServices(dependencies);
    return this.#spans.map((span) => ({ ...span, critical: this.#isCritical(span, critical) }));
  }

  #end(service: ServiceId, timeMs: number): void {
    const span = this.#open.get(service);
    if (span !== undefined) span.endedAtMs = timeMs;
    this.#open.delete(service);
  }

  /**
   * Backwards from the service that was ready last, always to the dependency that was ready last. The value says
   * whether the service's own load and init count: they do where no dependency held it.
   */
  #criticalServices(
    dependencies: (service: ServiceId) => readonly ServiceId[],
  ): ReadonlyMap<ServiceId, boolean> {
    const path = new Map<ServiceId, boolean>();
    let service = this.#latest([...this.#doneAtMs.keys()]);
    while (service !== undefined && !path.has(service)) {
      const held: ServiceId | undefined = this.#holder(service, dependencies);
      path.set(service, held === undefined);
      service = held;
    }
    return path;
  }

  /** The dependency whose readiness ended the service's waiting. */
  #holder(
    service: ServiceId,
    dependencies: (service: ServiceId) => readonly ServiceId[],
  ): ServiceId | undefined {
    const holder = this.#latest(dependencies(service));
    const waited = this.#spans.findLast((span) => span.service === service && span.phase === 'wait');
    const doneAtMs = holder === undefined ? undefined : this.#doneAtMs.get(holder);
    return waited !== undefined && doneAtMs !== undefined && doneAtMs >= waited.startedAtMs
      ? holder
      : undefined;
  }

  #latest(services: readonly ServiceId[]): ServiceId | undefined {
    let latest: ServiceId | undefined;
    let latestAtMs = Number.NEGATIVE_INFINITY;
    for (const service of services) {
      const doneAtMs = this.#doneAtMs.get(service);
      if (doneAtMs === undefined || doneAtMs <= latestAtMs) continue;
      latest = service;
      latestAtMs = doneAtMs;
    }
    return latest;
  }

  #isCritical(span: OpenSpan, critical: ReadonlyMap<ServiceId, boolean>): boolean {
    const whole = critical.get(span.service);
    if (whole === undefined || span.phase === 'wait') return false;
    return whole || span.phase === 'start' || span.phase === 'ready';
  }
}

function isDone(happening: Happening): boolean {
  return (
    (happening.type === 'service-readiness' && happening.ready) ||
    (happening.type === 'service-state' && happening.state === 'completed')
  );
}
