import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearest } from './nearest.ts';

describe('the nearest known word', () => {
  test.each([
    ['comand', 'command', 'a letter is missing'],
    ['commandd', 'command', 'a letter is too many'],
    ['cammand', 'command', 'a letter is another'],
    ['comamnd', 'command', 'two neighbours are swapped'],
    ['command', 'command', 'it is the word itself'],
  ])('of %s is %s: %s', (word, expected) => {
    expect(nearest(word, ['build', 'watch', 'command', 'ignore'])).toBe(expected);
  });

  test('is the one with fewer edits, wherever it stands', () => {
    expect(nearest('watches', ['batch', 'watch', 'matches'])).toBe('matches');
    expect(nearest('watche', ['matches', 'watch'])).toBe('watch');
  });

  test('is the earlier one where two are equally near', () => {
    expect(nearest('cat', ['bat', 'hat'])).toBe('bat');
    expect(nearest('cat', ['hat', 'bat'])).toBe('hat');
  });

  test('does not exist where nothing is near, or nothing is known', () => {
    expect(nearest('postgres', ['http', 'grpc'])).toBeUndefined();
    expect(nearest('postgres', [])).toBeUndefined();
  });

  test('is always one of the candidates, and a candidate is always nearest to itself', () => {
    const words = fc.array(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(words, fc.string({ minLength: 1, maxLength: 12 }), (candidates, word) => {
        const guess = nearest(word, candidates);
        if (guess !== undefined) expect(candidates).toContain(guess);
        for (const candidate of candidates) expect(nearest(candidate, candidates)).toBe(candidate);
      }),
    );
  });

  test('is found for a very long word without comparing all of it', () => {
    expect(nearest('x'.repeat(200_000), ['command'])).toBeUndefined();
  });
});
