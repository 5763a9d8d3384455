/** Services as the tests of this folder need them: a few words each, everything else as the reader would fill it in. */
import type { FilePlace } from '../../errors/index.ts';
import type {
  Api,
  DependencyKind,
  DurationMs,
  Endpoint,
  EndpointId,
  EndpointProbe,
  Health,
  Service,
  ServiceDependency,
  ServiceId,
  Wait,
} from '../../workspace/index.ts';

const place: FilePlace = { file: '/shop/workspace.skein.yaml', line: 1, column: 1 };

interface Sketch {
  readonly kind?: 'job';
  /** Endpoint names with their API. */
  readonly serves?: Readonly<Record<string, Api>>;
  /** Producers, with the names of the endpoints used and what is waited for. */
  readonly uses?: Readonly<
    Record<
      string,
      | readonly string[]
      | { readonly endpoints: readonly string[]; readonly wait?: Wait; readonly kind?: DependencyKind }
    >
  >;
  readonly probeCommand?: string;
  /** Of each endpoint that speaks HTTP. */
  readonly health?: Health<EndpointProbe>;
}

export function id(service: string): ServiceId {
  return `shop/${service}` as ServiceId;
}

export function endpointId(service: string, endpoint: string): EndpointId {
  return `shop/${service}/${endpoint}` as EndpointId;
}

export function sketch(services: Readonly<Record<string, Sketch>>): readonly Service[] {
  return Object.entries(services).map(([name, sketched]) => service(name, sketched));
}

function service(name: string, { kind, serves = {}, uses = {}, probeCommand, health }: Sketch): Service {
  return {
    id: id(name),
    module: 'shop',
    name,
    kind: kind ?? 'service',
    agent: { kind: 'name', publisher: 'skein', name: 'process', place },
    directory: '/shop',
    endpoints: Object.entries(serves).map(
      ([endpoint, api]): Endpoint => ({
        id: endpointId(name, endpoint),
        name: endpoint,
        api,
        visibility: 'private',
        secured: false,
        grpcServices: [],
        ...(health && api === 'http' && { health }),
        place,
      }),
    ),
    dependencies: Object.entries(uses).map(([producer, use]): ServiceDependency => {
      const {
        endpoints,
        wait,
        kind: edge,
      } = 'endpoints' in use ? use : { endpoints: use, wait: undefined, kind: undefined };
      return {
        service: id(producer),
        endpoints: endpoints.map((endpoint) => endpointId(producer, endpoint)),
        kind: edge ?? 'runtime',
        wait: wait ?? 'ready',
        place,
      };
    }),
    configurationGroups: [],
    environment: new Map(),
    restart: { policy: 'on-failure', attempts: 10, backoffMs: 1_000 as DurationMs },
    isolate: false,
    ...(probeCommand !== undefined && {
      health: { readiness: { command: probeCommand, timing: { timeoutMs: 1_000 as DurationMs } } },
    }),
    spec: {},
    specPlace: () => place,
    place,
  };
}
