import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDead, parseStat } from './stat.ts';

function line(name: string, state = 'S', threads = 1): string {
  return `4242 (${name}) ${state} 1 4240 4239 34816 4242 4194304 100 0 0 0 1 2 0 0 20 0 ${threads} 0 98765432109876543210 1000 200 0\n`;
}

describe('/proc/<pid>/stat', () => {
  test('is parsed', () => {
    expect(parseStat(line('node'))).toEqual({
      ...{ pid: 4242, name: 'node', state: 'S', parent: 1, group: 4240, session: 4239, threads: 1 },
      startTicks: '98765432109876543210',
    });
  });

  test('T-7 no name of a process is mistaken for its fields', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom(') R 1 1 1 (', 'a b', '((', '))', ') ', '')),
        (name) => {
          expect(parseStat(line(name))).toMatchObject({
            name,
            group: 4240,
            startTicks: '98765432109876543210',
          });
        },
      ),
    );
  });

  test.each(['', 'nonsense', '1 (a', '1 (a) S 1', 'x (a) S 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 5'])(
    'of another shape is refused: %j',
    (text) => {
      expect(parseStat(text)).toBeUndefined();
    },
  );

  test.each([
    ['a zombie', 'Z', 1, true],
    ['a dead process', 'X', 0, true],
    ['an ended leader thread with others at work', 'Z', 2, false],
    ['a sleeper', 'S', 1, false],
    ['a suspended process', 'T', 1, false],
  ])('%s', (_title, state, threads, dead) => {
    const stat = parseStat(line('x', state, threads));
    expect(stat && isDead(stat)).toBe(dead);
  });
});
