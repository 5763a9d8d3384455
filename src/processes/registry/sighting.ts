/** What the system says now of the group that a record speaks of, and the judgement of it. */
import { bootIdentity, isStillRunning } from '../identity.ts';
import { system } from '../platform.ts';
import type { ProcessTrace } from '../system.ts';
import {
  type GroupSighting,
  type Here,
  judgeRegistered,
  judgeReserved,
  type Member,
  type ReservedSighting,
  type Verdict,
} from './judge.ts';
import { type GroupRecord, type Leader, PROCESS_GROUP_VARIABLE, type Reservation } from './record.ts';

/** @throws {SkeinError} SK1611 */
export async function judge(record: GroupRecord): Promise<Verdict> {
  switch (record.is) {
    case 'registered':
      return judgeRegistered(
        record.reservation,
        record.leader,
        await sightGroup(record.leader, record.reservation),
      );
    case 'reserved':
      return judgeReserved(record.reservation, await sightReserved(record.reservation));
    case 'damaged':
      return { is: 'unproven', why: 'damaged' };
  }
}

/**
 * The living members of the groups in which a process was given the secret.
 * @throws {SkeinError} SK1611
 */
export async function membersGiven(secret: string): Promise<readonly Member[]> {
  const given = await system.givenVariable(PROCESS_GROUP_VARIABLE, secret);
  if (given.size === 0) return [];
  const living = await livingTraces();
  const groups = new Set(living.filter(({ pid }) => given.has(pid)).map(({ group }) => group));
  return asMembers(
    living.filter(({ group }) => groups.has(group)),
    given,
  );
}

/**
 * The living members of one group.
 * @throws {SkeinError} SK1611
 */
export async function membersOf(group: number, secret: string): Promise<readonly Member[]> {
  const members = (await livingTraces()).filter((trace) => trace.group === group);
  if (members.length === 0) return [];
  return asMembers(members, await system.givenVariable(PROCESS_GROUP_VARIABLE, secret));
}

async function sightGroup({ pid }: Leader, { secret }: Reservation): Promise<GroupSighting> {
  const [where, leader] = await Promise.all([here(), system.trace(pid)]);
  const isAnswered = leader?.isDead === false;
  return { here: where, leader, members: isAnswered ? [] : await membersOf(pid, secret) };
}

async function sightReserved({ registrar, secret, reservedAt }: Reservation): Promise<ReservedSighting> {
  const isRegistrarAlive = await isStillRunning(registrar);
  return {
    here: await here(),
    isRegistrarAlive,
    ageMs: Date.now() - reservedAt,
    members: isRegistrarAlive ? [] : await membersGiven(secret),
  };
}

async function here(): Promise<Here> {
  const [boot, machine] = await Promise.all([bootIdentity(), system.machineIdentity()]);
  return { boot, machine };
}

async function livingTraces(): Promise<readonly ProcessTrace[]> {
  return (await system.traces()).filter(({ isDead }) => !isDead);
}

function asMembers(traces: readonly ProcessTrace[], given: ReadonlySet<number>): Promise<readonly Member[]> {
  return Promise.all(
    traces.map(async ({ pid, group, start }) => ({
      ...{ pid, group, start },
      session: await system.session(pid),
      isGiven: given.has(pid),
    })),
  );
}
