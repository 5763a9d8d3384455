/**
 * What a person decides where the proof fails (T-9): a receipt shows what would be signalled, and what is done is exactly
 * that, or nothing.
 */
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SkeinError } from '../../errors/index.ts';
import type { ProcessIdentity } from '../identity.ts';
import { system } from '../platform.ts';
import { killGroup } from '../stop.ts';
import { type EndOptions, endsBySignal } from './ending.ts';
import type { Doubt, Member, Verdict } from './judge.ts';
import { type RegistryEntry, readRegistry } from './read.ts';
import type { GroupPurpose, Leader } from './record.ts';
import { removeRecord } from './record-file.ts';
import { stopSignalOf } from './settle.ts';
import { judge, membersGiven, membersOf } from './sighting.ts';

/** Plain data, which a file of JSON gives back as it was. */
export interface RecoveryReceipt {
  /** Number of the process group. */
  readonly group: number;
  /** Absolute path of the record. */
  readonly record: string;
  /** What the record says; `null` as far as it cannot be read. */
  readonly workspaceRoot: string | null;
  readonly purpose: GroupPurpose | null;
  readonly commandLine: string | null;
  /** Milliseconds since the epoch. */
  readonly reservedAt: number | null;
  readonly registrar: ProcessIdentity | null;
  readonly leader: Leader | null;
  /** What comes of the proof. */
  readonly verdict: 'dead' | 'own' | Exclude<Doubt, 'another-machine'>;
  /** What its members get first; those that outlive it are killed. */
  readonly stopSignal: NodeJS.Signals;
  /** Who would be signalled, by pid; nobody where the verdict is `dead`. */
  readonly members: readonly RecoveryMember[];
}

export interface RecoveryMember {
  readonly pid: number;
  readonly start: string;
  readonly command: string;
}

/**
 * What would be done about a group on record. A damaged record is found by its secret.
 * @throws {SkeinError} SK1618 when none is on record; SK1611, SK1613, SK1615
 */
export async function recoveryReceipt(folder: string, group: number): Promise<RecoveryReceipt> {
  const { entry, verdict, members } = await find(folder, group);
  const { file, record } = entry;
  const { reservation } = record;
  const commands = new Map((await system.groupMembers(group)).map(({ pid, command }) => [pid, command]));
  return {
    group,
    record: file,
    workspaceRoot: reservation?.workspaceRoot ?? null,
    purpose: reservation?.purpose ?? null,
    commandLine: reservation?.commandLine ?? null,
    reservedAt: reservation?.reservedAt ?? null,
    registrar: reservation?.registrar ?? null,
    leader: record.is === 'registered' ? record.leader : null,
    verdict,
    stopSignal: stopSignalOf(record),
    members: members
      .map(({ pid, start }) => ({ pid, start, command: commands.get(pid) ?? '' }))
      .toSorted((one, other) => one.pid - other.pid),
  };
}

/**
 * Ends the group if a fresh receipt is what is expected, to the letter; returns when it is dead and its record gone.
 * @param expected a receipt, as a file gave it back
 * @throws {SkeinError} SK1619 when something has changed, and then nothing was signalled; SK1620 when the group outlives
 * SIGKILL; SK1609, SK1611, SK1613 to SK1615, SK1618
 */
export async function recoverGroup(folder: string, expected: unknown, options: EndOptions): Promise<void> {
  const group = groupOf(expected);
  const receipt = await recoveryReceipt(folder, group);
  const changed = differences(receipt, expected as object);
  if (changed.length > 0)
    throw new SkeinError(
      'SK1619',
      `process group ${group} is not what the receipt says any more: ${changed.join(', ')} changed`,
    );
  if (receipt.members.length > 0) await end(receipt, options);
  await conclude(receipt);
}

function differences(receipt: object, expected: object): readonly string[] {
  const [now, then] = [new Map(Object.entries(receipt)), new Map(Object.entries(expected))];
  const keys = new Set([...now.keys(), ...then.keys()]);
  return [...keys].filter((key) => !isDeepStrictEqual(now.get(key), then.get(key)));
}

/** A record that does not say which group it is of goes when nobody has its secret any more. */
async function conclude({ group, record, leader }: RecoveryReceipt): Promise<void> {
  const rest = leader === null ? await membersGiven(basename(record)) : [];
  if (rest.length === 0) return removeRecord(record);
  const others = [...new Set(rest.map((member) => member.group))].join(', ');
  throw new SkeinError(
    'SK1617',
    `process group ${group} has ended, but of its record there is more: ${others}`,
  );
}

function groupOf(expected: unknown): number {
  const group =
    typeof expected === 'object' && expected !== null && 'group' in expected ? expected.group : undefined;
  if (typeof group === 'number' && Number.isSafeInteger(group) && group > 1) return group;
  throw new SkeinError('SK1619', 'this is no receipt of a process group');
}

async function end({ group, stopSignal, members }: RecoveryReceipt, options: EndOptions): Promise<void> {
  if (await endsBySignal(group, stopSignal, options)) return;
  // A group that still has one of its members was never empty, so that its number is its own.
  const before = new Map(members.map(({ pid, start }) => [pid, start]));
  const now = (await system.traces()).filter((trace) => trace.group === group && !trace.isDead);
  if (!now.some(({ pid, start }) => before.get(pid) === start)) return;
  const killed = await killGroup({ pid: group }, options);
  if (killed.outcome !== 'timed-out') return;
  const survivors = killed.survivors.map(({ pid }) => pid).join(', ');
  throw new SkeinError('SK1620', `process group ${group} outlived SIGKILL: ${survivors} may still run`);
}

interface Found {
  readonly entry: RegistryEntry;
  readonly verdict: RecoveryReceipt['verdict'];
  readonly members: readonly Member[];
}

/** The record of what runs under the number, before those of what is dead. */
async function find(folder: string, group: number): Promise<Found> {
  let dead: Found | undefined;
  for (const entry of readRegistry(folder)) {
    const members = await membersOfRecord(entry, group);
    const verdict = members && verdictWord(await judge(entry.record));
    if (members === undefined || verdict === undefined) continue;
    if (verdict !== 'dead') return { entry, verdict, members };
    dead = { entry, verdict, members: [] };
  }
  if (dead !== undefined) return dead;
  throw new SkeinError('SK1618', `no process group ${group} is on record in ${folder}`);
}

/** `undefined` where the record is not of this group. */
async function membersOfRecord(
  { record, secret }: RegistryEntry,
  group: number,
): Promise<readonly Member[] | undefined> {
  if (record.is === 'registered') return record.leader.pid === group ? membersOf(group, secret) : undefined;
  const members = (await membersGiven(secret)).filter((member) => member.group === group);
  return members.length > 0 ? members : undefined;
}

/** `undefined` where a registrar is still at it, or where the number is that of a group on another machine. */
function verdictWord(verdict: Verdict): Found['verdict'] | undefined {
  switch (verdict.is) {
    case 'unproven':
      return verdict.why === 'another-machine' ? undefined : verdict.why;
    case 'own':
    case 'dead':
      return verdict.is;
    default:
      return undefined;
  }
}
