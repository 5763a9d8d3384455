/** Makes a cluster: beside its place, complete with role and database, and then moved there in one step. */
import {
  chownSync,
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { serverFailure } from '../failures.ts';
import { readLockFile, removeSharedMemory } from './lock-file.ts';
import { type DataPlace, unfinishedPrefix } from './place.ts';
import { type Access, provision } from './provision.ts';
import type { ServerRun } from './server-run.ts';

export interface ClusterRequest extends ServerRun {
  readonly place: DataPlace;
  readonly access: Access;
  /** The user's own, after those of the agent. */
  readonly initdbArguments: readonly string[];
  /** The data may be lost with the power: nothing waits for the disk. */
  readonly disposable: boolean;
}

/**
 * Leaves a whole cluster or nothing, whenever it is ended.
 * @throws {AgentFailure} POSTGRES_INITDB_FAILED and the others of `failures.ts`
 */
export async function createCluster(request: ClusterRequest): Promise<void> {
  const { place, user, disposable } = request;
  const fresh = mkdtempSync(join(place.home, unfinishedPrefix));
  try {
    if (user !== undefined) chownSync(fresh, user.uid, user.gid);
    await initdb(request, fresh, [...clusterArguments(request), '--no-sync']);
    await provision({ ...request, cluster: fresh, isFresh: true }, request.access);
    // Everything was written without waiting for the disk; now all of it is waited for at once.
    if (!disposable) await initdb(request, fresh, ['--sync-only']);
    renameSync(fresh, place.cluster);
    if (!disposable) syncFolder(place.home);
  } finally {
    await discard(fresh);
  }
}

/** What a run left behind that was ended in the middle. */
export function unfinishedClusters(home: string): readonly string[] {
  return readdirSync(home)
    .filter((name) => name.startsWith(unfinishedPrefix))
    .map((name) => join(home, name));
}

/** Removes what a run left behind that was ended in the middle, once nobody works on it any more. */
export async function removeUnfinished(home: string): Promise<void> {
  for (const folder of unfinishedClusters(home)) await discard(folder);
}

/** What was killed while it made the cluster has left its lock file. */
async function discard(cluster: string): Promise<void> {
  const lock = readLockFile(cluster);
  if (lock !== undefined) await removeSharedMemory(lock);
  rmSync(cluster, { recursive: true, force: true, maxRetries: 3 });
}

/** Names decide the order of text, and the machine's own locale is not the same on the next machine. */
function clusterArguments({ access, initdbArguments, installation }: ClusterRequest): string[] {
  const major = Number(installation.major);
  const hasLocale = initdbArguments.some((argument) =>
    /^--(locale|lc-|no-locale|icu-|builtin-)/.test(argument),
  );
  return [
    `--username=${access.user}`,
    '--auth-local=reject',
    '--auth-host=scram-sha-256',
    '--encoding=UTF8',
    ...(hasLocale ? [] : localeArguments(major)),
    '--no-instructions',
    // As the server will have it; a killed initdb leaves nothing in /dev/shm then. Older ones cannot be told.
    ...(major >= 16 ? ['--set=dynamic_shared_memory_type=mmap'] : []),
    ...initdbArguments,
  ];
}

/** Unicode by code points, the same everywhere: built in since 17; before, as the C library names it. */
function localeArguments(major: number): string[] {
  if (major >= 17) return ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  return [`--locale=${process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'}`];
}

async function initdb(request: ClusterRequest, cluster: string, args: readonly string[]): Promise<void> {
  const { context, installation, user, environment, signal, place } = request;
  const program = join(installation.bin, 'initdb');
  const outcome = await context.run({
    // What goes well is not worth a screen of progress; errors come on stderr.
    command: ['/bin/sh', '-c', 'exec "$0" "$@" > /dev/null', program, `--pgdata=${cluster}`, ...args],
    cwd: place.home,
    environment,
    signal,
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  if (outcome.exit.kind === 'exited' && outcome.exit.code === 0) return;
  throw serverFailure('initdb', outcome, 'POSTGRES_INITDB_FAILED');
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
