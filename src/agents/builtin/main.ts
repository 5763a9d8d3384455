/**
 * The program of all built-in agents, which share one process in a run. Each is loaded only when it is
 * needed, so that no run pays for an agent that it does not use.
 */
import module from 'node:module';
import v8 from 'node:v8';

// Node 22 and later keep compiled code between starts; nothing but this file is loaded before that is on.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

// As in the supervisor: the young generation stays small, for V8 never gives back what it grew to.
v8.setFlagsFromString('--semi-space-growth-factor=1');

// As in the supervisor: what a start runs a few times is not worth optimising.
v8.setFlagsFromString('--interrupt-budget=2000000');

const { serveAgents } = await import('../sdk/index.ts');
await serveAgents([
  { name: 'skein/process', load: async () => (await import('./process/index.ts')).processAgent },
  { name: 'skein/postgres', load: async () => (await import('./postgres/index.ts')).postgresAgent },
]);
