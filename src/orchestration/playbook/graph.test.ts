import { expect, test } from 'vitest';
import { graphOf } from './engine-fixture.ts';

test('W-9 a cycle that the reader let through is named', () => {
  expect(() => graphOf({ a: ['b'], b: ['a'], c: [] })).toThrow(/a → b|b → a/);
});
