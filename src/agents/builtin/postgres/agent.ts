/** The definition of `skein/postgres`. Its schema is loaded after the start, which it must not slow down. */
import type { AgentDefinition } from '../../sdk/index.ts';
import { version } from '../version.ts';
import { PostgresService } from './service.ts';
import type { PostgresSpec } from './spec.ts';

export const postgresAgent: AgentDefinition<PostgresSpec> = {
  name: 'skein/postgres',
  version,
  documentation: [
    'Runs a PostgreSQL server on its one tcp endpoint, on 127.0.0.1 only, with its data kept between runs.',
    '',
    'The server is one that is installed on this machine, or else the one that comes with skein; `engine` insists. Dependents',
    'are given the configuration `connection`: `postgres://user:password@127.0.0.1:port/database`. Where skein is root, the',
    'server runs as the user `postgres`, or else `nobody`. `settings` are those of postgresql.conf.',
  ].join('\n'),
  schema: async () => (await import('./spec.ts')).postgresSpec,
  createService: (context) => new PostgresService(context),
};
