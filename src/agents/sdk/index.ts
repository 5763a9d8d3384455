/** `skein/agent`: everything that an author of an agent in TypeScript needs. */
export type { LazyAgent } from './agents.ts';
export { type CommandAgent, commandAgent } from './command-agent.ts';
export type {
  AgentDefinition,
  InitAnswer,
  InitPhase,
  JsonSchema,
  Phase,
  ServiceContext,
  ServiceHandler,
  SpecSchema,
  StartPhase,
  StopPhase,
  TestAnswer,
  TestPhase,
  Validation,
  ValidationAnswer,
  ValidationSupport,
} from './definition.ts';
export { agentSdkErrors } from './errors.ts';
export { AgentFailure, type AgentFailureOptions, exitText, type Violation } from './failure.ts';
export {
  acceptMappings,
  authorityOf,
  dependencyAddress,
  findAddress,
  requireAddress,
  urlOf,
  variable,
} from './mappings.ts';
export type {
  Access,
  Address,
  Api,
  Configuration,
  ConfigurationValue,
  DependencyConfigurations,
  DependencyMappings,
  Diagnostic,
  Endpoint,
  Exposure,
  Identity,
  Mapping,
  RuntimeContext,
  ServiceKind,
  TestCase,
  TestSelection,
  TestSuite,
  Variable,
  Visibility,
} from './model.ts';
export { serveAgent, serveAgents } from './serve.ts';
export type {
  CommandOptions,
  CommandOutcome,
  ProcessOptions,
  SupervisedProcess,
  SuperviseOptions,
} from './supervision.ts';
export type { WatchOptions } from './watch/index.ts';
