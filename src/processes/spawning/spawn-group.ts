/**
 * Starts a process as the leader of a group of its own. Two spawners stand behind one contract: `posix_spawn` called
 * directly, which costs a tenth of Node's CPU time a process, and Node's own, which is portable and can change users.
 */
import { isMainThread } from 'node:worker_threads';
import { SkeinError } from '../../errors/index.ts';
import type { GroupProcess, Spawner, SpawnOptions } from '../group.ts';
import { nodeSpawner } from './node-spawner.ts';
import { checkedRequest } from './request.ts';

/**
 * Resolves when the process runs. Attach readers and keep `exited` at once. `SKEIN_SPAWNER=node` or `posix` insists on
 * one of the two; users are changed by Node's in any case.
 * @throws {SkeinError} SK1601–SK1607, SK1610; SK1612 with `SKEIN_SPAWNER=posix` only
 */
export async function spawnGroup(options: SpawnOptions): Promise<GroupProcess> {
  const spawner = await spawnerFor(options);
  return spawner.spawn(checkedRequest(options));
}

/**
 * Loads what the first `spawnGroup` would otherwise load, so that it does not wait for it.
 * @throws {SkeinError} SK1612 with `SKEIN_SPAWNER=posix` only
 */
export async function prepareSpawner(): Promise<void> {
  await spawnerFor({});
}

async function spawnerFor(options: Pick<SpawnOptions, 'uid' | 'gid'>): Promise<Spawner> {
  const wanted = process.env['SKEIN_SPAWNER'];
  if (wanted === 'node' || options.uid !== undefined || options.gid !== undefined) return nodeSpawner;
  // SIGCHLD is delivered to the main thread only.
  if (!isMainThread) return nodeSpawner;
  if (wanted === 'posix') return posixSpawner();
  fastest ??= posixSpawner().catch((error: unknown) => {
    if (error instanceof SkeinError && error.code === 'SK1612') return nodeSpawner;
    throw error;
  });
  return fastest;
}

let fastest: Promise<Spawner> | undefined;

function posixSpawner(): Promise<Spawner> {
  posix ??= import('./posix-spawner.ts').then((module) => module.loadPosixSpawner());
  return posix;
}

let posix: Promise<Spawner> | undefined;
