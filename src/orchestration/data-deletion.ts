/**
 * Deletes kept data, without a run (T-10): the agent of each service is asked by Load and Destroy, for it alone knows what
 * it keeps elsewhere; what is then left in the folder goes with it. Ended at any moment, it can be done again: the folder,
 * which says that there is data, goes last.
 */
import { join } from 'node:path';
import { AgentsHost, type AgentsHostOptions } from '../agents/host/index.ts';
import { builtInAgents } from '../agents/program/index.ts';
import { SkeinError } from '../errors/index.ts';
import { type Status, Status_State } from '../gen/skein/base/v1/status_pb.js';
import type { Service, Workspace } from '../workspace/index.ts';
import { type DataFolder, removeDataFolder, requireOwnFolder } from './data-folders.ts';
import { loadRequest } from './load-request.ts';

export interface DataDeletionOptions {
  readonly workspace: Workspace;
  /** What the agents are told as the name of the run. */
  readonly run: string;
  /** Absolute folder for what agents need meanwhile. */
  readonly runDirectory: string;
  /** Of the caller, for its PATH and the short list of variables. */
  readonly environment: AgentsHostOptions['environment'];
  /** Absolute folders to look for agents in. */
  readonly agentPaths: readonly string[];
  /** Ends the calls and the agents, with what the calls reject with thrown. */
  readonly signal: AbortSignal;
}

/** What became of one folder. */
export type DataDeletion =
  | { readonly folder: DataFolder; readonly is: 'removed' }
  | { readonly folder: DataFolder; readonly is: 'kept'; readonly fault: SkeinError };

/**
 * Nothing may run of these services meanwhile. Of a service that the workspace does not declare any more the folder alone
 * is removed. One that fails keeps no other; its folder stays.
 * @throws {SkeinError} what cannot be ended of the agents
 */
export async function deleteData(
  folders: readonly DataFolder[],
  options: DataDeletionOptions,
): Promise<readonly DataDeletion[]> {
  const { workspace, agentPaths, environment, signal } = options;
  const host = new AgentsHost({
    workspaceRoot: workspace.root,
    agentPaths,
    builtIns: builtInAgents(),
    environment,
    lockFile: join(workspace.root, 'skein.lock'),
  });
  try {
    return await Promise.all(folders.map((folder) => deleteOne(host, folder, options)));
  } finally {
    // An agent that hangs holds up nobody who has lost patience.
    await host.close({ signal });
  }
}

async function deleteOne(
  host: AgentsHost,
  folder: DataFolder,
  options: DataDeletionOptions,
): Promise<DataDeletion> {
  const { root, services } = options.workspace;
  try {
    requireOwnFolder(root, folder.service);
    const service = services.get(folder.service);
    if (service !== undefined) await askAgent(host, service, folder, options);
    removeDataFolder(folder);
    return { folder, is: 'removed' };
  } catch (fault) {
    if (!(fault instanceof SkeinError)) throw fault;
    return { folder, is: 'kept', fault };
  }
}

async function askAgent(
  host: AgentsHost,
  service: Service,
  folder: DataFolder,
  { workspace, run, runDirectory, signal }: DataDeletionOptions,
): Promise<void> {
  await using session = await host.acquire(service, { signal });
  const request = loadRequest(service, {
    run,
    workspaceName: workspace.name,
    workspaceRoot: workspace.root,
    runDirectory,
    dataDirectory: folder.path,
    logFile: '',
  });
  const loaded = await session.load(request, { signal });
  expectDone(service, loaded.status);
  const destroyed = await session.destroy({ deleteData: true }, { signal });
  expectDone(service, destroyed.status);
}

/** An agent that failed has been told of by its session. @throws {SkeinError} SK1416 */
function expectDone({ id }: Service, status: Status | undefined): void {
  if (status?.state !== Status_State.WAITING) return;
  throw new SkeinError('SK1416', `the agent of ${id} cannot delete its data yet: ${status.message}`, {
    place: { service: id, phase: 'destroy' },
  });
}
