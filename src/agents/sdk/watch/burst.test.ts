import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Burst, burstEndMs, joined, longestBurstMs } from './burst.ts';

/** Bursts that events at these times make, each seen over before the next event or not; `files` is what is known. */
function bursts(eventsMs: readonly number[], files: number): number {
  let count = 0;
  let burst: Burst | undefined;
  for (const atMs of eventsMs) {
    if (burst === undefined || atMs > burstEndMs(burst)) count++;
    else {
      burst = joined(burst, { firstMs: atMs, lastMs: atMs, files });
      continue;
    }
    burst = { firstMs: atMs, lastMs: atMs, files };
  }
  return count;
}

describe('F-15 a burst of changes', () => {
  test('of 200 files within a second is one', () => {
    const events = Array.from({ length: 200 }, (_, at) => at * 5);
    expect(bursts(events, 200)).toBe(1);
  });

  test('of an editor that writes, renames and writes again is one', () => {
    expect(bursts([0, 3, 40, 140], 1)).toBe(1);
  });

  test('is over sooner where one file has changed than where several have', () => {
    const burst = { firstMs: 0, lastMs: 0 };
    expect(burstEndMs({ ...burst, files: 1 })).toBeLessThan(burstEndMs({ ...burst, files: 2 }));
  });

  test('is always over at a time that is bounded, however many changes follow one another', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(3_000), { minLength: 1 }),
        fc.integer({ min: 1, max: 9 }),
        (gaps, files) => {
          let burst: Burst = { firstMs: 0, lastMs: 0, files };
          for (const gap of gaps) {
            const atMs = burst.lastMs + gap;
            burst = joined(burst, { firstMs: atMs, lastMs: atMs, files: 1 });
          }
          expect(burstEndMs(burst)).toBeLessThanOrEqual(burst.firstMs + longestBurstMs);
          expect(burst.files).toBe(files);
        },
      ),
    );
  });

  test('never ends before its last change has been quiet for a while, or its time is up', () => {
    fc.assert(
      fc.property(fc.nat(longestBurstMs), fc.integer({ min: 1, max: 500 }), (lastMs, files) => {
        const end = burstEndMs({ firstMs: 0, lastMs, files });
        expect(end > lastMs || end === longestBurstMs).toBe(true);
      }),
    );
  });
});
