import { expect, test } from 'vitest';
import { isSameProcess } from './identity.ts';

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
