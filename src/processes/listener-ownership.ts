/**
 * Whose a listener is: whether what answers at an address belongs to the process groups of the service that should.
 * What is provably somebody else's is told as such; what only might be is a doubt.
 */
import { beganBefore, type ProcessIdentity } from './identity.ts';
import { family, type Kinship, kinship, present } from './kinship.ts';
import { system } from './platform.ts';
import type { Kin, Listener } from './system.ts';

export type ListenerOwnership =
  /** `sockets`: by which the same listener is known again; `''` where the platform does not tell. */
  | { readonly kind: 'own'; readonly sockets: string }
  | { readonly kind: 'foreign'; readonly sockets: string; readonly pid: number; readonly command: string }
  /** `why`: a clause such as `no process of this machine is seen to hold it`. */
  | { readonly kind: 'doubtful'; readonly sockets: string; readonly why: string }
  /** The kernel shows no listener there: it has just gone, or a rule of the network forwards the port. */
  | { readonly kind: 'unseen' };

/**
 * `groups`: the leaders of the service's process groups, as they were at its Start. `known`: the last answer; it is
 * given again, for the price of one read of the listener table, while the same sockets listen.
 * @throws {SkeinError} SK1611
 */
export async function listenerOwnership(
  { host, port }: { readonly host: string; readonly port: number },
  groups: readonly ProcessIdentity[],
  known?: ListenerOwnership,
): Promise<ListenerOwnership> {
  const listeners = answering(await system.listeners(), host, port);
  if (listeners.length === 0) return { kind: 'unseen' };
  const sockets = listeners
    .map(({ inode = '' }) => inode)
    .join(' ')
    .trim();
  if (known !== undefined && stands(known, sockets)) return known;
  if (groups.length === 0) return { kind: 'doubtful', sockets, why: 'its agent names no process group' };
  const leaders = await present(groups);
  const pids = leaders.map(({ pid }) => pid);
  const holders = await system.holders(listeners, pids);
  if (holders.some((pid) => pids.includes(pid))) return { kind: 'own', sockets };
  const service = await family(leaders);
  const judged: { readonly kin: Kin; readonly kinship: Kinship }[] = [];
  for (const pid of holders) {
    const ancestors = await lineage(pid);
    const [kin] = ancestors;
    if (kin === undefined) continue;
    const relation = await kinship(ancestors, service);
    // Who inherited the socket, or shares the port, is as good as who opened it.
    if (relation === 'own') return { kind: 'own', sockets };
    judged.push({ kin, kinship: relation });
  }
  const [first] = judged;
  if (first === undefined)
    return { kind: 'doubtful', sockets, why: 'no process that this user may see into holds it' };
  const command = await system.commandLine(first.kin.pid);
  if (judged.every((holder) => holder.kinship === 'foreign'))
    return { kind: 'foreign', sockets, pid: first.kin.pid, command };
  const why = `pid ${first.kin.pid} (${command}) listens there, which may serve for it or not`;
  return { kind: 'doubtful', sockets, why };
}

/** Where sockets cannot be told apart, what is in order is not asked again and again, and what is not is. */
function stands(known: ListenerOwnership, sockets: string): boolean {
  if (known.kind === 'unseen' || known.sockets !== sockets) return false;
  return sockets !== '' || known.kind !== 'foreign';
}

/** The listeners that a connection to the host reaches: those of its own address go before those of any. */
export function answering(listeners: readonly Listener[], host: string, port: number): readonly Listener[] {
  const ofPort = listeners.filter((listener) => listener.port === port);
  const addresses =
    host === 'localhost'
      ? ['127.0.0.1', '::ffff:127.0.0.1', '::1', '0.0.0.0', '::']
      : host.includes(':')
        ? [host, '::']
        : [host, `::ffff:${host}`, '0.0.0.0', '::'];
  for (const address of addresses) {
    const found = ofPort.filter((listener) => listener.address === address);
    if (found.length > 0) return found;
  }
  return [];
}

/** The process, its parent, and so on up to the first that this system shows. */
async function lineage(pid: number): Promise<readonly Kin[]> {
  const ancestors: Kin[] = [];
  // Pids are reused: what began later than its child is not its parent.
  for (let kin = await system.kin(pid); kin !== undefined; kin = await system.kin(kin.parent)) {
    const child = ancestors.at(-1);
    if (child !== undefined && beganBefore(child.start, kin.start)) break;
    ancestors.push(kin);
    if (kin.parent === 0 || kin.parent === kin.pid) break;
  }
  return ancestors;
}
