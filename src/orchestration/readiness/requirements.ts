/** What must hold for a run to be ready, and what each Start waits for; pure. */
import type {
  Endpoint,
  EndpointId,
  EndpointProbe,
  Service,
  ServiceDependency,
  ServiceId,
  Wait,
} from '../../workspace/index.ts';
import type { Predicate } from '../events.ts';

/** How an endpoint's transport is examined. */
export type TransportPredicate = Extract<Predicate, 'tcp-connect' | 'grpc-health' | 'http-status'>;

/** The subject (an endpoint, else a service) and the predicate: `shop/api/http#http-status`. */
export type RequirementKey = `${ServiceId | EndpointId}#${Predicate}`;

export interface Requirement {
  readonly key: RequirementKey;
  readonly service: ServiceId;
  /** `null` for what is required of the service as a whole. */
  readonly endpoint: EndpointId | null;
  readonly predicate: Predicate;
}

/** An edge of the run: the dependent's Start waits until all of `requirements` hold. */
export interface Gate {
  readonly dependent: ServiceId;
  readonly dependency: ServiceId;
  readonly wait: Wait;
  readonly requirements: readonly Requirement[];
}

export interface RunSelection {
  /** Every service of the run, with those that are excluded. */
  readonly services: Iterable<Service>;
  readonly roots: ReadonlySet<ServiceId>;
  /** Not started: nothing is required of them. An excluded root still selects what it consumes. */
  readonly excluded: ReadonlySet<ServiceId>;
}

export interface RunRequirements {
  /** Producers before consumers, so that the first that does not hold is nearest to the cause. */
  readonly requirements: readonly Requirement[];
  readonly gates: readonly Gate[];
}

/**
 * Derives what the run requires. An endpoint is required when a service of the run declares it in its dependencies, or
 * when it is a root's; one that nobody consumes is not, and cannot stand in for one that somebody does.
 */
export function runRequirements(selection: RunSelection): RunRequirements {
  const services = new Map([...selection.services].map((service) => [service.id, service]));
  const started = [...services.values()].filter(({ id }) => !selection.excluded.has(id));
  const consumers = [...services.values()].filter(
    ({ id }) => !selection.excluded.has(id) || selection.roots.has(id),
  );
  const isStarted = (id: ServiceId): boolean => services.has(id) && !selection.excluded.has(id);

  const required = new Set<EndpointId>();
  for (const { dependencies } of consumers)
    for (const dependency of dependencies.filter(ordersRuns))
      for (const endpoint of dependency.endpoints) required.add(endpoint);
  for (const { id, endpoints } of started)
    if (selection.roots.has(id)) for (const endpoint of endpoints) required.add(endpoint.id);

  const requirements = producersFirst(started).flatMap((service) => [
    ofService(service, 'lifecycle'),
    ofService(service, 'runner'),
    ...servedEndpoints(service, required).flatMap(ofEndpoint),
    ...(service.health?.readiness === undefined ? [] : [ofService(service, 'command')]),
  ]);
  const gates = started.flatMap((service) =>
    service.dependencies
      .filter((dependency) => ordersRuns(dependency) && isStarted(dependency.service))
      .map((dependency) => gate(service.id, dependency, services.get(dependency.service) as Service)),
  );
  return { requirements, gates };
}

/** How the endpoint's readiness is examined; `undefined`: not at all, its service's lifecycle says it (UDP). */
export function transportPredicate(
  endpoint: Pick<Endpoint, 'api' | 'health'>,
): TransportPredicate | undefined {
  return probePredicate(endpoint, endpoint.health?.readiness);
}

/** The same of a probe that is declared for it, or is not. */
export function probePredicate(
  { api }: Pick<Endpoint, 'api'>,
  declared: EndpointProbe | undefined,
): TransportPredicate | undefined {
  if (api === 'udp') return undefined;
  if (api === 'grpc') return 'grpc-health';
  // Without a declared path an HTTP endpoint is never asked for one: `/` may render a whole page.
  return declared?.http === undefined ? 'tcp-connect' : 'http-status';
}

export function endpointKey(endpoint: EndpointId, predicate: Predicate): RequirementKey {
  return `${endpoint}#${predicate}`;
}

export function serviceKey(service: ServiceId, predicate: Predicate): RequirementKey {
  return `${service}#${predicate}`;
}

/** Build and schema edges order builds, and what is external is not ours to start: a run waits on neither (W-9). */
function ordersRuns({ kind }: ServiceDependency): boolean {
  return kind === 'runtime' || kind === 'completion';
}

function gate(dependent: ServiceId, dependency: ServiceDependency, producer: Service): Gate {
  return {
    dependent,
    dependency: producer.id,
    wait: dependency.wait,
    requirements: gateRequirements(dependency, producer),
  };
}

function gateRequirements(dependency: ServiceDependency, producer: Service): readonly Requirement[] {
  // A job's lifecycle holds once it has completed, so `completed` and `started` differ by the producer's kind alone.
  const lifecycle = ofService(producer, 'lifecycle');
  if (dependency.wait !== 'ready') return [lifecycle];
  return [
    lifecycle,
    ofService(producer, 'runner'),
    ...servedEndpoints(producer, new Set(dependency.endpoints)).flatMap(ofEndpoint),
    ...(producer.health?.readiness === undefined ? [] : [ofService(producer, 'command')]),
  ];
}

/** A job is over when it is ready: none of its endpoints is expected to answer. */
function servedEndpoints(service: Service, required: ReadonlySet<EndpointId>): readonly Endpoint[] {
  return service.kind === 'job' ? [] : service.endpoints.filter(({ id }) => required.has(id));
}

function ofService({ id }: Service, predicate: Predicate): Requirement {
  return { key: serviceKey(id, predicate), service: id, endpoint: null, predicate };
}

function ofEndpoint(endpoint: Endpoint): readonly Requirement[] {
  const service = endpoint.id.slice(0, endpoint.id.lastIndexOf('/')) as ServiceId;
  const transport = transportPredicate(endpoint);
  const predicates: readonly Predicate[] =
    transport === undefined ? ['endpoint-mapping'] : ['endpoint-mapping', transport];
  return predicates.map((predicate) => ({
    key: endpointKey(endpoint.id, predicate),
    service,
    endpoint: endpoint.id,
    predicate,
  }));
}

/** Depth-first, iterative, in the order given where the edges leave a choice. */
function producersFirst(services: readonly Service[]): readonly Service[] {
  const byId = new Map(services.map((service) => [service.id, service]));
  const met = new Set<ServiceId>();
  const order: Service[] = [];
  for (const root of services) {
    const path = met.has(root.id) ? [] : [{ service: root, next: 0 }];
    met.add(root.id);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const dependency = top.service.dependencies[top.next++];
      if (dependency === undefined) {
        order.push(top.service);
        path.pop();
        continue;
      }
      const producer = byId.get(dependency.service);
      if (producer === undefined || met.has(producer.id) || !ordersRuns(dependency)) continue;
      met.add(producer.id);
      path.push({ service: producer, next: 0 });
    }
  }
  return order;
}
