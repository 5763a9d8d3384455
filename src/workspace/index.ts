/** Files → one validated, immutable model of the workspace. */
export { mayReach } from './dependencies.ts';
export { workspaceErrors } from './errors.ts';
export { findWorkspace, workspaceFileName } from './find.ts';
export { moduleFileName, serviceFileName } from './layout.ts';
export { loadWorkspace } from './load.ts';
export type {
  AgentReference,
  Api,
  CommandHealth,
  DependencyKind,
  DurationMs,
  Endpoint,
  EndpointId,
  Exposure,
  HttpHealth,
  Json,
  Module,
  Port,
  ProbeTiming,
  RestartPolicy,
  Service,
  ServiceDependency,
  ServiceId,
  ServiceKind,
  Template,
  Visibility,
  Wait,
  Workspace,
} from './model.ts';
export { endpointId, namePattern, resolveServiceName, serviceId } from './names.ts';
export { type FileKind, jsonSchemas } from './schema.ts';
export { type DependencyEdge, dependencyEdges, type Stage } from './stages.ts';
export { durationMs } from './vocabulary.ts';
