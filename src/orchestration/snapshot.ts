/** What is true of a run now: a fold over its events, pure and total. */
import type { AgentReference, EndpointId, Service, ServiceId, Workspace } from '../workspace/index.ts';
import type {
  FailureReport,
  Happening,
  Mode,
  Predicate,
  ProcessEnd,
  Receipt,
  RunEvent,
  RunState,
  ServiceState,
  UnmetRequirement,
} from './events.ts';
import { transportPredicate } from './readiness/index.ts';

export interface EndpointSnapshot {
  readonly id: EndpointId;
  readonly api: string;
  /** `host:port`; `null` before Init. */
  readonly address: string | null;
  readonly url: string | null;
  readonly ready: boolean;
  readonly predicate: Predicate;
  readonly lastError: string | null;
}

export interface ServiceSnapshot {
  readonly id: ServiceId;
  readonly kind: 'service' | 'job';
  /** `publisher/name`, or the path of the agent as written. */
  readonly agent: string;
  readonly state: ServiceState;
  readonly ready: boolean;
  readonly pid: number | null;
  /** Times that it was started again since the run began. */
  readonly restarts: number;
  readonly exit: ProcessEnd | null;
  /** When its present, or last, Start began. */
  readonly startedAtMs: number | null;
  readonly timeToReadyMs: number | null;
  /** Filled in by the run when it is asked, for it changes without anything happening. */
  readonly waitingFor: UnmetRequirement | null;
  readonly endpoints: readonly EndpointSnapshot[];
  readonly dependencies: readonly ServiceId[];
  readonly failure: FailureReport | null;
  /** Why its last reload failed, while the process of before runs on. */
  readonly reloadFailure: FailureReport | null;
  readonly cpuMs: number | null;
  readonly memoryBytes: number | null;
}

export interface RunSnapshot {
  readonly workspace: string;
  /** Absolute root of the workspace. */
  readonly root: string;
  readonly run: string;
  readonly mode: Mode;
  readonly state: RunState;
  readonly startedAtMs: number;
  /** When the run was first ready; `null` before. */
  readonly readyAtMs: number | null;
  /** Producers first. */
  readonly services: ReadonlyMap<ServiceId, ServiceSnapshot>;
  /** Process id of the supervisor. */
  readonly pid: number;
  /** Number of the last event folded in. */
  readonly sequence: number;
  readonly failure: FailureReport | null;
  readonly receipt: Receipt | null;
}

/** A run before anything happened; `services` are those that take part, producers first, with those that are `excluded`. */
export function initialRunSnapshot(
  run: { readonly workspace: Workspace; readonly runId: string },
  services: readonly Service[],
  nowMs: number,
  excluded: ReadonlySet<ServiceId> = new Set(),
): RunSnapshot {
  return {
    workspace: run.workspace.name,
    root: run.workspace.root,
    run: run.runId,
    mode: 'run',
    state: 'starting',
    startedAtMs: Math.round(nowMs),
    readyAtMs: null,
    services: new Map(
      services.map((service) => {
        const state = excluded.has(service.id) ? 'excluded' : 'pending';
        return [service.id, { ...initialServiceSnapshot(service), state }];
      }),
    ),
    pid: process.pid,
    sequence: 0,
    failure: null,
    receipt: null,
  };
}

function initialServiceSnapshot(service: Service): ServiceSnapshot {
  return {
    id: service.id,
    kind: service.kind,
    agent: agentName(service.agent),
    state: 'pending',
    ready: false,
    pid: null,
    restarts: 0,
    exit: null,
    startedAtMs: null,
    timeToReadyMs: null,
    waitingFor: null,
    endpoints: service.endpoints.map((endpoint) => ({
      id: endpoint.id,
      api: endpoint.api,
      address: null,
      url: null,
      ready: false,
      predicate: transportPredicate(endpoint) ?? 'lifecycle',
      lastError: null,
    })),
    dependencies: service.dependencies.map((dependency) => dependency.service),
    failure: null,
    reloadFailure: null,
    cpuMs: null,
    memoryBytes: null,
  };
}

