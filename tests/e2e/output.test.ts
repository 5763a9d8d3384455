/** Where a command's own output goes: a disk that is full, a reader that goes away, a folder that is gone. */
import { describe, expect, test } from 'vitest';
import { shellJob, shellService, staying } from '../support/declared-services.ts';
import { Site } from '../support/site.ts';

/** Every write to it fails as on a full disk. */
const hasFullDevice = process.platform === 'linux';
const intoFullDevice = ['/bin/sh', '-c', 'exec "$@" > /dev/full', 'full'] as const;

async function expectLost(site: Site, words: readonly string[]): Promise<void> {
  const { status, stderr } = await site.startWith(intoFullDevice, ...words).ended;
  expect({ words, status }).toEqual({ words, status: 1 });
  expect(stderr).toContain('SK1560');
  expect(stderr).toContain('ENOSPC');
}

describe.runIf(hasFullDevice)('U-2 a result that cannot be written is a failure that says so', () => {
  test('of commands that need no run', async () => {
    await using site = new Site();
    site.declare('full', [shellJob('a', 'echo done')]);
    expect((await site.skein('run')).status).toBe(0);
    await Promise.all(
      [
        ['--version'],
        ['--help'],
        ['graph'],
        ['graph', '--format', 'json'],
        ['status'],
        ['status', '--last', '--json'],
        ['logs'],
        ['stop'],
      ].map((words) => expectLost(site, words)),
    );
    for (const words of [['run'], ['run', '--json'], ['run', '--detach', '--wait']])
      await expectLost(site, words);
    // The supervisor of a run that nobody waits for any more ends by itself.
    await site.untilNothingRuns();
    site.expectNothingLeft();
  });

  test('of commands that ask a run', async () => {
    await using site = new Site();
    site.declare('full', [shellService('a', staying())]);
    expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
    await Promise.all(
      [
        ['status'],
        ['status', '--json'],
        ['logs'],
        ['logs', '--follow'],
        ['logs', '--json'],
        ['events'],
        ['events', '--no-follow'],
        ['why', 'a'],
      ].map((words) => expectLost(site, words)),
    );
    for (const words of [['restart', 'a'], ['stop', 'a'], ['stop']]) await expectLost(site, words);
    await site.untilNothingRuns();
    site.expectNothingLeft();
  });

  test('as data with --json, and beside another failure that stays the one that counts', async () => {
    await using site = new Site();
    site.declare('full', [shellJob('a', 'true')]);
    const { stderr } = await site.startWith(intoFullDevice, 'graph', '--json').ended;
    expect(JSON.parse(stderr)).toMatchObject({ errors: [{ code: 'SK1560' }] });
    expect((await site.startWith(intoFullDevice, 'rnu').ended).status).toBe(2);
  });
});

describe('a reader that has what it wants', () => {
  const throughPipe = (reader: string): [string, ...string[]] => [
    '/bin/bash',
    '-c',
    `"$@" | ${reader}; exit "\${PIPESTATUS[0]}"`,
    'piped',
  ];

  test('is no failure of a command that only prints', async () => {
    await using site = new Site();
    site.declare('closed', [shellJob('a', 'true')]);
    const { status, stderr } = await site.startWith(throughPipe('true'), 'graph').ended;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  test('ends those that follow a run at once, although nothing more happens and is printed', async () => {
    await using site = new Site();
    site.declare('quiet', [shellService('a', staying())]);
    expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
    const printed = await Promise.all(
      [['events'], ['events', '--json'], ['logs', '--follow'], ['logs', '--follow', '--json']].map(
        (words) => site.startWith(throughPipe('head -n 1'), ...words).ended,
      ),
    );
    for (const { status, stdout, stderr } of printed) {
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(/^.+\n$/);
    }
    const follower = site.start('logs', '--follow');
    await follower.output('up');
    follower.closeOutput();
    expect((await follower.ended).status).toBe(0);
    expect(await site.json('status')).toMatchObject({ state: 'ready' });
    expect((await site.skein('stop')).status).toBe(0);
    site.expectNothingLeft();
  });
});

test('who follows into a file goes on until the run ends', async () => {
  await using site = new Site();
  site.declare('kept', [shellService('a', staying('echo bye'))]);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  const intoFile = ['/bin/sh', '-c', 'exec "$@" > kept', 'kept'] as const;
  const follower = site.startWith(intoFile, 'logs', '--follow');
  await expect.poll(() => site.lines('kept'), { timeout: 30_000 }).toEqual(['a | up']);
  expect((await site.skein('stop')).status).toBe(0);
  expect((await follower.ended).status).toBe(0);
  expect(site.lines('kept')).toEqual(['a | up', 'a | bye']);
  site.expectNothingLeft();
});

describe('U-3 a working directory that was removed', () => {
  const fromNowhere = [
    '/bin/sh',
    '-c',
    'mkdir gone && cd gone && rmdir ../gone && exec "$@"',
    'gone',
  ] as const;

  test.each([['run'], ['status'], ['stop'], ['logs'], ['events'], ['graph']])('%s says so', async (word) => {
    await using site = new Site();
    site.declare('gone', [shellJob('a', 'true')]);
    const { status, stdout, stderr } = await site.startWith(fromNowhere, word).ended;
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^error SK1555: .*working directory[\s\S]*to do: .*--cwd/);
    site.expectNothingLeft();
  });

  test('keeps nobody from a workspace that is named', async () => {
    await using site = new Site();
    site.declare('gone', [shellJob('a', 'echo done')]);
    const run = await site.startWith(fromNowhere, 'run', '--cwd', site.root).ended;
    expect(run).toMatchObject({ status: 0, stdout: 'a | done\n' });
    site.expectNothingLeft();
  });
});
