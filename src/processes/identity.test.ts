import { expect, test } from 'vitest';
import { beganBefore, isSameProcess } from './identity.ts';

const recorded = { pid: 7, start: '100', boot: 'b' };

test.each([
  ['the same', { pid: 7, start: '100', boot: 'b' }, true],
  ['gone', undefined, false],
  ['another one with its pid', { pid: 7, start: '200', boot: 'b' }, false],
  ['one of another boot with equal ticks', { pid: 7, start: '100', boot: 'c' }, false],
  ['another pid', { pid: 8, start: '100', boot: 'b' }, false],
])('T-7 a process is proven by all parts of its identity: %s', (_title, found, same) => {
  expect(isSameProcess(recorded, found)).toBe(same);
});

test.each([
  ['99', '100', true],
  ['100', '100', false],
  ['101', '100', false],
  ['98765432109876543210', '98765432109876543211', true],
  ['Mon Jan  5 09:12:44 2026', 'Mon Jan 12 09:12:43 2026', true],
  ['Mon Jan 12 09:12:44 2026', 'Mon Jan 12 09:12:44 2026', false],
  ['', '100', true],
  ['Mon Jan 12 09:12:44 2026', '100', true],
  ['3000', 'Mon Jan 12 09:12:44 2026', true],
  ['no date', 'Mon Jan 12 09:12:44 2026', true],
])('T-7 %j began before %j: %s', (start, other, before) => {
  expect(beganBefore(start, other)).toBe(before);
});
