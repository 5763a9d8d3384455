/** When: a flow takes the services of a workspace through their lives, in dependency order. */
export { type Clock, realClock } from './clock.ts';
export { contradictions, type Part } from './composition.ts';
export { type DataDeletion, deleteData } from './data-deletion.ts';
export { type DataFolder, dataBytes, dataFolders } from './data-folders.ts';
export { orchestrationErrors } from './errors.ts';
export type {
  EndpointAddress,
  FailureReport,
  Happening,
  LogChunk,
  Mode,
  Outcome,
  OutputStream,
  Predicate,
  ProcessEnd,
  Receipt,
  ReceiptResource,
  RunEvent,
  RunState,
  ServiceState,
  UnmetRequirement,
  WhyLink,
} from './events.ts';
export { describeEnd } from './failure-report.ts';
export { Flow } from './flow.ts';
export type { FlowOptions, OutputEnvironmentOptions, Until } from './flow-options.ts';
export { foreseeableFaults } from './plan-gate.ts';
export {
  type Action,
  type ActionResult,
  createDispatcher,
  type Dispatcher,
  type DispatcherOptions,
  type PlaybookGraph,
  type Policy,
  playbookGraph,
  runPolicy,
} from './playbook/index.ts';
export { describeUnmet, readinessErrors, whyText } from './readiness/index.ts';
export { type ConfigurationEntry, type Extension, logFileLimitBytes, type Run } from './run.ts';
export type { EndpointSnapshot, RunSnapshot, ServiceSnapshot } from './snapshot.ts';
export { teardownErrors, workspaceLayers } from './teardown/index.ts';
