/** `skein/postgres`: a PostgreSQL server, of this machine's installation or of the one that comes with skein. */
export { postgresAgent } from './agent.ts';
