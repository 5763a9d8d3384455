/** The supervisor's side of agents (chapter 05): found, launched, admitted, called, and ended. */
export { AgentProcess } from './agent-process.ts';
export { agentErrors } from './errors.ts';
export { ServiceFailure } from './failure.ts';
export { AgentsHost, type AgentsHostOptions } from './host.ts';
export { launchAgent } from './launch.ts';
export type { ResolvedAgent } from './resolved.ts';
export { AgentSession, type InstanceRequest } from './session.ts';
export { validateSpec } from './spec-validation.ts';
export type { AgentTimeouts } from './timeouts.ts';
