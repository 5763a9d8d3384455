/**
 * Refuses ports that somebody else holds before a service is told to use them (N-3): each is dialled on both loopback
 * addresses (UDP, which nobody answers, is bound instead), and the holder is named.
 */
import { type FilePlace, SkeinError, SkeinFaults } from '../errors/index.ts';
import { holderOf as holderOnThisMachine, type PortHolder } from '../processes/index.ts';
import {
  type Endpoint,
  type EndpointId,
  findWorkspace,
  type Port,
  type Service,
} from '../workspace/index.ts';
import { type Transport, transportOf } from './mapping.ts';
import { bind, dial, type Family } from './sockets.ts';

export interface OccupiedPortsOptions {
  readonly signal?: AbortSignal;
  /** Who listens on a TCP port; default: asks the operating system. */
  readonly holderOf?: (port: Port) => Promise<PortHolder | undefined>;
}

type PortUser = Pick<Service, 'id' | 'endpoints'>;

/** Sockets open at once: far below the usual limit of 1,024 open files. */
const dialsAtOnce = 128;

const families: readonly Family[] = ['ipv4', 'ipv6'];

/**
 * Checks the ports of one service, just before its first Init. Not for temporary ports, which skein itself holds (N-2).
 * @throws {SkeinError} SK1210 for each taken port (all together when there are several), SK1211 when it cannot be told.
 */
export async function refuseOccupiedPorts(
  service: PortUser,
  ports: ReadonlyMap<EndpointId, Port>,
  options: OccupiedPortsOptions = {},
): Promise<void> {
  const faults = await occupiedPorts([service], ports, options);
  if (faults.length === 1 && faults[0] !== undefined) throw faults[0];
  if (faults.length > 0) throw new SkeinFaults(faults);
}

/**
 * Checks the ports of all services of a run at once, before anything starts; one SK1210 for each endpoint whose port is
 * taken, in the order of the services.
 * @throws {SkeinError} SK1211 when it cannot be told.
 */
export async function occupiedPorts(
  services: Iterable<PortUser>,
  ports: ReadonlyMap<EndpointId, Port>,
  options: OccupiedPortsOptions = {},
): Promise<readonly SkeinError[]> {
  const claims = [...services].flatMap((service) =>
    service.endpoints.flatMap((endpoint) => claimOf(endpoint, ports)),
  );
  const taken = new Set<Claim>();
  const probes = claims.flatMap((claim) => families.map((family) => ({ claim, family })));
  await eachOf(probes, dialsAtOnce, async ({ claim, family }) => {
    if (!taken.has(claim) && (await isTaken(claim, family, options.signal))) taken.add(claim);
  });
  const holderOf = options.holderOf ?? holderOnThisMachine;
  return await Promise.all(
    claims.filter((claim) => taken.has(claim)).map((claim) => refusal(claim, holderOf)),
  );
}

interface Claim {
  readonly endpoint: Endpoint;
  readonly port: Port;
  readonly transport: Transport;
  /** Where the endpoint is declared: that is what a person changes. */
  readonly place: FilePlace;
}

function claimOf(endpoint: Endpoint, ports: ReadonlyMap<EndpointId, Port>): Claim[] {
  const port = ports.get(endpoint.id);
  if (port === undefined) return [];
  return [{ endpoint, port, transport: transportOf(endpoint.api), place: endpoint.place }];
}

async function isTaken(claim: Claim, family: Family, signal: AbortSignal | undefined): Promise<boolean> {
  signal?.throwIfAborted();
  try {
    if (claim.transport === 'tcp') return (await dial(family, claim.port, signal)) === 'done';
    const socket = await bind(family, 'udp', claim.port);
    if (socket === 'refused' || socket === 'absent') return socket === 'refused';
    await socket.close();
    return false;
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    const port = `${claim.transport.toUpperCase()} port ${claim.port}`;
    throw new SkeinError('SK1211', `it cannot be told whether ${port} of ${claim.endpoint.id} is free`, {
      place: claim.place,
      cause,
    });
  }
}

async function refusal(
  claim: Claim,
  holderOf: (port: Port) => Promise<PortHolder | undefined>,
): Promise<SkeinError> {
  const { endpoint, port, transport, place } = claim;
  const subject = `${transport.toUpperCase()} port ${port} of ${endpoint.id} is taken`;
  const instead = `choose another port with \`--port ${endpoint.id}=N\`, or run with \`--temporary-ports\``;
  // The system tells the holders of listening TCP sockets alone.
  if (transport === 'udp')
    return new SkeinError('SK1210', `${subject} by another process`, {
      place,
      remedy: `End the process that has UDP port ${port} bound, ${instead}.`,
    });
  let holder: PortHolder | undefined;
  try {
    holder = await holderOf(port);
  } catch (cause) {
    return new SkeinError('SK1210', `${subject}, and its holder cannot be found out`, { place, cause });
  }
  if (holder === undefined)
    return new SkeinError(
      'SK1210',
      `${subject}: something answered there, and no process of this machine is seen to listen`,
      {
        place,
        remedy: `Try again if it was just ending; a container or a forwarded port may hold it. Otherwise ${instead}.`,
      },
    );
  if (holder.kind === 'hidden')
    return new SkeinError('SK1210', `${subject} by a process that this user may not see into`, {
      place,
      remedy: `Ask the system as its administrator who listens on port ${port} and end it, ${instead}.`,
    });
  const workspace = workspaceAround(holder.workingDirectory);
  const where = holder.workingDirectory === undefined ? '' : `, in ${holder.workingDirectory}`;
  const whose = workspace === undefined ? '' : `, of the skein workspace ${workspace}`;
  const stop =
    workspace === undefined ? '' : `Stop that workspace's run with \`skein stop --cwd ${workspace}\`, or e`;
  return new SkeinError('SK1210', `${subject} by process ${holder.pid} (${holder.command})${where}${whose}`, {
    place,
    remedy: `${stop === '' ? 'E' : stop}nd process ${holder.pid}, ${instead}.`,
  });
}

/** The workspace that a folder lies in, if it lies in any. */
function workspaceAround(folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined;
  try {
    return findWorkspace(folder);
  } catch (error) {
    // Outside every workspace, or in a folder that is gone or not ours to read: then there is none to name.
    if (error instanceof SkeinError) return undefined;
    throw error;
  }
}

/** Runs `work` for each item, at most `limit` at once; the first failure ends it after those under way. */
async function eachOf<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined && !failed; item = items[next++]) {
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, worker));
  for (const result of settled) if (result.status === 'rejected') throw result.reason;
}
