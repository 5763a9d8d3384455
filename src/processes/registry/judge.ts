/**
 * Whether what a record speaks of is still there and provably ours (T-7): a decision over the record and what the system
 * says now. A process is proven by when it began and in which boot, never by its name, its path or its number alone.
 *
 * While a group has members, or a zombie for a leader, the system gives its number to no other process. So a leader with
 * another start proves that the group is gone. A group without a leader can be ours, or that of a stranger who had the
 * number after it and is gone too; then its session and its secret decide.
 */
import { beganBefore, type ProcessIdentity } from '../identity.ts';
import type { Leader, Reservation } from './record.ts';

export type Verdict =
  /** Nothing of it is there. */
  | { readonly is: 'dead' }
  /** Proven; `group` is its number. */
  | { readonly is: 'own'; readonly group: number }
  /** A living registrar is about to start it. */
  | { readonly is: 'starting' }
  /** Its registrar was killed a moment ago: what it may have started cannot be recognised yet. */
  | { readonly is: 'emerging' }
  | { readonly is: 'unproven'; readonly why: Doubt };

export type Doubt =
  /** The numbers and the start are right, and the boot is another: it may be told in other words than before. */
  | 'another-boot'
  /** The record was made on another machine that shares the folder. */
  | 'another-machine'
  /** The leader is gone, and what has its number is not proven to be its rest. */
  | 'leaderless'
  /** Processes with its secret are there, and not in one group that leads its session. */
  | 'scattered'
  | 'damaged';

/** This boot of this machine. */
export interface Here {
  readonly boot: string;
  readonly machine: string;
}

/** A process that is not dead. */
export interface Member {
  readonly pid: number;
  readonly group: number;
  readonly session: number | undefined;
  readonly start: string;
  /** Whether it was given the record's secret. */
  readonly isGiven: boolean;
}

/** What is there under the number of a registered group. */
export interface GroupSighting {
  readonly here: Here;
  /** The process with the leader's pid, whoever it is. */
  readonly leader: { readonly start: string; readonly isDead: boolean } | undefined;
  /** Of the group with this number; only looked for where no living process has it. */
  readonly members: readonly Member[];
}

/** What is there of a group that its registrar did not come to name. */
export interface ReservedSighting {
  readonly here: Here;
  readonly isRegistrarAlive: boolean;
  /** Milliseconds since the reservation, by a clock that may have been set. */
  readonly ageMs: number;
  /** Everybody who was given the secret, and the other members of their groups. */
  readonly members: readonly Member[];
}

/** A process that is being forked shows its parent's environment until it executes its program. */
const emergingMs = 2_000;

export function judgeRegistered(reservation: Reservation, leader: Leader, sighting: GroupSighting): Verdict {
  const { here, leader: found, members } = sighting;
  const isSameStart = found !== undefined && found.start === leader.start;
  const isThere = found?.isDead === false || members.length > 0;
  if (here.boot !== leader.boot) {
    const isPerhapsOurs = isSameStart ? isThere : members.some(({ isGiven }) => isGiven);
    return isPerhapsOurs ? unproven('another-boot') : elsewhere(reservation.machine, here);
  }
  if (found !== undefined) return isSameStart && isThere ? { is: 'own', group: leader.pid } : dead;
  if (members.length === 0) return dead;
  const earliest = leader.start ?? reservation.registrar.start;
  return isOneSession(leader.pid, members, earliest)
    ? { is: 'own', group: leader.pid }
    : unproven('leaderless');
}

export function judgeReserved({ registrar, machine }: Reservation, sighting: ReservedSighting): Verdict {
  const { here, isRegistrarAlive, ageMs, members } = sighting;
  if (here.boot !== registrar.boot)
    return members.length > 0 ? unproven('another-boot') : elsewhere(machine, here);
  if (isRegistrarAlive) return { is: 'starting' };
  const [group, ...others] = new Set(members.map((member) => member.group));
  if (group === undefined) return ageMs >= 0 && ageMs < emergingMs ? { is: 'emerging' } : dead;
  return others.length === 0 && isOneSession(group, members, registrar.start)
    ? { is: 'own', group }
    : unproven('scattered');
}

/** Whether they are what is left of the group of a process that led a session, had the secret, and began then or later. */
function isOneSession(
  group: number,
  members: readonly Member[],
  earliest: ProcessIdentity['start'],
): boolean {
  return (
    members.every(({ session, start }) => session === group && !beganBefore(start, earliest)) &&
    members.some(({ isGiven }) => isGiven)
  );
}

/** Nothing of it is here: then it is over, unless it is at home somewhere else. */
function elsewhere(machine: string, here: Here): Verdict {
  const isElsewhere = machine !== '' && here.machine !== '' && machine !== here.machine;
  return isElsewhere ? unproven('another-machine') : dead;
}

const dead: Verdict = { is: 'dead' };

function unproven(why: Doubt): Verdict {
  return { is: 'unproven', why };
}
