/** Readiness: what must hold, how it is examined, and what to say while it does not (chapter 06). */
export type { ProbeOptions, ProbeResult } from './attempt.ts';
export { type BoardChange, ReadinessBoard } from './board.ts';
export { describeUnmet, lastComplete, type ReadinessDeadline, readinessTimeout } from './diagnosis.ts';
export { readinessErrors } from './errors.ts';
export type { ListeningAddress, ReadListeners } from './listener-sweep.ts';
export { type MonitorOptions, ReadinessMonitor, type Transition } from './monitor.ts';
export { type Probe, prober } from './probe.ts';
export type { CommandEnd, CommandRequest, CommandSpawner } from './probe-command.ts';
export { grpcHealth } from './probe-grpc.ts';
export { httpStatus } from './probe-http.ts';
export { tcpConnect } from './probe-tcp.ts';
export type { OwnerOf, Ownership } from './requirement-watch.ts';
export {
  endpointKey,
  type Gate,
  type Requirement,
  type RequirementKey,
  type RunRequirements,
  type RunSelection,
  runRequirements,
  serviceKey,
  type TransportPredicate,
  transportPredicate,
} from './requirements.ts';
export { firstUnmet, type RequirementState, type StateOf, unmet } from './state.ts';
export {
  type CommandTarget,
  type GrpcTarget,
  type HttpTarget,
  type ProbeAddress,
  type ProbeTarget,
  type TcpTarget,
  type Watched,
  watchedCommand,
  watchedEndpoint,
} from './target.ts';
export { type WhyFacts, whyChain, whyText } from './why.ts';
