/** From the contract's messages to plain TypeScript and back. An enum value that is not known is refused with its number. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type * as configuration from '../../gen/skein/base/v1/configuration_pb.js';
import type { ConfigurationSchema } from '../../gen/skein/base/v1/configuration_pb.js';
import * as network from '../../gen/skein/base/v1/network_pb.js';
import * as service from '../../gen/skein/base/v1/service_pb.js';
import * as runtime from '../../gen/skein/runtime/v1/runtime_pb.js';
import { AgentFailure } from './failure.ts';
import type {
  Access,
  Api,
  Configuration,
  DependencyConfigurations,
  DependencyMappings,
  Diagnostic,
  Endpoint,
  Exposure,
  Identity,
  Mapping,
  RuntimeContext,
  ServiceKind,
  TestSelection,
  TestSuite,
  Variable,
  Visibility,
} from './model.ts';

export function readKind(kind: service.ServiceKind): ServiceKind {
  return word(kinds, kind, 'service kind');
}

export function readRuntimeContext(context: service.RuntimeContext): RuntimeContext {
  return word(runtimeContexts, context, 'runtime context');
}

export function writeRuntimeContext(context: RuntimeContext | undefined): service.RuntimeContext {
  return context === undefined ? service.RuntimeContext.UNSPECIFIED : number(runtimeContexts, context);
}

/** @throws {AgentFailure} IDENTITY_MISSING */
export function readIdentity(identity: service.ServiceIdentity | undefined): Identity {
  if (identity === undefined)
    throw new AgentFailure('IDENTITY_MISSING', 'the request does not say whose service it is about');
  const { workspace, module, name, environment, namingScope, fixture, run } = identity;
  return { workspace, module, name, environment, namingScope, fixture, run };
}

export function readEndpoint(endpoint: network.Endpoint): Endpoint {
  return {
    name: endpoint.name,
    api: word(apis, endpoint.api, 'api'),
    visibility: word(visibilities, endpoint.visibility, 'visibility'),
    exposure:
      endpoint.exposure === network.Exposure.UNSPECIFIED
        ? undefined
        : word(exposures, endpoint.exposure, 'exposure'),
    secured: endpoint.secured,
    port: endpoint.port === 0 ? undefined : endpoint.port,
    grpcServices: endpoint.grpcServices,
  };
}

export function writeEndpoint(endpoint: Endpoint): network.Endpoint {
  return create(network.EndpointSchema, {
    name: endpoint.name,
    api: number(apis, endpoint.api),
    visibility: number(visibilities, endpoint.visibility),
    exposure:
      endpoint.exposure === undefined ? network.Exposure.UNSPECIFIED : number(exposures, endpoint.exposure),
    secured: endpoint.secured,
    port: endpoint.port ?? 0,
    grpcServices: [...endpoint.grpcServices],
  });
}

export function readMapping(mapping: network.NetworkMapping): Mapping {
  return {
    endpoint: mapping.endpoint,
    addresses: mapping.instances.map(({ access, host, port }) => ({
      access: word(accesses, access, 'network access'),
      host,
      port,
    })),
  };
}

export function writeMapping(mapping: Mapping): network.NetworkMapping {
  return create(network.NetworkMappingSchema, {
    endpoint: mapping.endpoint,
    instances: mapping.addresses.map(({ access, host, port }) => ({
      access: number(accesses, access),
      host,
      port,
    })),
  });
}

export function readDependencyMappings(dependency: network.DependencyNetworkMappings): DependencyMappings {
  return { service: dependency.service, mappings: dependency.mappings.map(readMapping) };
}

export function readConfiguration(group: configuration.Configuration): Configuration {
  return {
    group: group.group,
    values: group.values.map(({ key, value, secret }) => ({ key, value, secret })),
  };
}

export function writeConfiguration(group: Configuration): MessageInitShape<typeof ConfigurationSchema> {
  return {
    group: group.group,
    values: group.values.map(({ key, value, secret }) => ({ key, value, secret })),
  };
}

export function readDependencyConfigurations(
  dependency: configuration.DependencyConfigurations,
): DependencyConfigurations {
  return { service: dependency.service, configurations: dependency.configurations.map(readConfiguration) };
}

export function readVariable({ name, value, secret }: configuration.EnvironmentVariable): Variable {
  return { name, value, secret };
}

export function readSelection(selection: runtime.TestSelection | undefined): TestSelection {
  const { suite = '', file = '', testCase = '', filter = '' } = selection ?? {};
  return {
    ...(suite !== '' && { suite }),
    ...(file !== '' && { file }),
    ...(testCase !== '' && { testCase }),
    ...(filter !== '' && { filter }),
  };
}

export function writeSuite(suite: TestSuite): MessageInitShape<typeof runtime.TestSuiteResultSchema> {
  return {
    name: suite.name,
    cases: suite.cases.map(({ name, outcome, durationMs = 0, message = '', file = '' }) => ({
      name,
      outcome: number(outcomes, outcome),
      durationMs: BigInt(Math.round(durationMs)),
      message,
      file,
    })),
  };
}

export function writeDiagnostic(found: Diagnostic): MessageInitShape<typeof runtime.DiagnosticSchema> {
  const { file = '', line = 0, column = 0, severity, message } = found;
  return { file, line, column, severity: number(severities, severity), message };
}

/** Words by the numbers of an enum; 0 is always UNSPECIFIED and never a word. */
type Words<Word extends string> = Readonly<Record<Word, number>>;

const kinds: Words<ServiceKind> = { service: service.ServiceKind.SERVICE, job: service.ServiceKind.JOB };
const runtimeContexts: Words<RuntimeContext> = {
  native: service.RuntimeContext.NATIVE,
  container: service.RuntimeContext.CONTAINER,
  nix: service.RuntimeContext.NIX,
  free: service.RuntimeContext.FREE,
};
const apis: Words<Api> = {
  http: network.Api.HTTP,
  grpc: network.Api.GRPC,
  rest: network.Api.REST,
  connect: network.Api.CONNECT,
  tcp: network.Api.TCP,
  udp: network.Api.UDP,
};
const visibilities: Words<Visibility> = {
  private: network.Visibility.PRIVATE,
  internal: network.Visibility.INTERNAL,
  public: network.Visibility.PUBLIC,
};
const exposures: Words<Exposure> = { none: network.Exposure.NONE, public: network.Exposure.PUBLIC };
const accesses: Words<Access> = {
  native: network.NetworkAccess.NATIVE,
  container: network.NetworkAccess.CONTAINER,
  public: network.NetworkAccess.PUBLIC,
};
const outcomes: Words<'passed' | 'failed' | 'skipped'> = {
  passed: runtime.TestCaseResult_Outcome.PASSED,
  failed: runtime.TestCaseResult_Outcome.FAILED,
  skipped: runtime.TestCaseResult_Outcome.SKIPPED,
};
const severities: Words<Diagnostic['severity']> = {
  error: runtime.Diagnostic_Severity.ERROR,
  warning: runtime.Diagnostic_Severity.WARNING,
  info: runtime.Diagnostic_Severity.INFO,
};

function number<Word extends string>(words: Words<Word>, word: Word): number {
  return words[word];
}

/** @throws {AgentFailure} UNKNOWN_VALUE */
function word<Word extends string>(words: Words<Word>, value: number, what: string): Word {
  for (const candidate in words) if (words[candidate] === value) return candidate;
  throw new AgentFailure('UNKNOWN_VALUE', `the ${what} number ${value} is not known to this agent`, {
    remedy: 'Upgrade the agent, or skein, so that both speak of the same things.',
  });
}
