/** From a folder to the validated, immutable workspace: every file read once, every fault said at once (W-4). */
import { resolve } from 'node:path';
import { formatPlace, isFilePlace, SkeinError } from '../errors/index.ts';
import { connect } from './dependencies.ts';
import { WorkspaceFaults } from './faults.ts';
import { readLayout } from './layout.ts';
import type { Endpoint, Workspace } from './model.ts';
import { cycleFaults } from './stages.ts';

/**
 * Reads the workspace whose `workspace.skein.yaml` stands in `root`. Its files are read synchronously: a thousand small ones
 * are read several times faster so (W-17).
 * @throws {WorkspaceFaults} with all faults of the workspace (SK1002 to SK1060), by file, line and column.
 * @throws {SkeinError} SK1001 when `root` holds no workspace file, SK1002 when that cannot be told.
 */
export async function loadWorkspace(root: string): Promise<Workspace> {
  const layout = await readLayout(resolve(root));
  const faults = [...layout.faults];
  const services = connect(layout, faults);
  faults.push(
    ...portFaults([...services.values()].flatMap((service) => service.endpoints)),
    ...cycleFaults(services),
  );
  const workspace = {
    name: layout.name,
    root: layout.root,
    file: layout.file,
    modules: layout.modules,
    services,
  };
  if (faults.length > 0) throw new WorkspaceFaults(inReadingOrder(faults), workspace);
  return workspace;
}

/** Fixed ports are one machine's; TCP and UDP are separate spaces (N-1). */
function portFaults(endpoints: readonly Endpoint[]): readonly SkeinError[] {
  const holders = new Map<string, Endpoint>();
  return endpoints.flatMap((endpoint) => {
    if (endpoint.port === undefined) return [];
    const space = endpoint.api === 'udp' ? 'UDP' : 'TCP';
    const holder = holders.get(`${space} ${endpoint.port}`);
    if (holder === undefined) {
      holders.set(`${space} ${endpoint.port}`, endpoint);
      return [];
    }
    const message = `${space} port ${endpoint.port} is fixed for two endpoints: ${endpoint.id} and ${holder.id} (${formatPlace(holder.place)})`;
    return [new SkeinError('SK1042', message, { place: endpoint.place })];
  });
}

/** Files in the order of their first fault, inside a file from the top; a fault that an alias repeats is said once. */
function inReadingOrder(faults: readonly SkeinError[]): readonly SkeinError[] {
  const byFile = new Map<string, Map<string, SkeinError>>();
  for (const fault of faults) {
    const file = fault.place !== undefined && isFilePlace(fault.place) ? fault.place.file : '';
    const known = byFile.get(file) ?? new Map<string, SkeinError>();
    byFile.set(file, known);
    const [line, column] = positionOf(fault);
    const key = `${line}:${column} ${fault.message}`;
    if (!known.has(key)) known.set(key, fault);
  }
  return [...byFile.values()].flatMap((faultsOfFile) => [...faultsOfFile.values()].sort(byPosition));
}

function byPosition(a: SkeinError, b: SkeinError): number {
  const [lineA, columnA] = positionOf(a);
  const [lineB, columnB] = positionOf(b);
  return lineA - lineB || columnA - columnB;
}

function positionOf({ place }: SkeinError): readonly [number, number] {
  return place !== undefined && isFilePlace(place) ? [place.line, place.column] : [0, 0];
}
