import { expect, test } from 'vitest';
import { causeOf } from './cause.ts';

test.each([
  [['src/server.js'], 'src/server.js changed'],
  [['a', 'b'], '2 files changed: a, b'],
  [['a', 'b', 'c'], '3 files changed: a, b, c'],
  [['a', 'b', 'c', 'd'], '4 files changed: a, b, c …'],
])('F-15 the cause of a change of %j', (files, cause) => {
  expect(causeOf(files)).toBe(cause);
});
