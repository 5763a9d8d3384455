/**
 * What an earlier server left behind: a live one whose agent is gone is stopped, since nobody else will; a live one that
 * is not ours is refused; of a dead one, processes may still be at work on the data.
 */
import { rmSync } from 'node:fs';
import { isSameProcess, isStillRunning, processIdentity, stopGroup } from '../../../../processes/index.ts';
import { AgentFailure } from '../../../sdk/index.ts';
import { type DataPlace, lockFilePath, readLockFile, removeSharedMemory } from '../data/index.ts';
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
  const lock = readLockFile(place.cluster);
  if (lock === undefined) return;
  const { pid } = lock;
  const found = await processIdentity(pid);
  const isServer = found !== undefined && (await workersIn([place.cluster])).includes(pid);
  const noted = notedServer(place.kept);
  const isOurs =
    noted !== undefined && (isServer ? isSameProcess(noted.server, found) : noted.server.pid === pid);
  if (isServer) {
    if (!isOurs) throw inUse(place.cluster, pid, 'which skein has not started');
    if (await isStillRunning(noted.agent))
      throw inUse(place.cluster, pid, `of the agent ${noted.agent.pid}, which lives`);
    log(`server ${pid} was left behind by a run that is gone: it is stopped`);
    await stopGroup({ pid }, { signal: 'SIGINT', timeoutMs: orphanStopMs, abort: signal });
  }
  if (isOurs) await killLeftBehind([place.cluster], signal, log);
  // The number is a stranger's now, and the server would take the stranger for its predecessor.
  if (!isServer && found !== undefined) rmSync(lockFilePath(place.cluster), { force: true });
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

/** Takes away what a server of ours leaves that was killed: its processes, and the mark that its data are in use. */
export async function clearAfterKill(
  cluster: string,
  pid: number,
  log: (text: string) => void,
): Promise<void> {
  // Read first: a server that follows writes its own.
  const lock = readLockFile(cluster);
  await killLeftBehind([cluster], new AbortController().signal, log);
  if (lock?.pid === pid) await removeSharedMemory(lock);
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
