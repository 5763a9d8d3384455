/**
 * The program of an agent: how it is started, what is said between it and its host before they speak gRPC, and its own
 * log. Light, for it is the first thing that a run needs.
 */
export { type BuiltInAgent, builtInAgents, builtInProgram } from './built-in.ts';
export { type AgentExit, describeExit } from './exit.ts';
export { HandshakeLine, judgeHandshake } from './handshake.ts';
export type { AgentLogLine } from './own-log.ts';
export { pause, settlesWithin } from './pause.ts';
export type { Command, Program } from './program.ts';
export type { Handshake } from './protocol.ts';
export {
  AGENT_VARIABLE,
  CHANNEL_OPTIONS,
  formatHandshake,
  MESSAGE_LIMIT_BYTES,
  PROTOCOL,
  parseHandshake,
  SOCKET_PATH_LIMIT_BYTES,
  TOKEN_METADATA_KEY,
} from './protocol.ts';
export { socketInFolder } from './socket-folder.ts';
export type { SpawnedAgent } from './spawned.ts';
export { type StartedProgram, startProgram } from './start.ts';
