/** What it takes to run one of the server's programs. */
import type { ServiceContext, Variable } from '../../../sdk/index.ts';
import type { Installation } from '../installation/index.ts';
import type { ServerUser } from '../server-user.ts';

export interface ServerRun {
  readonly context: Pick<ServiceContext, 'run' | 'log'>;
  readonly installation: Installation;
  /** Who runs it, where that is not this user. */
  readonly user: ServerUser | undefined;
  readonly environment: readonly Variable[];
  readonly signal: AbortSignal;
}

/**
 * The service's environment without what would decide over the agent's head (PGDATA, PGPORT and the like), and with
 * messages in the one language that the agent reads. The locale of the data is not taken from it.
 */
export function serverEnvironment(environment: readonly Variable[]): readonly Variable[] {
  const kept = environment.filter(({ name }) => !/^(PG|LC_)/.test(name));
  return [...kept, { name: 'LC_ALL', value: 'C', secret: false }];
}
