/** What a probe is aimed at, derived from what an endpoint declares and the address that was accepted for it. */
import type { Variable } from '../../configuration/index.ts';
import type {
  CommandHealth,
  Endpoint,
  EndpointId,
  HttpHealth,
  Service,
  ServiceId,
} from '../../workspace/index.ts';
import { endpointKey, type RequirementKey, serviceKey, transportPredicate } from './requirements.ts';

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
  readonly health: CommandHealth;
  /** Absolute. */
  readonly directory: string;
  /** The service's own environment, resolved. */
  readonly environment: readonly Variable[];
}

export interface TcpTarget extends ProbeAddress {
  readonly predicate: 'tcp-connect';
}

export type ProbeTarget = TcpTarget | HttpTarget | GrpcTarget | CommandTarget;

/** A requirement that is examined by probing. */
export interface Watched {
  readonly key: RequirementKey;
  readonly service: ServiceId;
  readonly endpoint: EndpointId | null;
  readonly target: ProbeTarget;
  /** The listener is a process of this machine's own network: the kernel's table of listeners shows it. */
  readonly native: boolean;
}

/** What to watch of an endpoint at its accepted address; `undefined` where nothing can be probed (UDP). */
export function watchedEndpoint(
  service: ServiceId,
  endpoint: Pick<Endpoint, 'id' | 'api' | 'secured' | 'health' | 'grpcServices'>,
  { host, port }: ProbeAddress,
  native: boolean,
): Watched | undefined {
  const predicate = transportPredicate(endpoint);
  if (predicate === undefined) return undefined;
  const { secured, health, grpcServices } = endpoint;
  const target: ProbeTarget =
    predicate === 'grpc-health'
      ? { predicate, host, port, secured, services: grpcServices }
      : health !== undefined
        ? { predicate: 'http-status', host, port, secured, health }
        : { predicate: 'tcp-connect', host, port };
  return { key: endpointKey(endpoint.id, predicate), service, endpoint: endpoint.id, target, native };
}

/** What to watch of a service that declares a probe command; `undefined` where it declares none. */
export function watchedCommand(
  service: Pick<Service, 'id' | 'directory' | 'health'>,
  environment: readonly Variable[],
): Watched | undefined {
  const { id, directory, health } = service;
  if (health === undefined) return undefined;
  const target: ProbeTarget = { predicate: 'command', health, directory, environment };
  return { key: serviceKey(id, 'command'), service: id, endpoint: null, target, native: false };
}
