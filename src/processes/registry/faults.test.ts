import { expect, test } from 'vitest';
import { SkeinError } from '../../errors/index.ts';
import { settlementFault } from './faults.ts';
import type { RegistryEntry } from './read.ts';
import type { Reservation } from './record.ts';
import type { Settlement } from './settle.ts';

const reservation: Reservation = {
  secret: 'd'.repeat(32),
  workspaceRoot: '/w',
  purpose: { kind: 'service', workspace: 'shop', run: 'r1', service: 'shop/api' },
  commandLine: 'node server.js',
  stopSignal: 'SIGTERM',
  stopTimeoutMs: null,
  socket: null,
  reservedAt: 1,
  registrar: { pid: 10, start: '500', boot: 'b' },
  parent: null,
  machine: 'm',
};
const entryOf = (record: RegistryEntry['record']): RegistryEntry => ({
  ...{ file: '/r/dd', secret: reservation.secret, record },
});
const entry = entryOf({ is: 'registered', reservation, leader: { pid: 4242, start: '600', boot: 'b' } });
const reserved = entryOf({
  is: 'reserved',
  reservation: { ...reservation, purpose: { kind: 'agent', agent: 'skein/process' } },
});
const damaged = entryOf({ is: 'damaged', why: 'its last line has no end', reservation: undefined });
const refused = new SkeinError('SK1609', 'not yours');

test.each<[Settlement, string | undefined, RegExp?, RegExp?]>([
  [{ entry, outcome: 'gone' }, undefined],
  [{ entry, outcome: 'stopped' }, undefined],
  [{ entry, outcome: 'forced' }, undefined],
  [{ entry, outcome: 'starting' }, undefined],
  [{ entry, outcome: 'failed', error: refused }, 'SK1609'],
  [
    { entry, outcome: 'timed-out', group: 4242, survivors: [{ pid: 4243, command: 'x' }] },
    'SK1620',
    /^process group 4242 \(shop\/api\) outlived SIGKILL: 4243 may still run$/,
  ],
  [
    { entry, outcome: 'unproven', why: 'another-boot', groups: [4242] },
    'SK1617',
    /^process group 4242 \(shop\/api\) is left running: it began as its record says, but in another boot/,
    /skein recover process-group 4242 --preview/,
  ],
  [
    { entry, outcome: 'unproven', why: 'leaderless', groups: [4242] },
    'SK1617',
    /first process is gone/,
    /process-group 4242/,
  ],
  [
    { entry: reserved, outcome: 'unproven', why: 'scattered', groups: [71, 72] },
    'SK1617',
    /^a process group \(agent skein\/process\)/,
    /process-group 71 --preview` and `skein recover process-group 72 --preview`/,
  ],
  [
    { entry, outcome: 'unproven', why: 'another-machine', groups: [4242] },
    'SK1617',
    /\/r\/dd was written on/,
    /remove the file/,
  ],
  [
    { entry: damaged, outcome: 'unproven', why: 'damaged', groups: [] },
    'SK1616',
    /^a process group is left alone: \/r\/dd is damaged, for its last line has no end$/,
    /^that of its code$/,
  ],
  [
    { entry: damaged, outcome: 'unproven', why: 'damaged', groups: [71] },
    'SK1616',
    /\/r\/dd is damaged/,
    /^See `skein recover process-group 71 --preview`\.$/,
  ],
])('T-8 what may still run is told: %#', (settlement, code, message = /./, remedy = /./) => {
  const fault = settlementFault(settlement);
  expect(fault?.code).toBe(code);
  if (fault === undefined) return;
  expect(fault.message).toMatch(message);
  expect(fault.remedy ?? 'that of its code').toMatch(remedy);
});
