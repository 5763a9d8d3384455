import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { leaderLine, type Reservation, reservationLine } from './record.ts';
import { isForsakenDraft, RecordFile, removeRecord } from './record-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rc-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const secret = 'c'.repeat(32);
const reservation: Reservation = {
  secret,
  workspaceRoot: '/w',
  purpose: { kind: 'agent', agent: 'test/agent' },
  commandLine: 'agent',
  stopSignal: 'SIGTERM',
  stopTimeoutMs: null,
  socket: null,
  reservedAt: 1,
  registrar: { pid: 10, start: '500', boot: 'b' },
  parent: null,
  machine: '',
};
const leader = { pid: 11, start: '600', boot: 'b' };

const faulty = (says: RegExp): unknown =>
  expect.objectContaining({ code: 'SK1614', message: expect.stringMatching(says) });

describe('T-7 the file of a record', () => {
  test('is for this user alone, has one line and then two, and nothing beside it', () => {
    const file = RecordFile.reserve(folder, reservation);
    const path = join(folder, secret);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toBe(reservationLine(reservation));
    file.complete(leader);
    expect(readFileSync(path, 'utf8')).toBe(reservationLine(reservation) + leaderLine(leader));
    expect(readdirSync(folder)).toEqual([secret]);
    file.remove();
    file.remove();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('cannot be made in what is no folder, and leaves nothing there', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => RecordFile.reserve(join(folder, 'file'), reservation)).toThrow(faulty(/nothing is started/));
    expect(() => RecordFile.reserve(join(folder, 'none'), reservation)).toThrow(faulty(/ENOENT/));
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test('leaves no draft where it cannot take its place', () => {
    mkdirSync(join(folder, secret));
    expect(() => RecordFile.reserve(folder, reservation)).toThrow(faulty(/EISDIR/));
    expect(readdirSync(folder)).toEqual([secret]);
  });

  test('is not made again when it was taken away', () => {
    const file = RecordFile.reserve(folder, reservation);
    rmSync(join(folder, secret));
    expect(() => file.complete(leader)).toThrow(faulty(/ENOENT/));
    expect(existsSync(join(folder, secret))).toBe(false);
  });

  test('says where it cannot be removed', () => {
    mkdirSync(join(folder, secret));
    expect(() => removeRecord(join(folder, secret))).toThrow(faulty(/cannot be removed/));
  });
});

test.each([
  [`${secret}.999999999.draft`, true],
  [`${secret}.${process.pid}.draft`, false],
  [`${secret}.draft`, false],
  [secret, false],
  ['notes.999999999.draft', false],
])('T-10 the draft %s is forsaken: %s', (name, forsaken) => {
  expect(isForsakenDraft(name)).toBe(forsaken);
});
