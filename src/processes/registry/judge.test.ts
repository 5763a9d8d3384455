import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type GroupSighting,
  judgeRegistered,
  judgeReserved,
  type Member,
  type ReservedSighting,
  type Verdict,
} from './judge.ts';
import type { Leader, Reservation } from './record.ts';

const reservation: Reservation = {
  secret: 'a'.repeat(32),
  workspaceRoot: '/w',
  purpose: { kind: 'service', workspace: 'shop', run: 'r1', service: 'shop/api' },
  commandLine: 'node server.js',
  stopSignal: 'SIGTERM',
  stopTimeoutMs: null,
  socket: null,
  reservedAt: 0,
  registrar: { pid: 10, start: '500', boot: 'boot' },
  parent: null,
  machine: 'machine',
};
const leader: Leader = { pid: 100, start: '600', boot: 'boot' };
const here = { boot: 'boot', machine: 'machine' };

/** A member of the group that is left of ours, but for `changes`. */
const member = (changes: Partial<Member> = {}): Member => ({
  ...{ pid: 101, group: 100, session: 100, start: '700', isGiven: true },
  ...changes,
});

const alive = { start: '600', isDead: false };
const zombie = { start: '600', isDead: true };
const own: Verdict = { is: 'own', group: 100 };
const dead: Verdict = { is: 'dead' };
const unproven = (why: string): object => ({ is: 'unproven', why });

type Seen = Partial<GroupSighting>;

describe('T-7 a registered group', () => {
  const cases: readonly [what: string, seen: Seen, verdict: object][] = [
    ['with its leader is ours', { leader: alive }, own],
    ['of which nothing is there is dead', {}, dead],
    ["with a stranger on the leader's pid is dead", { leader: { start: '601', isDead: false } }, dead],
    ['with a dead stranger there is dead too', { leader: { start: '601', isDead: true } }, dead],
    [
      'is dead where a stranger and his group have its number',
      { leader: { start: '601', isDead: false }, members: [member({ isGiven: false })] },
      dead,
    ],
    ['of which a zombie is left is dead', { leader: zombie }, dead],
    [
      'whose zombie still has a group is ours',
      { leader: zombie, members: [member({ isGiven: false })] },
      own,
    ],
    ['without a leader is ours by session, time and secret', { members: [member()] }, own],
    [
      'without a leader is ours if one of its members still shows the secret',
      { members: [member({ isGiven: false }), member({ pid: 102 })] },
      own,
    ],
    ['whose rest began with the leader is ours', { members: [member({ start: '600' })] }, own],
    [
      'whose rest began before the leader is not',
      { members: [member({ start: '599' })] },
      unproven('leaderless'),
    ],
    ['whose rest has no secret is not', { members: [member({ isGiven: false })] }, unproven('leaderless')],
    [
      'whose rest is in another session is not',
      { members: [member(), member({ session: 50 })] },
      unproven('leaderless'),
    ],
    [
      'whose sessions cannot be told is not',
      { members: [member({ session: undefined })] },
      unproven('leaderless'),
    ],
  ];
  test.each(cases)('%s', (_what, seen, verdict) => {
    expect(judgeRegistered(reservation, leader, { here, leader: undefined, members: [], ...seen })).toEqual(
      verdict,
    );
  });

  const boots: readonly [what: string, seen: Seen, verdict: object][] = [
    ['with the same start is unproven', { leader: alive }, unproven('another-boot')],
    [
      'with the same zombie and its group is unproven',
      { leader: zombie, members: [member()] },
      unproven('another-boot'),
    ],
    ['with the same zombie alone is dead', { leader: zombie }, dead],
    ['with another start is dead', { leader: { start: '601', isDead: false } }, dead],
    ['of which nothing is there is dead', {}, dead],
    ['whose secret is still there is unproven', { members: [member()] }, unproven('another-boot')],
    ['with a foreign group of its number is dead', { members: [member({ isGiven: false })] }, dead],
  ];
  test.each(boots)('T-8 of another boot %s', (_what, seen, verdict) => {
    const now = { boot: 'later', machine: 'machine' };
    expect(
      judgeRegistered(reservation, leader, { here: now, leader: undefined, members: [], ...seen }),
    ).toEqual(verdict);
  });

  test.each([
    ['another machine', 'other', unproven('another-machine')],
    ['a machine without a name', '', dead],
  ])('T-8 of which nothing is there, seen from %s', (_what, machine, verdict) => {
    const sighting = { here: { boot: 'later', machine }, leader: undefined, members: [] };
    expect(judgeRegistered(reservation, leader, sighting)).toEqual(verdict);
  });

  test.each([
    ['and its number is free, by what is left of it', { members: [member({ start: '500' })] }, own],
    ['and its number is taken, is dead', { leader: alive }, dead],
  ])('whose leader had ended before it was looked at, %s', (_what, seen: Seen, verdict) => {
    const unseen = { ...leader, start: null };
    expect(judgeRegistered(reservation, unseen, { here, leader: undefined, members: [], ...seen })).toEqual(
      verdict,
    );
  });
});

