/** The programmatic face of skein: load a workspace, make a flow of it, run it. */
export type { ErrorCode, FilePlace, Place, RunPlace } from './errors/index.ts';
export { faultsOf, renderError, SkeinError, SkeinFaults } from './errors/index.ts';
export * from './orchestration/index.ts';
export type {
  Endpoint,
  EndpointId,
  Module,
  Port,
  Service,
  ServiceDependency,
  ServiceId,
  Workspace,
} from './workspace/index.ts';
export { findWorkspace, jsonSchemas, loadWorkspace, resolveServiceName } from './workspace/index.ts';