function agentName(agent: AgentReference): string {
  return agent.kind === 'name' ? `${agent.publisher}/${agent.name}` : agent.written;
}

/**
 * The snapshot after these events, oldest first; the one given is left as it was. Services that nothing happened to are
 * shared between the two.
 */
export function foldEvents(snapshot: RunSnapshot, events: readonly RunEvent[]): RunSnapshot {
  const services = new Map(snapshot.services);
  let run: RunSnapshot = { ...snapshot, services };
  for (const event of events) {
    run = foldRun(run, event);
    const { happening } = event;
    if (happening.type === 'joined') join(services, happening);
    if (happening.type === 'left') for (const id of happening.services) services.delete(id);
    const service =
      'service' in happening && happening.service !== null ? services.get(happening.service) : undefined;
    if (service !== undefined) services.set(service.id, foldService(service, event));
  }
  return run;
}

/** Adds those that joined, and puts all into the order that holds from now on. */
function join(
  services: Map<ServiceId, ServiceSnapshot>,
  { services: joined, order }: Extract<Happening, { type: 'joined' }>,
): void {
  for (const service of joined) services.set(service.id, initialServiceSnapshot(service));
  for (const id of order) {
    const service = services.get(id);
    services.delete(id);
    if (service !== undefined) services.set(id, service);
  }
}

function foldRun(run: RunSnapshot, { happening, sequence, timeMs }: RunEvent): RunSnapshot {
  switch (happening.type) {
    case 'run-state':
      return {
        ...run,
        sequence,
        state: happening.state,
        failure: happening.failure ?? run.failure,
        readyAtMs: happening.state === 'ready' ? (run.readyAtMs ?? timeMs) : run.readyAtMs,
      };
    case 'receipt':
      return { ...run, sequence, receipt: happening.receipt };
    default:
      return { ...run, sequence };
  }
}

function foldService(service: ServiceSnapshot, { happening, timeMs }: RunEvent): ServiceSnapshot {
  switch (happening.type) {
    case 'service-state': {
      const ended =
        happening.state === 'stopped' || happening.state === 'failed' || happening.state === 'crash-looping';
      return {
        ...service,
        state: happening.state,
        failure: happening.failure ?? (ended ? service.failure : null),
        ...(ended && { ready: false, pid: null, waitingFor: null, reloadFailure: null }),
        ...(happening.state === 'completed' && { pid: null, waitingFor: null }),
        ...(happening.state === 'starting' && { startedAtMs: timeMs, timeToReadyMs: null }),
      };
    }
    case 'process-started':
      return {
        ...service,
        pid: happening.pid,
        exit: null,
        reloadFailure: null,
        restarts: service.restarts + (happening.restart ? 1 : 0),
      };
    case 'reload':
      return { ...service, reloadFailure: null };
    case 'reload-failed':
      return { ...service, reloadFailure: happening.failure };
    case 'process-ended':
      return { ...service, pid: null, exit: happening.end };
    case 'addresses':
      return {
        ...service,
        endpoints: service.endpoints.map((endpoint) => {
          const found = happening.addresses.find((address) => address.endpoint === endpoint.id);
          return { ...endpoint, address: found?.address ?? null, url: found?.url ?? null };
        }),
      };
    case 'endpoint-readiness':
      return {
        ...service,
        endpoints: service.endpoints.map((endpoint) =>
          endpoint.id === happening.endpoint
            ? {
                ...endpoint,
                ready: happening.ready,
                predicate: happening.predicate,
                lastError: happening.lastError,
              }
            : endpoint,
        ),
      };
    case 'service-readiness':
      return {
        ...service,
        ready: happening.ready,
        timeToReadyMs:
          happening.ready && service.timeToReadyMs === null && service.startedAtMs !== null
            ? Math.max(0, timeMs - service.startedAtMs)
            : service.timeToReadyMs,
      };
    case 'resource-use':
      return { ...service, cpuMs: happening.cpuMs, memoryBytes: happening.memoryBytes };
    default:
      return service;
  }
}