describe('T-7 a reservation', () => {
  const cases: readonly [what: string, seen: Partial<ReservedSighting>, verdict: object][] = [
    [
      'of a living registrar is left alone',
      { isRegistrarAlive: true, members: [member()] },
      { is: 'starting' },
    ],
    ['of a dead one is dead when nobody has the secret', {}, dead],
    ['of one that died a moment ago is looked at again', { ageMs: 1_000 }, { is: 'emerging' }],
    ['that the clock puts into the future is not waited for', { ageMs: -1_000 }, dead],
    ['is ours where one group has the secret', { members: [member()] }, own],
    ['is ours at once, however young', { ageMs: 1, members: [member()] }, own],
    [
      'is unproven where two have',
      { members: [member(), member({ pid: 9, group: 9, session: 9 })] },
      unproven('scattered'),
    ],
    [
      'is unproven where the group leads no session',
      { members: [member({ session: 50 })] },
      unproven('scattered'),
    ],
    [
      'is unproven where it began before its registrar',
      { members: [member({ start: '499' })] },
      unproven('scattered'),
    ],
    ['of another boot is dead', { here: { boot: 'later', machine: 'machine' } }, dead],
    [
      'of another boot whose secret is there is unproven',
      { here: { boot: 'later', machine: 'machine' }, members: [member()] },
      unproven('another-boot'),
    ],
    [
      'of another machine is unproven',
      { here: { boot: 'later', machine: 'other' }, isRegistrarAlive: true },
      unproven('another-machine'),
    ],
  ];
  test.each(cases)('%s', (_what, seen, verdict) => {
    const nothing = { here, isRegistrarAlive: false, ageMs: 60_000, members: [] };
    expect(judgeReserved(reservation, { ...nothing, ...seen })).toEqual(verdict);
  });
});

describe('T-7 whatever is seen', () => {
  const start = fc.constantFrom('400', '500', '599', '600', '601', '1000', 'Mon Jan  5 10:00:00 2026', '');
  const members = fc.array(
    fc.record({
      pid: fc.integer({ min: 2, max: 200 }),
      group: fc.constantFrom(100, 9),
      session: fc.constantFrom(100, 9, undefined),
      start,
      isGiven: fc.boolean(),
    }),
    { maxLength: 4 },
  );
  const where = fc.record({
    boot: fc.constantFrom('boot', 'later'),
    machine: fc.constantFrom('machine', 'other', ''),
  });
  const found = fc.option(fc.record({ start, isDead: fc.boolean() }), { nil: undefined });
  const group: fc.Arbitrary<GroupSighting> = fc.record({
    here: where,
    leader: found,
    members: members.map((some) => some.map((one) => ({ ...one, group: 100 }))),
  });
  const reserved: fc.Arbitrary<ReservedSighting> = fc.record({
    here: where,
    isRegistrarAlive: fc.boolean(),
    ageMs: fc.integer({ min: -10_000, max: 100_000 }),
    members,
  });
  const runs = { numRuns: 2_000 };

  test('a process with another start is never ours', () => {
    fc.assert(
      fc.property(group, (sighting) => {
        if (sighting.leader === undefined || sighting.leader.start === leader.start) return;
        expect(judgeRegistered(reservation, leader, sighting).is).not.toBe('own');
      }),
      runs,
    );
  });

  test('nothing of another boot is ever ours, and nothing that may be ours is dead', () => {
    fc.assert(
      fc.property(group, reserved, (sighting, seen) => {
        const later = { boot: 'later', machine: 'machine' };
        const verdict = judgeRegistered(reservation, leader, { ...sighting, here: later });
        const [isSame, isAlive] = [
          sighting.leader?.start === leader.start,
          sighting.leader?.isDead === false,
        ];
        expect(verdict.is).not.toBe('own');
        if (isSame && isAlive) expect(verdict.is).not.toBe('dead');
        expect(judgeReserved(reservation, { ...seen, here: later }).is).not.toBe('own');
      }),
      runs,
    );
  });

  test('without a leader exactly that is ours which has the secret, the session, and did not begin earlier', () => {
    fc.assert(
      fc.property(group, (sighting) => {
        const { here: now, members: some } = sighting;
        const isRest = some.every((one) => one.session === 100 && Number(one.start) >= 600);
        const isOurs = now.boot === 'boot' && isRest && some.some(({ isGiven }) => isGiven);
        const verdict = judgeRegistered(reservation, leader, { ...sighting, leader: undefined });
        expect(verdict.is === 'own').toBe(isOurs);
      }),
      runs,
    );
  });

  test('a group is dead only where nobody in it has the secret, or its number is a stranger’s', () => {
    fc.assert(
      fc.property(group, (sighting) => {
        const { leader: there, members: some } = sighting;
        if (judgeRegistered(reservation, leader, sighting).is !== 'dead') return;
        const isStranger = there !== undefined && there.start !== leader.start;
        expect(isStranger || (there?.isDead ?? true)).toBe(true);
        expect(isStranger || !some.some(({ isGiven }) => isGiven)).toBe(true);
      }),
      runs,
    );
  });

  test('a reservation is dead only where nobody has its secret, and ours only as one group of a dead registrar', () => {
    fc.assert(
      fc.property(reserved, (sighting) => {
        const verdict = judgeReserved(reservation, sighting);
        if (verdict.is === 'dead') expect(sighting.members).toEqual([]);
        if (verdict.is !== 'own') return;
        expect(sighting.isRegistrarAlive).toBe(false);
        expect(new Set(sighting.members.map((one) => one.group))).toEqual(new Set([verdict.group]));
        expect(sighting.members.every(({ session }) => session === verdict.group)).toBe(true);
      }),
      runs,
    );
  });
});
