/** Files → one validated, immutable model of the workspace. */
export { durationMs } from './duration.ts';
export { workspaceErrors } from './errors.ts';
export { WorkspaceFaults } from './faults.ts';
export { findWorkspace } from './find.ts';
export type {
  AgentReference,
  Api,
  DependencyKind,
  DurationMs,
  Endpoint,
  EndpointId,
  EndpointProbe,
  Exposure,
  Health,
  HttpHealth,
  Json,
  Module,
  Port,
  ProbePurpose,
  ProbeTiming,
  Service,
  ServiceDependency,
  ServiceId,
  ServiceKind,
  Template,
  Visibility,
  Wait,
  Workspace,
} from './model.ts';
export { namePattern, resolveServiceName, serviceId } from './names.ts';
export { mayReach } from './reach.ts';
export { jsonSchemas, loadWorkspace, workspaceName } from './reader.ts';
export { dependencyEdges, type Stage } from './stages.ts';
