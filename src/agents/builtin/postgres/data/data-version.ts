/** Which major version made the data that is there. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AgentFailure } from '../../../sdk/index.ts';
import { clearDataRemedy } from '../failures.ts';

/**
 * `undefined` where there is no data yet. A cluster appears whole, so that one without PG_VERSION has lost it.
 * @throws {AgentFailure} POSTGRES_DATA_BROKEN, POSTGRES_DATA_OWNER
 */
export function dataVersion(cluster: string, uid: number | undefined): string | undefined {
  const stats = statSync(cluster, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) throw broken(cluster, 'is not a folder');
  if (uid !== undefined && stats.uid !== uid)
    throw new AgentFailure(
      'POSTGRES_DATA_OWNER',
      `the data in ${cluster} belongs to user ${stats.uid}, and the server would run as user ${uid}`,
      {
        remedy: `Run skein as the user who made the data, or give it to the server: chown -R ${uid} ${cluster}`,
      },
    );
  let text: string;
  try {
    text = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw broken(cluster, 'has no PG_VERSION');
    throw error;
  }
  if (!/^\d+(\.\d+)?$/.test(text)) throw broken(cluster, 'has a PG_VERSION that names no version');
  return text;
}

function broken(cluster: string, what: string): AgentFailure {
  return new AgentFailure('POSTGRES_DATA_BROKEN', `the data in ${cluster} is broken: the folder ${what}`, {
    remedy: clearDataRemedy,
  });
}
