/** What an agent says of itself, made of its definition. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type GetAgentInformationResponse,
  GetAgentInformationResponseSchema,
  TestDependencies,
  type ValidationAdvertisementSchema,
  type ValidationSupportSchema,
} from '../../gen/skein/agent/v1/agent_pb.js';
import { PROTOCOL } from '../program/index.ts';
import type { AgentDefinition, Validation, ValidationSupport } from './definition.ts';
import type { SpecReader } from './schema.ts';
import { writeRuntimeContext } from './translation.ts';

/** What the SDK itself brings to every agent. */
const sdkCapabilities: readonly string[] = [
  'runtime/v1',
  'multi-service/v1',
  'watch/v1',
  'logs/v1',
  'log-file/v1',
];

/** `isOneOfMany`: the process is other agents too. */
export async function agentInformation(
  definition: AgentDefinition<unknown>,
  specs: SpecReader<unknown>,
  isOneOfMany: boolean,
): Promise<GetAgentInformationResponse> {
  const specSchema = await specs.jsonSchema();
  const capabilities = [
    ...sdkCapabilities,
    ...(isOneOfMany ? ['multi-agent/v1'] : []),
    ...(definition.capabilities ?? []),
  ];
  return create(GetAgentInformationResponseSchema, {
    contract: { protocol: PROTOCOL, capabilities: [...new Set(capabilities)] },
    name: definition.name,
    version: definition.version,
    languages: [...(definition.languages ?? [])],
    runtimeContexts: (definition.runtimeContexts ?? ['native']).map(writeRuntimeContext),
    documentation: definition.documentation ?? '',
    ...(specSchema && { specSchema }),
    ...(definition.validation && { validation: advertisement(definition.validation) }),
  });
}

function advertisement({
  lint,
  compile,
  test,
  suites = [],
}: Validation): MessageInitShape<typeof ValidationAdvertisementSchema> {
  return {
    ...(lint && { lint: support(lint) }),
    ...(compile && { compile: support(compile) }),
    ...(test && { test: support(test) }),
    suites: suites.map(({ name, dependencies }) => ({ name, dependencies: dependencyModes[dependencies] })),
  };
}

function support({
  supported,
  scopes = [],
}: ValidationSupport): MessageInitShape<typeof ValidationSupportSchema> {
  return { supported, scopes: [...scopes] };
}

const dependencyModes = {
  none: TestDependencies.NONE,
  'start-dependencies': TestDependencies.START_DEPENDENCIES,
  'start-stack': TestDependencies.START_STACK,
} as const;
