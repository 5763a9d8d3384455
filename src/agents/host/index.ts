/** The supervisor's side of agents (chapter 05): found, launched, admitted, called, and ended. */
export type { AgentEnd } from './agent-life.ts';
export { AgentProcess } from './agent-process.ts';
export { agentErrors } from './errors.ts';
export { ServiceFailure, type Violation } from './failure.ts';
export { AgentsHost, type AgentsHostOptions } from './host.ts';
export { type LaunchOptions, launchAgent } from './launch.ts';
export {
  type AgentLock,
  type LockedAgent,
  lockAgent,
  readAgentLock,
  verifyLocked,
  writeAgentLock,
} from './lock.ts';
export { type ResolveContext, resolveAgent } from './resolve.ts';
export { describeFound, type Found, type ResolvedAgent } from './resolved.ts';
export { AgentSession, type InstanceRequest, type SessionCallOptions } from './session.ts';
export { validateSpec } from './spec-validation.ts';
export { type AgentTimeouts, defaultTimeouts } from './timeouts.ts';
