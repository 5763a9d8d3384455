export type { CallableClient, CallOptions } from './client.ts';
export { callableClient } from './client.ts';
export { methodDefinition, serviceDefinition } from './definition.ts';
export type { Bootstrap, Handshake } from './protocol.ts';
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
