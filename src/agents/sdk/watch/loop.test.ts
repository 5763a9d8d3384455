import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isSuspended,
  type LoopWatch,
  noLoops,
  noted,
  provingReloads,
  type Recurrence,
  withStrangers,
} from './loop.ts';

const change = (files: readonly string[], more: Partial<Recurrence> = {}): Recurrence => ({
  files,
  created: [],
  afterBeginMs: 300,
  afterEndMs: 100,
  ...more,
});
/** Of a reload that took 200 ms. */
const later = (ms: number, ...files: readonly string[]): Recurrence =>
  change(files, { afterBeginMs: ms + 200, afterEndMs: ms });

function all(recurrences: readonly Recurrence[], from: LoopWatch = noLoops): LoopWatch {
  return recurrences.reduce((loops, one) => noted(loops, one).loops, from);
}

const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

describe('F-15 a loop of reloads', () => {
  test.each<[string, readonly Recurrence[]]>([
    ['a file that changes at once after each reload', times(5, () => later(50, 'out.js'))],
    ['among others that do not', times(5, (at) => later(50, 'out.js', `other-${at}.js`))],
    [
      'a build that writes it at its end, a minute later',
      times(5, (at) => change(['out.js'], { afterBeginMs: 60_000 + at * 900, afterEndMs: undefined })),
    ],
    [
      'a service that writes it eight seconds after its start',
      times(5, (at) => later(8_000 + at * 90, 'out.js')),
    ],
  ])('is %s', (_, recurrences) => {
    expect(isSuspended(all(recurrences.slice(0, -1)), 'out.js')).toBe(false);
    expect(isSuspended(all(recurrences), 'out.js')).toBe(true);
  });

  test.each<[string, readonly Recurrence[]]>([
    [
      'a person who saves at irregular times',
      [900, 4_000, 2_500, 9_000, 3_100, 30_000].map((ms) => later(ms, 'a.js')),
    ],
    ['different files', times(12, (at) => later(50, `${at}.js`))],
    [
      'a file that pauses once',
      [...times(4, () => later(50, 'a.js')), later(50, 'b.js'), ...times(4, () => later(50, 'a.js'))],
    ],
    [
      'a person who saves during long builds',
      [3_000, 30_000, 12_000, 45_000, 20_000].map((ms) =>
        change(['a.js'], { afterBeginMs: ms, afterEndMs: undefined }),
      ),
    ],
  ])('is not %s', (_, recurrences) => {
    expect(all(recurrences).suspended.size).toBe(0);
  });

  test('of files whose names differ each time suspends what is new in their folder, and nothing else', () => {
    const loops = all(times(5, (at) => change([`tmp/${at}`], { created: [`tmp/${at}`] })));
    const later = withStrangers(loops, ['tmp/77', 'tmp/deep/77', 'src/new.js']);
    expect([...later.strangers]).toEqual(['tmp/77']);
    expect(isSuspended(later, 'tmp/77')).toBe(true);
    expect(isSuspended(later, 'tmp/a.js')).toBe(false);
    const resumed = noted(later, change(['src/a.js'], { afterBeginMs: 9_000, afterEndMs: 9_000 })).loops;
    expect(isSuspended(resumed, 'tmp/77')).toBe(false);
  });

  test('is told once', () => {
    let loops = all(times(4, () => later(50, 'out.js')));
    const fifth = noted(loops, later(50, 'out.js'));
    expect(fifth.found).toEqual(['out.js']);
    loops = noted(fifth.loops, later(9_000, 'src/a.js')).loops;
    expect(isSuspended(loops, 'out.js')).toBe(false);
    const again = noted(loops, later(50, 'out.js'));
    expect(isSuspended(again.loops, 'out.js')).toBe(true);
    expect(again.found).toEqual([]);
  });

  test('stays suspended where the other change may be of the service itself', () => {
    const loops = all([...times(5, () => later(50, 'out.js')), later(50, 'other.js')]);
    expect(isSuspended(loops, 'out.js')).toBe(true);
  });

  const name = fc.constantFrom<string[]>('a', 'b', 'src/c', 'src/d');
  const recurrence = fc.record({
    files: fc.uniqueArray(name, { minLength: 1 }),
    created: fc.constant([]),
    afterBeginMs: fc.nat(60_000),
    afterEndMs: fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined }),
  });

  test('always ends: whatever happened before, a file that loops is suspended after five reloads', () => {
    fc.assert(
      fc.property(fc.array(recurrence), fc.nat(2_000), name, (before, ms, file) => {
        const loops = all([...before, ...times(provingReloads, () => later(ms, file))]);
        expect(isSuspended(loops, file)).toBe(true);
      }),
    );
  });

  test('is never seen in a file that did not change in five reloads in succession', () => {
    fc.assert(
      fc.property(fc.array(recurrence), (recurrences) => {
        const { suspended, suspected } = all(recurrences);
        for (const one of [...suspended, ...suspected]) {
          const runs = recurrences.map(({ files }) => (files.includes(one) ? 'x' : ' ')).join('');
          expect(runs).toContain('x'.repeat(provingReloads));
        }
      }),
    );
  });
});
