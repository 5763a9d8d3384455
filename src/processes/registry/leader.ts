/** A group that is known by its leader, as an agent names it: whether it is on record, and its end. */
import { join } from 'node:path';
import { SkeinError } from '../../errors/index.ts';
import { bootIdentity, isSameProcess, type ProcessIdentity } from '../identity.ts';
import { system } from '../platform.ts';
import { killGroup } from '../stop.ts';
import type { EndOptions } from './ending.ts';
import { settlementFault } from './faults.ts';
import { isRegistryFolder } from './folder.ts';
import { namesIn, type RegistryEntry, readEntry, readRegistry } from './read.ts';
import { isSecret } from './record.ts';
import { settle } from './settle.ts';

/** Knows the leaders on record; a record that is complete does not change, and is read once. */
export class LeadersOnRecord {
  readonly #folder: string;
  readonly #leaders = new Map<string, ProcessIdentity>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws {SkeinError} SK1613, SK1615 */
  has(leader: ProcessIdentity): boolean {
    const names = isRegistryFolder(this.#folder) ? namesIn(this.#folder).filter(isSecret) : [];
    for (const name of names) if (!this.#leaders.has(name)) this.#read(name);
    return names.some((name) => isSameProcess(leader, this.#leaders.get(name)));
  }

  #read(secret: string): void {
    const record = readEntry(join(this.#folder, secret), secret)?.record;
    if (record?.is !== 'registered') return;
    const { pid, start, boot } = record.leader;
    if (start !== null) this.#leaders.set(secret, { pid, start, boot });
  }
}

/**
 * SIGKILL to the group of this leader where that is proven, and the check that it is gone: by its record, which knows also
 * what is left of a group without its leader; without a record by the living leader alone.
 * @returns why it may still run; `undefined` where it is proven dead, with its record gone
 * @throws {SkeinError} SK1609, SK1611, SK1613, SK1615
 */
export async function killLedBy(
  folder: string,
  leader: ProcessIdentity,
  options: Pick<EndOptions, 'abort'>,
): Promise<SkeinError | undefined> {
  const entries = readRegistry(folder).filter((entry) => isOf(entry, leader));
  if (entries.length === 0) return killUnrecorded(leader, options);
  const settlements = await settle([entries], { timeoutMs: 0, ...options });
  return settlements.flatMap((settlement) => settlementFault(settlement) ?? [])[0];
}

async function killUnrecorded(
  leader: ProcessIdentity,
  options: Pick<EndOptions, 'abort'>,
): Promise<SkeinError | undefined> {
  const { pid, start } = leader;
  const [found, boot] = await Promise.all([system.trace(pid), bootIdentity()]);
  const isLeader = found !== undefined && isSameProcess(leader, { pid, start: found.start, boot });
  // Another process has this number now, so the group that had it is gone. An agent that named no start proves nothing.
  if (found !== undefined && !isLeader && start !== '') return undefined;
  if (!isLeader && (await system.groupMembers(pid)).length === 0) return undefined;
  if (!isLeader)
    return new SkeinError(
      'SK1617',
      `process group ${pid} is left running: nothing proves that it is the one that was meant`,
    );
  const killed = await killGroup({ pid }, options);
  if (killed.outcome !== 'timed-out') return undefined;
  const survivors = killed.survivors.map((member) => member.pid).join(', ');
  return new SkeinError('SK1620', `process group ${pid} outlived SIGKILL: ${survivors} may still run`);
}

function isOf({ record }: RegistryEntry, leader: ProcessIdentity): boolean {
  if (record.is !== 'registered') return false;
  const { pid, start, boot } = record.leader;
  return start !== null && isSameProcess(leader, { pid, start, boot });
}
