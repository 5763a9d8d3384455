/**
 * What an earlier server left behind: a live one whose agent is gone is stopped, since nobody else will; a live one that
 * is not ours is refused; of a dead one, processes may still be at work on the data.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isSameProcess, processIdentity, stopGroup } from '../../../../processes/index.ts';
import { AgentFailure } from '../../../sdk/index.ts';
import type { DataPlace } from '../data/index.ts';
import { notedServer } from './record.ts';
import { workersIn } from './workers.ts';

/** What an orphaned server has for a fast shutdown before it is killed. */
const orphanStopMs = 10_000;
/** What processes without a server have to end by SIGQUIT, which they do at once. */
const quitMs = 2_000;

/**
 * Nothing runs on the data when this returns.
 * @throws {AgentFailure} POSTGRES_DATA_IN_USE
 */
export async function settlePrevious(
  place: DataPlace,
  signal: AbortSignal,
  log: (text: string) => void,
): Promise<void> {
  const pid = lockHolder(place.cluster);
  // An orderly end takes the lock file away.
  if (pid === undefined) return;
  const found = await processIdentity(pid);
  const isServer = found !== undefined && (await workersIn([place.cluster])).includes(pid);
  const noted = notedServer(place.kept);
  const isOurs =
    noted !== undefined && (isServer ? isSameProcess(noted.server, found) : noted.server.pid === pid);
  if (isServer) {
    if (!isOurs) throw inUse(place.cluster, pid, 'which skein has not started');
    const agent = await processIdentity(noted.agent.pid);
    if (isSameProcess(noted.agent, agent))
      throw inUse(place.cluster, pid, `of the agent ${noted.agent.pid}, which lives`);
    log(`server ${pid} was left behind by a run that is gone: it is stopped`);
    await stopGroup({ pid }, { signal: 'SIGINT', timeoutMs: orphanStopMs, abort: signal });
  }
  if (isOurs) await killLeftBehind([place.cluster], signal, log);
  // The number is a stranger's now, and the server would take the stranger for its predecessor.
  if (!isServer && found !== undefined) rmSync(join(place.cluster, 'postmaster.pid'), { force: true });
}

/**
 * Ends processes of PostgreSQL that work in these folders without a server. Whoever calls has proven that no server of
 * somebody else's runs there.
 */
export async function killLeftBehind(
  folders: readonly string[],
  signal: AbortSignal,
  log: (text: string) => void,
): Promise<void> {
  const pids = await workersIn(folders);
  if (pids.length === 0) return;
  log(`processes ${pids.join(', ')} were left behind by a server that is gone: they are ended`);
  // One that leads no group of its own belongs to that of another among them.
  await Promise.all(
    pids.map((pid) => stopGroup({ pid }, { signal: 'SIGQUIT', timeoutMs: quitMs, abort: signal })),
  );
}

/** The pid in the lock file; negative in single-user mode. */
function lockHolder(cluster: string): number | undefined {
  try {
    const pid = Math.abs(Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10));
    return pid > 0 ? pid : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function inUse(cluster: string, pid: number, whose: string): AgentFailure {
  return new AgentFailure(
    'POSTGRES_DATA_IN_USE',
    `another server (process ${pid}), ${whose}, runs on ${cluster}`,
    {
      remedy: `Stop it first: \`skein stop\` where it is another run of this workspace, else \`kill -INT ${pid}\`.`,
    },
  );
}
