/**
 * Stops what records prove to be ours, and takes away the records of what is dead (T-8). What cannot be proven is left
 * running, with its record, and told; it does not keep the others from being stopped.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { SkeinError } from '../../errors/index.ts';
import { killGroup } from '../stop.ts';
import type { GroupMember } from '../system.ts';
import { type EndOptions, endsBySignal } from './ending.ts';
import type { Doubt, Verdict } from './judge.ts';
import { type RegistryEntry, readEntry } from './read.ts';
import type { GroupRecord } from './record.ts';
import { removeRecord } from './record-file.ts';
import { judge, membersGiven } from './sighting.ts';
import { removeSocket } from './socket.ts';
import { suspectsGiven } from './strays.ts';

/** What became of a record and its group. */
export type Settlement = { readonly entry: RegistryEntry } & (
  | {
      /** Of these three no record remains; `gone`: there was nothing to stop. */
      readonly outcome: 'gone' | 'stopped' | 'forced';
    }
  | {
      /** Killed, and not gone: it may still run. */
      readonly outcome: 'timed-out';
      readonly group: number;
      readonly survivors: readonly GroupMember[];
    }
  | {
      /** The group is gone, and the record stays for those that have its secret and left it: they are not proven (T-7). */
      readonly outcome: 'strayed';
      readonly strays: readonly GroupMember[];
    }
  | {
      /** Its registrar lives and is about to start it: left to that. */
      readonly outcome: 'starting';
    }
  | {
      readonly outcome: 'unproven';
      readonly why: Doubt;
      /** Numbers of what may be it; none where nothing has its secret. */
      readonly groups: readonly number[];
    }
  | {
      /** The system stood in the way: it may still run. */
      readonly outcome: 'failed';
      readonly error: SkeinError;
    }
);

/** How often one that is emerging is looked at. */
const lookMs = 50;

/**
 * Layer after layer, those of a layer at once; the caller has put them into the order of the teardown (T-1).
 * @returns one settlement for each entry, in their order; the reason of `abort` is thrown
 */
export async function settle(
  layers: readonly (readonly RegistryEntry[])[],
  options: EndOptions,
): Promise<readonly Settlement[]> {
  const settlements: Settlement[] = [];
  for (const layer of layers)
    settlements.push(...(await Promise.all(layer.map((entry) => settleEntry(entry, options)))));
  return settlements;
}

async function settleEntry(listed: RegistryEntry, options: EndOptions): Promise<Settlement> {
  try {
    // Its registrar may have finished or settled it since it was listed.
    const entry = readEntry(listed.file, listed.secret);
    return entry === undefined ? { entry: listed, outcome: 'gone' } : await settleNow(entry, options);
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    return { entry: listed, outcome: 'failed', error };
  }
}

async function settleNow(entry: RegistryEntry, options: EndOptions): Promise<Settlement> {
  const verdict = await judgeEmerged(entry.record, options.abort);
  switch (verdict.is) {
    case 'dead':
      return over(entry, 'gone');
    case 'starting':
      return { entry, outcome: 'starting' };
    case 'unproven':
      return unproven(entry, verdict.why);
    case 'own':
      return (await endsBySignal(verdict.group, stopSignalOf(entry.record), limited(entry.record, options)))
        ? over(entry, 'stopped')
        : killOwn(entry, options);
  }
}

async function judgeEmerged(
  record: GroupRecord,
  abort: AbortSignal | undefined,
): Promise<Exclude<Verdict, { is: 'emerging' }>> {
  for (;;) {
    abort?.throwIfAborted();
    const verdict = await judge(record);
    if (verdict.is !== 'emerging') return verdict;
    await pause(lookMs);
  }
}

/** With the time that has passed, the group may be gone and its number a stranger's: it is proven afresh. */
async function killOwn(entry: RegistryEntry, options: EndOptions): Promise<Settlement> {
  const verdict = await judge(entry.record);
  if (verdict.is === 'unproven') return unproven(entry, verdict.why);
  if (verdict.is !== 'own') return over(entry, 'stopped');
  const killed = await killGroup({ pid: verdict.group }, options);
  return killed.outcome === 'timed-out'
    ? { entry, ...killed, group: verdict.group }
    : over(entry, killed.outcome);
}

async function unproven(entry: RegistryEntry, why: Doubt): Promise<Settlement> {
  return { entry, outcome: 'unproven', why, groups: await groupsOf(entry) };
}

/** Where the record does not say the number, the secret leads to it. */
async function groupsOf({ record, secret }: RegistryEntry): Promise<readonly number[]> {
  if (record.is === 'registered') return [record.leader.pid];
  return [...new Set((await membersGiven(secret)).map(({ group }) => group))];
}

async function over(entry: RegistryEntry, outcome: 'gone' | 'stopped' | 'forced'): Promise<Settlement> {
  const strays = await suspectsGiven(entry.secret);
  if (strays.length > 0) return { entry, outcome: 'strayed', strays };
  removeSocket(entry.record.reservation?.socket ?? null);
  removeRecord(entry.file);
  return { entry, outcome };
}

/** Its own `stop-timeout` is a group's, whatever the others take (T-2). */
function limited({ reservation }: GroupRecord, options: EndOptions): EndOptions {
  if (options.timeoutMs <= 0) return options;
  return { ...options, timeoutMs: reservation?.stopTimeoutMs ?? options.timeoutMs };
}

/** What asks a group on record to end. */
export function stopSignalOf({ reservation }: GroupRecord): NodeJS.Signals {
  return reservation?.stopSignal ?? 'SIGTERM';
}
