/** `skein clear --data`: deletes what services keep between runs, once a person has said so (T-10). */
import { resolve } from 'node:path';
import {
  beingOf,
  claimForClear,
  findLeftovers,
  makeRunFolder,
  newRunId,
  removeRunFolder,
} from '../../control/index.ts';
import { SkeinError, SkeinFaults } from '../../errors/index.ts';
import {
  type DataDeletion,
  type DataFolder,
  dataBytes,
  dataFolders,
  deleteData,
} from '../../orchestration/index.ts';
import { clearRegistry, registryFolder } from '../../processes/index.ts';
import {
  findWorkspace,
  loadWorkspace,
  resolveServiceName,
  type ServiceId,
  type Workspace,
} from '../../workspace/index.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { Interrupts } from '../run/interrupts.ts';
import { bytesText } from '../view/bytes-text.ts';
import { confirm, requireConfirmation } from './clear-confirmation.ts';
import { type ClearedLeft, type ClearOptions, clearLeft, listText } from './clear-left.ts';
import { print } from './live-run.ts';

/** The kept data of one service. */
interface KeptData extends DataFolder {
  readonly bytes: number;
  /** Of one that the workspace does not declare any more there is no agent to ask. */
  readonly isDeclared: boolean;
}

/**
 * Without names: of every service that keeps data.
 * @throws {SkeinError} SK1557 where nobody can be asked; SK1501 beside a live run, SK1518 beside another deletion, SK1519
 * while something of a dead run may live; SK1031, SK1032 for a name; SK1416, SK1417, SK13xx what could not be deleted,
 * once the rest is deleted and told
 */
export async function clearData(names: readonly string[], options: ClearOptions): Promise<ExitStatus> {
  requireConfirmation(options);
  const workspace = await loadWorkspace(findWorkspace(options.cwd));
  const data = chosen(workspace, names);
  if (options.dryRun || data.length === 0) {
    tell(options, await clearLeft(options), data, []);
    return exitStatus.done;
  }
  const id = newRunId(new Date());
  using _claim = await claimForClear({ root: workspace.root, id, now: new Date() });
  await requireSettled(workspace.root);
  if (!options.yes && !(await confirm(data.map(dataLine)))) {
    process.stderr.write('nothing is deleted\n');
    return exitStatus.failed;
  }
  const left = await clearLeft(options);
  const deletions = await deleteAll(workspace, id, data, options);
  if (deletions === 'interrupted') return exitStatus.interrupted;
  tell(options, left, data, deletions);
  const faults = deletions.flatMap((deletion) => (deletion.is === 'kept' ? [deletion.fault] : []));
  if (faults.length > 0) throw new SkeinFaults(faults);
  return exitStatus.done;
}

async function deleteAll(
  workspace: Workspace,
  id: string,
  data: readonly KeptData[],
  { cwd, agentPath = [] }: ClearOptions,
): Promise<readonly DataDeletion[] | 'interrupted'> {
  using interrupts = new Interrupts(() => undefined);
  const runDirectory = makeRunFolder(workspace.root, id);
  try {
    return await deleteData(data, {
      ...{ workspace, run: id, runDirectory, environment: { ...process.env } },
      agentPaths: agentPath.map((path) => resolve(cwd, path)),
      signal: interrupts.signal,
    });
  } catch (error) {
    if (interrupts.interrupted) return 'interrupted';
    throw error;
  } finally {
    removeRunFolder(runDirectory);
  }
}

/** In the order of the folders. @throws {SkeinError} SK1031, SK1032, SK1416, SK1417 */
function chosen(workspace: Workspace, names: readonly string[]): readonly KeptData[] {
  const folders = dataFolders(workspace.root);
  const named = new Set(names.map((name) => serviceOf(workspace, folders, name)));
  return folders
    .filter(({ service }) => names.length === 0 || named.has(service))
    .map((folder) => ({
      ...folder,
      bytes: dataBytes(workspace.root, folder),
      isDeclared: workspace.services.has(folder.service),
    }));
}

/** One that the workspace declares, or else one that it had once and that has left data. */
function serviceOf(workspace: Workspace, folders: readonly DataFolder[], written: string): ServiceId {
  const isMeant = (service: string): boolean => service === written || service.endsWith(`/${written}`);
  const former = folders.filter(({ service }) => isMeant(service));
  const [only, ...others] = former;
  if (only === undefined || [...workspace.services.keys()].some(isMeant))
    return resolveServiceName(workspace, written);
  if (others.length === 0) return only.service;
  const ids = former.map(({ service }) => service);
  throw new SkeinError('SK1032', `\`${written}\` names several services: ${ids.join(', ')}`, {
    remedy: `Write one of them with its module: ${ids.join(' or ')}.`,
  });
}

/** That nothing of the workspace may run, as far as is on record. @throws {SkeinError} SK1519, SK1611, SK1613, SK1615 */
async function requireSettled(root: string): Promise<void> {
  const dead = await clearRegistry(registryFolder(process.env), { dryRun: true });
  const { abandoned, held } = await findLeftovers(root);
  const left = [
    ...abandoned.filter(({ file }) => !dead.includes(file)),
    // The agents of a run that has just given the workspace free end by themselves.
    ...held.filter(({ record }) => record.reservation?.purpose.kind === 'service'),
  ];
  const beings = new Set(left.map((entry) => beingOf(entry) ?? `the record ${entry.file}`));
  if (beings.size === 0) return;
  throw new SkeinError(
    'SK1519',
    `what a dead run has left in ${root} is not settled: ${[...beings].join(', ')}`,
  );
}

function tell(
  options: ClearOptions,
  left: ClearedLeft,
  data: readonly KeptData[],
  deletions: readonly DataDeletion[],
): void {
  const removed = new Set(deletions.flatMap(({ folder, is }) => (is === 'removed' ? [folder.path] : [])));
  const lines = data.filter(({ path }) => options.dryRun || removed.has(path)).map(dataLine);
  print(
    options,
    {
      ...left.document,
      data: data.map(({ service, path, bytes }) => ({ service, path, bytes, removed: removed.has(path) })),
    },
    listText(options, [...left.paths, ...lines]),
  );
}

function dataLine({ service, path, bytes, isDeclared }: KeptData): string {
  const former = isDeclared ? '' : '; not declared any more: what its agent keeps elsewhere stays';
  return `data of ${service}, ${bytesText(bytes)} (${path})${former}`;
}
