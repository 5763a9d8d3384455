/** What the plan gate refuses before anything has been started, by the schemas of real agents. */
import { describe, expect, test } from 'vitest';
import { faultsOf, isFilePlace, SkeinError } from '../../src/errors/index.ts';
import { startFlow } from '../support/flows.ts';

/** `SK1331 message ← what is written there` of each fault. */
async function refused(...services: readonly object[]): Promise<readonly string[]> {
  const error: unknown = await startFlow(services).then(
    (run) => run[Symbol.asyncDispose](),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SkeinError)) throw new Error('it was let through', { cause: error });
  return faultsOf(error).map(({ code, message, place }) => {
    const written = place && isFilePlace(place) ? place.source?.slice(place.column - 1) : undefined;
    return `${code} ${message} ← ${written}`;
  });
}

describe('the plan gate', () => {
  test.each<[unknown, string]>([
    [5, '`5`; expected text for the shell, or a list of program and arguments ← 5'],
    [[], 'an empty list; expected a list of program and arguments ← []'],
  ])('A-2 says of the command %j what it should be', async (command, words) => {
    expect(await refused({ name: 'api', agent: 'process', spec: { command } })).toEqual([
      `SK1331 \`spec.command\` of site/api is ${words}`,
    ]);
  });

  test('A-2 refuses every NUL character that would fail a Start, at its place', async () => {
    const faults = await refused({
      name: 'api',
      agent: 'process',
      environment: { GREETING: 'hello\0' },
      spec: { command: ['a', 'b\0'], 'working-directory': 'c\0' },
    });
    expect(faults).toEqual([
      'SK1410 site/api cannot be given GREETING: the value holds a NUL character ← hello\\u0000"',
      'SK1331 `spec.command[1]` of site/api is `"b\\u0000"`; expected text without a NUL character ← "b\\u0000"',
      'SK1331 `spec.working-directory` of site/api is `"c\\u0000"`; expected a path, neither empty nor with a NUL ' +
        'character ← "c\\u0000"',
    ]);
  });
});
