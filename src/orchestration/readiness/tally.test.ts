import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isExhausted, newTally, type Tally, tallied } from './tally.ts';

const outcomes = fc.array(fc.boolean(), { maxLength: 60 });
const thresholds = fc.record({
  successes: fc.integer({ min: 1, max: 5 }),
  failures: fc.integer({ min: 1, max: 5 }),
});

/** The last `count` outcomes are all of this kind. */
const inARow = (seen: readonly boolean[], ok: boolean, count: number): boolean =>
  seen.length >= count && seen.slice(-count).every((outcome) => outcome === ok);

test('R-4 it holds after so many successes in a row and no fewer, and until so many failures in a row', () => {
  fc.assert(
    fc.property(outcomes, thresholds, fc.boolean(), (sequence, limits, holdsAtFirst) => {
      let tally: Tally = newTally(holdsAtFirst);
      for (const [index, ok] of sequence.entries()) {
        const held = tally.holds;
        const seen = sequence.slice(0, index + 1);
        tally = tallied(tally, ok, limits);
        if (held) expect(tally.holds).toBe(!inARow(seen, false, limits.failures));
        else expect(tally.holds).toBe(inARow(seen, true, limits.successes));
      }
    }),
  );
});

test('R-4 it is exhausted with the failure that reaches the threshold, and not with those that follow', () => {
  fc.assert(
    fc.property(outcomes, thresholds, (sequence, limits) => {
      let tally = newTally(true);
      for (const [index, ok] of sequence.entries()) {
        tally = tallied(tally, ok, limits);
        const seen = sequence.slice(0, index + 1);
        const reached = inARow(seen, false, limits.failures) && !inARow(seen, false, limits.failures + 1);
        expect(isExhausted(tally, limits)).toBe(reached);
      }
    }),
  );
});

test('R-4 a threshold without bound is never reached', () => {
  const limits = { successes: 1, failures: Number.POSITIVE_INFINITY };
  let tally = newTally(false);
  for (let attempt = 0; attempt < 1_000; attempt++) {
    tally = tallied(tally, false, limits);
    expect(isExhausted(tally, limits)).toBe(false);
  }
});
