import { expect, test } from 'vitest';
import { satisfies } from './range.ts';

test.each([
  ['1.2.3', 'latest', true],
  ['1.2.3', '1', true],
  ['2.0.0', '1', false],
  ['1.2.3', '1.2', true],
  ['1.3.0', '1.2', false],
  ['1.2.3', '1.2.x', true],
  ['1.2.3', '^1.2', true],
  ['1.9.0', '^1.2.3', true],
  ['1.2.2', '^1.2.3', false],
  ['2.0.0', '^1.2.3', false],
  ['0.3.0', '^0.2.1', false],
  ['0.2.9', '^0.2.1', true],
  ['1.2.9', '~1.2.3', true],
  ['1.3.0', '~1.2.3', false],
  ['3.0.0', '>=1.2', true],
  ['1.2.3-rc.1', '1.2', false],
  ['1.2.3-rc.1', '1.2.3-rc.1', true],
  ['1.2.3', '1.2.3-rc.1', false],
  ['nightly', 'nightly', true],
  ['nightly', '1', false],
  ['1.2.3', 'one', undefined],
])('A-13 version %s in range %s: %s', (version, range, expected) => {
  expect(satisfies(version, range)).toBe(expected);
});
