import { describe, expect, test } from 'vitest';
import { faultsOf, isFilePlace, SkeinError, SkeinFaults } from './error.ts';

const place = { file: 'workspace.skein.yaml', line: 3, column: 5 };

describe('an expected failure', () => {
  test('keeps what it was given', () => {
    const cause = new Error('ENOENT');
    const error = new SkeinError('SK1002', 'it cannot be read', {
      place,
      cause,
      remedy: 'Create it.',
      lastLines: ['one', 'two'],
    });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'SkeinError',
      code: 'SK1002',
      message: 'it cannot be read',
      place,
      cause,
      remedy: 'Create it.',
      lastLines: ['one', 'two'],
    });
  });

  test('has no place, cause, remedy or lines where none were given', () => {
    const error = new SkeinError('SK1002', 'it cannot be read');
    expect(error).toMatchObject({ place: undefined, remedy: undefined, lastLines: [] });
    expect('cause' in error).toBe(false);
  });

  test('stands in a file or in a run', () => {
    expect(isFilePlace(place)).toBe(true);
    expect(isFilePlace({ service: 'shop/api', phase: 'start' })).toBe(false);
  });
});

describe('several faults', () => {
  const first = new SkeinError('SK1010', 'unknown key `a`', { place, remedy: 'Remove it.' });
  const second = new SkeinError('SK1012', '`name` is missing');
  const third = new SkeinError('SK1013', 'a bad name');

  test('speak with the code and the place of the first', () => {
    const faults = new SkeinFaults([first, second]);
    expect(faults).toBeInstanceOf(SkeinError);
    expect(faults).toMatchObject({ code: 'SK1010', message: '2 faults', place, remedy: 'Remove it.' });
  });

  test('say what a single one says', () => {
    expect(new SkeinFaults([second]).message).toBe('`name` is missing');
  });

  test('come apart in their order, also out of one another', () => {
    expect(faultsOf(new SkeinFaults([new SkeinFaults([first, second]), third]))).toEqual([
      first,
      second,
      third,
    ]);
    expect(faultsOf(third)).toEqual([third]);
  });

  test('are never none', () => {
    expect(() => new SkeinFaults([])).toThrow(RangeError);
  });
});
