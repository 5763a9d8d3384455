import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  commandText,
  type Leader,
  leaderLine,
  newSecret,
  parseRecord,
  type Reservation,
  reservationLine,
} from './record.ts';

const secret = 'a'.repeat(32);

const reservation: Reservation = {
  secret,
  workspaceRoot: '/w',
  purpose: { kind: 'service', workspace: 'shop', run: 'r1', service: 'shop/api' },
  commandLine: 'node server.js',
  stopSignal: 'SIGINT',
  stopTimeoutMs: null,
  socket: null,
  reservedAt: 1_700_000_000_000,
  registrar: { pid: 10, start: '500', boot: 'b' },
  parent: null,
  machine: 'm',
};

const leader: Leader = { pid: 11, start: '600', boot: 'b' };

const text = fc.string({ unit: 'binary' });
const identity = fc.record({
  pid: fc.integer({ min: 2 }),
  start: fc.string({ minLength: 1 }),
  boot: fc.string({ minLength: 1 }),
});
const reservations: fc.Arbitrary<Reservation> = fc.record({
  secret: fc.constant(secret),
  workspaceRoot: text.map((path) => `/${path.replaceAll('\0', '')}`),
  purpose: fc.oneof(
    fc.record({ kind: fc.constant('service' as const), workspace: text, run: text, service: text }),
    fc.record({ kind: fc.constant('agent' as const), agent: text }),
  ),
  commandLine: text,
  stopSignal: fc.constantFrom('SIGTERM', 'SIGINT', 'SIGQUIT'),
  stopTimeoutMs: fc.option(fc.nat()),
  socket: fc.option(fc.constant('/x/s')),
  reservedAt: fc.integer(),
  registrar: identity,
  parent: fc.option(fc.constant('b'.repeat(32))),
  machine: text,
});
const leaders: fc.Arbitrary<Leader> = identity.chain((whole) =>
  fc.option(fc.constant(whole.start)).map((start) => ({ ...whole, start })),
);

describe('the record of a process group', () => {
  test('T-7 is read as it was written, whatever it says', () => {
    fc.assert(
      fc.property(reservations, leaders, (reserved, led) => {
        expect(parseRecord(reservationLine(reserved), secret)).toEqual({
          is: 'reserved',
          reservation: reserved,
        });
        expect(parseRecord(reservationLine(reserved) + leaderLine(led), secret)).toEqual({
          is: 'registered',
          reservation: reserved,
          leader: led,
        });
      }),
    );
  });

  test('T-8 half-written at any place is damaged, or the reservation alone', () => {
    const whole = reservationLine(reservation) + leaderLine(leader);
    for (let length = 0; length < whole.length; length++) {
      const record = parseRecord(whole.slice(0, length), secret);
      expect(record.is).toBe(length === reservationLine(reservation).length ? 'reserved' : 'damaged');
    }
  });

  test('T-8 is never taken for a group after any damage', () => {
    fc.assert(
      fc.property(text, (garbage) => {
        expect(parseRecord(garbage, secret).is).toBe('damaged');
        expect(parseRecord(`${reservationLine(reservation)}${garbage}`, secret).is).toBe(
          garbage === '' ? 'reserved' : 'damaged',
        );
      }),
    );
  });

  const damages: readonly [what: string, text: string, why: RegExp][] = [
    ['an empty file', '', /last line has no end/],
    ['no JSON', 'pid 12\n', /first line cannot be read/],
    [
      'another name',
      reservationLine({ ...reservation, secret: 'b'.repeat(32) }),
      /first line cannot be read/,
    ],
    ['a newer version', '{"version":2}\n', /of version 2, and this skein reads 1/],
    ['no registrar', reservationLine({ ...reservation, registrar: undefined as never }), /first line/],
    ['an unknown signal', reservationLine({ ...reservation, stopSignal: 'SIGNOT' as never }), /first line/],
    ['a third line', `${reservationLine(reservation)}${leaderLine(leader)}${leaderLine(leader)}`, /follows/],
    ...[0, 1, -1, 1.5, '11', null].map((pid): [string, string, RegExp] => [
      `pid ${pid}`,
      reservationLine(reservation) + leaderLine({ ...leader, pid: pid as number }),
      /what follows its first line/,
    ]),
    ['no boot', reservationLine(reservation) + leaderLine({ ...leader, boot: '' }), /what follows/],
  ];
  test.each(damages)('T-8 with %s is damaged, and says why', (_what, written, why) => {
    expect(parseRecord(written, secret)).toMatchObject({ is: 'damaged', why: expect.stringMatching(why) });
  });

  test('T-8 damaged behind its first line still says whose it is', () => {
    expect(parseRecord(`${reservationLine(reservation)}{"pid":`, secret)).toMatchObject({
      is: 'damaged',
      reservation,
    });
  });
});

test('T-7 secrets are 128 bits, and no two are alike', () => {
  const secrets = Array.from({ length: 1_000 }, newSecret);
  expect(new Set(secrets).size).toBe(1_000);
  expect(secrets.every((one) => /^[0-9a-f]{32}$/.test(one))).toBe(true);
});

test('a command is kept short, and in one line', () => {
  expect(commandText(['sh', '-c', 'a\n  b'])).toBe('sh -c a b');
  expect(commandText(['x'.repeat(5_000)])).toHaveLength(1_000);
});
