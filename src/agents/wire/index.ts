export type { CallableClient, CallOptions } from './client.ts';
export { callableClient } from './client.ts';
export { methodDefinition, serviceDefinition } from './definition.ts';
