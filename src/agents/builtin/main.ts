/**
 * The program of all built-in agents, which share one process in a run. Each is loaded only when it is
 * needed, so that no run pays for an agent that it does not use.
 */
import { serveAgents } from '../sdk/index.ts';

await serveAgents([
  { name: 'skein/process', load: async () => (await import('./process/index.ts')).processAgent },
  { name: 'skein/postgres', load: async () => (await import('./postgres/index.ts')).postgresAgent },
]);
