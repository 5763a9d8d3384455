/** What a probe is aimed at, derived from what is declared and the address that was accepted for it. */
import type { Variable } from '../../configuration/index.ts';
import type { ProcessIdentity } from '../../processes/index.ts';
import type {
  Endpoint,
  EndpointId,
  EndpointProbe,
  HttpHealth,
  ProbePurpose,
  ProbeTiming,
  Service,
  ServiceId,
} from '../../workspace/index.ts';
import { endpointKey, probePredicate, type RequirementKey, serviceKey } from './requirements.ts';

export interface ProbeAddress {
  /** Host name or IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface HttpTarget extends ProbeAddress {
  readonly predicate: 'http-status';
  readonly secured: boolean;
  readonly health: HttpHealth;
}

export interface GrpcTarget extends ProbeAddress {
  readonly predicate: 'grpc-health';
  readonly secured: boolean;
  /** Fully qualified protobuf services; empty: the server-wide status. */
  readonly services: readonly string[];
}

export interface CommandTarget {
  readonly predicate: 'command';
  readonly service: ServiceId;
  /** A string is for the shell; a list is executed as it is. */
  readonly command: string | readonly string[];
  /** Absolute. */
  readonly directory: string;
  /** The service's own environment, resolved. */
  readonly environment: readonly Variable[];
}

export interface TcpTarget extends ProbeAddress {
  readonly predicate: 'tcp-connect';
}

export type ProbeTarget = TcpTarget | HttpTarget | GrpcTarget | CommandTarget;

/** A probe that runs: of what, aimed at what, what for, and when. */
export interface Watched {
  /** Of the requirement that it examines, or stands beside. */
  readonly key: RequirementKey;
  readonly purpose: ProbePurpose;
  readonly service: ServiceId;
  readonly endpoint: EndpointId | null;
  readonly target: ProbeTarget;
  readonly timing: ProbeTiming;
  /** The listener is a process of this machine's own network: the kernel's table of listeners shows it. */
  readonly native: boolean;
  /** Leaders of the service's process groups, to which the listener must belong; absent where nobody told of them. */
  readonly groups?: readonly ProcessIdentity[];
}

/** One start of a service, as far as its probes need it. */
export interface ProbedService {
  readonly service: Pick<Service, 'id' | 'directory' | 'endpoints' | 'health'>;
  /** Where an endpoint is reached from this machine; `undefined`: nowhere. */
  addressOf(endpoint: EndpointId): ProbeAddress | undefined;
  readonly environment: readonly Variable[];
  /** Absent where nobody told of them; empty: the service runs where only its agent can reach it. */
  readonly groups?: readonly ProcessIdentity[] | undefined;
}

/** The probes of a started service that have this purpose. Without a declaration there is readiness alone. */
export function probesOf(started: ProbedService, purpose: ProbePurpose): readonly Watched[] {
  const { service, environment, groups } = started;
  const endpoints = service.endpoints.flatMap((endpoint) => {
    const address = started.addressOf(endpoint.id);
    const probe = address && endpointProbe(service.id, endpoint, address, purpose);
    if (probe === undefined) return [];
    return [purpose === 'readiness' && groups !== undefined ? { ...probe, groups } : probe];
  });
  const command = service.health?.[purpose];
  if (command === undefined) return endpoints;
  const { id, directory } = service;
  return [
    ...endpoints,
    {
      ...{ key: serviceKey(id, 'command'), purpose, service: id, endpoint: null, native: false },
      target: { predicate: 'command', service: id, command: command.command, directory, environment },
      timing: command.timing,
    },
  ];
}

/** `undefined` where none is declared, and where nothing can be probed (UDP). */
function endpointProbe(
  service: ServiceId,
  endpoint: Endpoint,
  address: ProbeAddress,
  purpose: ProbePurpose,
): Watched | undefined {
  const declared = endpoint.health?.[purpose];
  if (declared === undefined && purpose !== 'readiness') return undefined;
  const predicate = probePredicate(endpoint, declared);
  if (predicate === undefined) return undefined;
  return {
    ...{ key: endpointKey(endpoint.id, predicate), purpose, service, endpoint: endpoint.id, native: true },
    target: targetOf(endpoint, declared, address, purpose),
    timing: declared?.timing ?? {},
  };
}

function targetOf(
  { api, secured, grpcServices }: Endpoint,
  declared: EndpointProbe | undefined,
  { host, port }: ProbeAddress,
  purpose: ProbePurpose,
): ProbeTarget {
  if (api === 'grpc') {
    // What the agent's Load says of a server's services is about its readiness.
    const services = purpose === 'readiness' ? grpcServices : (declared?.grpcServices ?? []);
    return { predicate: 'grpc-health', host, port, secured, services };
  }
  const health = declared?.http;
  return health === undefined
    ? { predicate: 'tcp-connect', host, port }
    : { predicate: 'http-status', host, port, secured, health };
}
