import { CommanderError } from '@commander-js/extra-typings';
import { describe, expect, test } from 'vitest';
import { exitStatusOf } from './exit-status.ts';
import { commandTable } from './program.ts';
import { usageError } from './usage-error.ts';

async function complaint(...argv: string[]): Promise<CommanderError> {
  const table = commandTable('/skein', () => undefined);
  for (const each of [table, ...table.commands])
    each.configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  const error = await table.parseAsync(argv, { from: 'user' }).catch((thrown: unknown) => thrown);
  if (error instanceof CommanderError) return error;
  throw new Error(`not refused: ${argv.join(' ')}`);
}

describe('U-3 a wrong command line is refused with the nearest that is right, status 2', () => {
  test.each([
    [['stauts'], 'SK1550', 'unknown command `stauts`; did you mean status?'],
    [['run', '--detahc'], 'SK1551', 'unknown option `--detahc`; did you mean --detach?'],
    [['logs', '--tail', 'x'], 'SK1552', 'Expected a whole number.'],
    [['run', '--readiness-timeout', '5'], 'SK1552', 'Expected a duration such as 250ms, 10s or 5m.'],
    [['graph', '--format', 'svg'], 'SK1552', 'Allowed choices are json, mermaid, dot.'],
    [['recover', 'group', '4242'], 'SK1552', 'Allowed choices are process-group.'],
    [
      ['recover', 'process-group', '4242', '--preview', '--expect', 'f'],
      'SK1554',
      '`--preview` cannot be used with',
    ],
    [['why'], 'SK1553', 'missing required argument `service`'],
    [['restart', 'a', 'b'], 'SK1552', 'too many arguments'],
  ])('%j', async (argv, code, message) => {
    const error = usageError(await complaint(...argv));
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(exitStatusOf(error.code)).toBe(2);
  });

  test('U-1 every command has help with examples and the same common options', async () => {
    const table = commandTable('/skein', () => undefined);
    const names = table.commands.map((each) => each.name()).filter((name) => !name.startsWith('__'));
    expect(names).toEqual([
      'run',
      'status',
      'logs',
      'stop',
      'start',
      'restart',
      'extend',
      'why',
      'events',
      'graph',
      'recover',
      'clear',
    ]);
    for (const name of names) {
      let text = '';
      const command = commandTable('/skein', () => undefined).commands.find((each) => each.name() === name);
      command?.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
      for (const words of ['Examples:', '--cwd', '--json', '--quiet', '--verbose', '--no-color'])
        expect(text).toContain(words);
    }
  });

  test('the status of an error', () => {
    expect(['SK1010', 'SK1101', 'SK1203', 'SK1330', 'SK1403', 'SK1507'].map(exitStatusOf)).toEqual([
      2, 2, 2, 2, 2, 2,
    ]);
    expect(['SK1120', 'SK1210', 'SK1401', 'SK1501', 'SK1502', 'SK1599'].map(exitStatusOf)).toEqual([
      1, 1, 1, 1, 1, 1,
    ]);
  });
});
