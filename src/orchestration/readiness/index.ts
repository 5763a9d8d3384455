/** Readiness: what must hold, how it is examined, and what to say while it does not (chapter 06). */
export { ReadinessBoard } from './board.ts';
export { describeUnmet, lastComplete, readinessTimeout } from './diagnosis.ts';
export { readinessErrors } from './errors.ts';
export type { Transition } from './monitor.ts';
export { prober } from './probe.ts';
export type { CommandEnd, CommandRequest, CommandSpawner } from './probe-command.ts';
export { ProbePhases, type ProbePhasesOptions } from './probe-phases.ts';
export {
  endpointKey,
  type Gate,
  type Requirement,
  type RequirementKey,
  type RunRequirements,
  runRequirements,
  serviceKey,
  transportPredicate,
} from './requirements.ts';
export { firstUnmet, type RequirementState } from './state.ts';
export { whyChain, whyText } from './why.ts';
