import { describe, expect, test } from 'vitest';
import { type ErrorTable, SkeinError, SkeinFaults } from './error.ts';
import { formatPlace, renderError } from './render.ts';

const table: ErrorTable = { SK1010: { title: 'unknown key', remedy: 'Correct or remove the key.' } };

describe('U-3 an error as people read it', () => {
  test('says code, message, place, source, causes, last lines and remedy, in this order', () => {
    const cause = new Error('it ended', { cause: new Error('exit status 3') });
    const error = new SkeinError('SK1010', 'unknown key `comand`', {
      place: {
        file: '/shop/workspace.skein.yaml',
        line: 12,
        column: 13,
        source: '    spec: { comand: node server.js }',
      },
      cause,
      lastLines: ['listening', 'Error: no database'],
    });
    expect(renderError(error, [{}, table])).toBe(
      [
        'error SK1010: unknown key `comand`',
        '  at: /shop/workspace.skein.yaml:12:13',
        '  12 |     spec: { comand: node server.js }',
        '     |             ^',
        '  because: it ended',
        '  because: exit status 3',
        '  last lines:',
        '    | listening',
        '    | Error: no database',
        '  to do: Correct or remove the key.',
      ].join('\n'),
    );
  });

  test('is one line where nothing more is known', () => {
    expect(renderError(new SkeinError('SK1099', 'it broke'), [table])).toBe('error SK1099: it broke');
  });

  test('prefers its own remedy to that of the table', () => {
    const error = new SkeinError('SK1010', 'unknown key', { remedy: 'Write `command`.' });
    expect(renderError(error, [table])).toBe('error SK1010: unknown key\n  to do: Write `command`.');
  });

  test.each([
    [{ service: 'shop/api' }, 'shop/api'],
    [{ service: 'shop/api', phase: 'start' }, 'shop/api · start'],
    [{ service: 'shop/api', phase: 'ready', endpoint: 'http' }, 'shop/api · ready · http'],
  ])('names a place in a run as %o', (place, expected) => {
    expect(renderError(new SkeinError('SK1401', 'it failed', { place }))).toBe(
      `error SK1401: it failed\n  at: ${expected}`,
    );
  });

  test('shows a place without its source where that is not known', () => {
    const place = { file: 'a.yaml', line: 1, column: 2 };
    expect(renderError(new SkeinError('SK1010', 'unknown key', { place }))).toBe(
      'error SK1010: unknown key\n  at: a.yaml:1:2',
    );
  });

  test('a cause that is no error is left out, for nobody wrote it to be read', () => {
    expect(renderError(new SkeinError('SK1401', 'it failed', { cause: 7 }))).toBe('error SK1401: it failed');
  });

  test.each([1, 5, 79, 80, 81, 500, 10_000])(
    'puts the caret under column %i, however long the line',
    (column) => {
      const source = `${'.'.repeat(column - 1)}!${'.'.repeat(300)}`;
      const place = { file: 'a.yaml', line: 7, column, source };
      const lines = renderError(new SkeinError('SK1010', 'unknown key', { place })).split('\n');
      const [code = '', caret = ''] = lines.slice(2);
      expect(code[caret.indexOf('^')]).toBe('!');
      expect(code.length).toBeLessThanOrEqual(170);
    },
  );

  test('tells several faults one after the other', () => {
    const faults = new SkeinFaults([new SkeinError('SK1010', 'one'), new SkeinError('SK1012', 'two')]);
    expect(renderError(faults, [table])).toBe(
      'error SK1010: one\n  to do: Correct or remove the key.\n\nerror SK1012: two',
    );
  });
});

test('a place is written so that terminals make a link of it', () => {
  expect(formatPlace({ file: '/shop/a.yaml', line: 3, column: 14 })).toBe('/shop/a.yaml:3:14');
});
