/** Between the model and the messages of the contract: total, pure conversions, and nothing else. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ExposedConfiguration, Variable } from '../configuration/index.ts';
import type {
  Configuration,
  ConfigurationSchema,
  DependencyConfigurationsSchema,
  EnvironmentVariableSchema,
} from '../gen/skein/base/v1/configuration_pb.js';
import {
  Api as ApiMessage,
  type DependencyNetworkMappingsSchema,
  type Endpoint as EndpointAnswer,
  type EndpointSchema,
  Exposure as ExposureMessage,
  NetworkAccess,
  type NetworkMapping as NetworkMappingMessage,
  type NetworkMappingSchema,
  Visibility as VisibilityMessage,
} from '../gen/skein/base/v1/network_pb.js';
import { ServiceKind as ServiceKindMessage } from '../gen/skein/base/v1/service_pb.js';
import type { ProcessExit } from '../gen/skein/base/v1/status_pb.js';
import { LogChunk_Stream, type LogChunk as LogChunkMessage } from '../gen/skein/runtime/v1/runtime_pb.js';
import type { Access, AnsweredMapping, NetworkMapping } from '../network/index.ts';
import type { Api, Endpoint, Exposure, ServiceId, ServiceKind, Visibility } from '../workspace/index.ts';
import type { LogChunk, ProcessEnd } from './events.ts';
import type { HandedOut } from './shared-state.ts';

const apis: Readonly<Record<Api, ApiMessage>> = {
  http: ApiMessage.HTTP,
  grpc: ApiMessage.GRPC,
  rest: ApiMessage.REST,
  connect: ApiMessage.CONNECT,
  tcp: ApiMessage.TCP,
  udp: ApiMessage.UDP,
};

const visibilities: Readonly<Record<Visibility, VisibilityMessage>> = {
  private: VisibilityMessage.PRIVATE,
  internal: VisibilityMessage.INTERNAL,
  public: VisibilityMessage.PUBLIC,
};

const exposures: Readonly<Record<Exposure, ExposureMessage>> = {
  none: ExposureMessage.NONE,
  public: ExposureMessage.PUBLIC,
};

const accessMessages: Readonly<Record<Access, NetworkAccess>> = {
  native: NetworkAccess.NATIVE,
  container: NetworkAccess.CONTAINER,
  public: NetworkAccess.PUBLIC,
};

const accessNames = names<Access, NetworkAccess>(accessMessages);
const apiNames = names<Api, ApiMessage>(apis);
const visibilityNames = names<Visibility, VisibilityMessage>(visibilities);
const exposureNames = names<Exposure, ExposureMessage>(exposures);

function names<Name extends string, Value>(values: Readonly<Record<Name, Value>>): ReadonlyMap<Value, Name> {
  return new Map((Object.keys(values) as Name[]).map((name) => [values[name], name]));
}

export function kindMessage(kind: ServiceKind): ServiceKindMessage {
  return kind === 'job' ? ServiceKindMessage.JOB : ServiceKindMessage.SERVICE;
}

export function endpointMessage(endpoint: Endpoint): MessageInitShape<typeof EndpointSchema> {
  return {
    name: endpoint.name,
    api: apis[endpoint.api],
    visibility: visibilities[endpoint.visibility],
    exposure: endpoint.exposure === undefined ? ExposureMessage.UNSPECIFIED : exposures[endpoint.exposure],
    secured: endpoint.secured,
    port: endpoint.port ?? 0,
    grpcServices: [...endpoint.grpcServices],
  };
}

/** An endpoint as an agent answers it at Load; what it does not say is `undefined`. */
export interface AnsweredEndpoint extends Pick<Endpoint, 'name' | 'secured' | 'grpcServices'> {
  readonly api: Api | undefined;
  readonly visibility: Visibility | undefined;
  readonly exposure: Exposure | undefined;
  readonly port: number | undefined;
}

export function answeredEndpoint(endpoint: EndpointAnswer): AnsweredEndpoint {
  return {
    name: endpoint.name,
    api: apiNames.get(endpoint.api),
    visibility: visibilityNames.get(endpoint.visibility),
    exposure: exposureNames.get(endpoint.exposure),
    port: endpoint.port === 0 ? undefined : endpoint.port,
    secured: endpoint.secured,
    grpcServices: endpoint.grpcServices,
  };
}

/** Name of the endpoint within its service. */
function endpointName(mapping: NetworkMapping): string {
  return mapping.endpoint.slice(mapping.endpoint.lastIndexOf('/') + 1);
}

export function mappingMessage(mapping: NetworkMapping): MessageInitShape<typeof NetworkMappingSchema> {
  return {
    endpoint: endpointName(mapping),
    instances: mapping.instances.map(({ access, host, port }) => ({
      access: accessMessages[access],
      host,
      port,
    })),
  };
}

/** An agent's answer as it came: what it does not say stays unsaid, for the acceptance to judge (N-6). */
export function answeredMapping(mapping: NetworkMappingMessage): AnsweredMapping {
  return {
    endpoint: mapping.endpoint,
    instances: mapping.instances.map(({ access, host, port }) => ({
      access: accessNames.get(access),
      host,
      port,
    })),
  };
}

function configurationMessage(
  configuration: ExposedConfiguration,
): MessageInitShape<typeof ConfigurationSchema> {
  return { group: configuration.group, values: configuration.values.map((value) => ({ ...value })) };
}

export function exposedConfiguration(message: Configuration): ExposedConfiguration {
  return {
    group: message.group,
    values: message.values.map(({ key, value, secret }) => ({ key, value, secret })),
  };
}

type DependencyMappings = MessageInitShape<typeof DependencyNetworkMappingsSchema>;
type DependencyConfigurations = MessageInitShape<typeof DependencyConfigurationsSchema>;

/** What is handed out to a service, as Init and Start carry it. */
export function dependencyMessages(handedOut: readonly HandedOut[]): {
  dependencyNetworkMappings: DependencyMappings[];
  dependencyConfigurations: DependencyConfigurations[];
} {
  return {
    dependencyNetworkMappings: handedOut.map(({ producer, mappings }) => ({
      service: producer.id,
      mappings: mappings.map(mappingMessage),
    })),
    dependencyConfigurations: handedOut.map(({ producer, configurations }) => ({
      service: producer.id,
      configurations: configurations.map(configurationMessage),
    })),
  };
}

export function environmentMessage(entry: Variable): MessageInitShape<typeof EnvironmentVariableSchema> {
  return { name: entry.name, value: entry.value, secret: entry.secret };
}

/** How a process ended; `null` where the agent did not say. */
export function processEnd(exit: ProcessExit | undefined): ProcessEnd | null {
  switch (exit?.cause.case) {
    case 'code':
      return { kind: 'exited', code: exit.cause.value };
    case 'signal':
      return { kind: 'signalled', signal: exit.cause.value };
    default:
      return null;
  }
}

export function logChunk(service: ServiceId, message: LogChunkMessage): LogChunk {
  return {
    service,
    stream: message.stream === LogChunk_Stream.STDERR ? 'stderr' : 'stdout',
    timeMs: Number(message.timeUnixMs),
    text: message.text,
    partial: message.partial,
    lost: Number(message.lost),
  };
}
