/** What a person, a terminal or another process says to a run by signals, and that nothing is left of it (T-5). */
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { needs, shellService, staying } from '../support/declared-services.ts';
import { Site } from '../support/site.ts';

/** A wrapper may pass on the same keystroke a moment later; a second keystroke of a person is never so soon. */
const keystrokeMs = 150;

test('run-04 INT to the supervisor alone, without a terminal: the service is told, and the supervisor ends after it', async () => {
  await using site = new Site();
  site.declare('told', [
    shellService(
      'a',
      `trap 'sleep 0.3; echo told > word; kill -KILL $!; exit 0' INT; echo up; sleep 600 & wait`,
      {
        spec: { 'stop-signal': 'INT' },
      },
    ),
  ]);
  const run = site.start('run', '--json');
  await run.line('told/a', 'up');
  run.signal('SIGINT');
  expect((await run.ended).status).toBe(130);
  expect(site.lines('word')).toEqual(['told']);
  site.expectNothingLeft();
});

test('run-05 the command does not come back before the last service is done, and shows what it says', async () => {
  await using site = new Site();
  site.declare('slow', [shellService('a', staying('echo stopping; sleep 2; touch done; echo done'))]);
  const run = site.start('run', '--json');
  await run.line('slow/a', 'up');
  const wasDone = run.ended.then(() => existsSync(site.path('done')));
  run.signal('SIGINT');
  await run.line('slow/a', 'stopping');
  expect(existsSync(site.path('done'))).toBe(false);
  await run.line('slow/a', 'done');
  expect(await wasDone).toBe(true);
  site.expectNothingLeft();
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'T-5 %s stops the services in order and ends with 130',
  async (name) => {
    await using site = new Site();
    site.declare('ordered', [
      shellService('db', staying('echo db >> order')),
      shellService('api', staying('echo api >> order'), needs('db')),
    ]);
    const run = site.start('run', '--json');
    await run.line('ordered/api', 'up');
    run.signal(name);
    const { status } = await run.ended;
    expect(status).toBe(130);
    expect(site.lines('order')).toEqual(['api', 'db']);
    expect(run.documents.at(-1)).toMatchObject({
      operation: 'stop',
      layers: 2,
      resources: [
        { id: 'ordered/api', layer: 0, outcome: 'stopped' },
        { id: 'ordered/db', layer: 1, outcome: 'stopped' },
      ],
    });
    site.expectNothingLeft();
  },
);

test.each(['SIGINT', 'SIGTERM'] as const)(
  'T-5 %s to the supervisor of a detached run ends it in order',
  async (name) => {
    await using site = new Site();
    site.declare('detached', [
      shellService('db', staying('echo db >> order')),
      shellService('api', staying('echo api >> order'), needs('db')),
    ]);
    expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
    const { pid } = await site.json('status');
    process.kill(Number(pid), name);
    await site.untilNothingRuns();
    expect(site.lines('order')).toEqual(['api', 'db']);
    site.expectNothingLeft();
  },
);

describe('a service that ignores TERM', () => {
  const stubborn = `trap '' TERM; echo up; while :; do sleep 600; done`;

  test('T-5 one Ctrl-C: it has its `stop-timeout`, then it is killed, and that is said', async () => {
    await using site = new Site();
    site.declare('stubborn', [shellService('a', stubborn, { spec: { 'stop-timeout': '500ms' } })]);
    const run = site.start('run', '--json');
    await run.line('stubborn/a', 'up');
    run.signal('SIGINT');
    expect((await run.ended).status).toBe(130);
    expect(run.documents.at(-1)).toMatchObject({ resources: [{ outcome: 'forced' }] });
    site.expectNothingLeft();
  });

  test('T-5 a second Ctrl-C leaves it 2 s', async () => {
    await using site = new Site();
    site.declare('stubborn', [shellService('a', stubborn, { spec: { 'stop-timeout': '10m' } })]);
    const run = site.start('run', '--json');
    await run.line('stubborn/a', 'up');
    run.signal('SIGINT');
    await run.state('stubborn/a', 'stopping');
    await pause(keystrokeMs);
    run.signal('SIGINT');
    await run.document(({ cause }) => cause === 'every layer has 2 s now');
    expect((await run.ended).status).toBe(130);
    expect(run.documents.at(-1)).toMatchObject({ resources: [{ outcome: 'forced' }] });
    site.expectNothingLeft();
  });

  test('T-5 a third Ctrl-C kills it at once, and abandons nothing', async () => {
    await using site = new Site();
    site.declare('stubborn', [
      shellService('a', stubborn, { spec: { 'stop-timeout': '10m' } }),
      shellService('b', stubborn, { ...needs('a'), spec: { 'stop-timeout': '10m' } }),
    ]);
    const run = site.start('run', '--json');
    await Promise.all([run.line('stubborn/a', 'up'), run.line('stubborn/b', 'up')]);
    run.signal('SIGINT');
    await run.state('stubborn/b', 'stopping');
    await pause(keystrokeMs);
    run.signal('SIGINT');
    await run.document(({ cause }) => cause === 'every layer has 2 s now');
    await pause(keystrokeMs);
    run.signal('SIGINT');
    expect((await run.ended).status).toBe(130);
    expect(run.documents.at(-1)).toMatchObject({
      layers: 2,
      resources: [
        { id: 'stubborn/b', outcome: 'forced' },
        { id: 'stubborn/a', outcome: 'forced' },
      ],
    });
    site.expectNothingLeft();
  });

  test('T-5 SIGTERM and SIGHUP after it hurry nothing: a closed terminal sends both', async () => {
    await using site = new Site();
    site.declare('stubborn', [
      shellService(
        'a',
        `trap 'echo told; until [ -e open ]; do sleep 0.02; done; kill -KILL $!; exit 0' TERM; echo up; sleep 600 & wait`,
        {
          spec: { 'stop-timeout': '30s' },
        },
      ),
    ]);
    const run = site.start('run', '--json');
    await run.line('stubborn/a', 'up');
    run.signal('SIGHUP');
    await run.line('stubborn/a', 'told');
    await pause(keystrokeMs);
    run.signal('SIGTERM');
    await pause(keystrokeMs);
    run.signal('SIGHUP');
    site.write('open', '');
    expect((await run.ended).status).toBe(130);
    expect(run.documents.at(-1)).toMatchObject({ resources: [{ outcome: 'stopped' }] });
    site.expectNothingLeft();
  });
});

test('T-5 Ctrl-C before anything has started ends with 130 and leaves nothing', async () => {
  await using site = new Site();
  site.declare('early', [shellService('a', 'touch started; exec sleep 600')]);
  const run = site.start('run', '--json');
  await run.state('early/a', 'loading');
  run.signal('SIGINT');
  expect((await run.ended).status).toBe(130);
  site.expectNothingLeft();
});

test('T-5 Ctrl-C while `run --detach --wait` waits ends the run', async () => {
  await using site = new Site();
  site.declare('waiting', [
    shellService('a', `touch started; ${staying('touch told')}`, {
      endpoints: [{ name: 'sql', api: 'tcp' }],
    }),
  ]);
  const run = site.start('run', '--detach', '--wait', '--temporary-ports');
  await expect.poll(() => existsSync(site.path('started')), { timeout: 30_000 }).toBe(true);
  run.signal('SIGINT');
  expect((await run.ended).status).toBe(130);
  await site.untilNothingRuns();
  expect(existsSync(site.path('told'))).toBe(true);
  site.expectNothingLeft();
});

test('T-5 a broken pipe ends the run in order', async () => {
  await using site = new Site();
  site.declare('chatty', [
    shellService('a', `trap 'echo told > word; exit 0' TERM; while :; do echo line; sleep 0.05; done`),
  ]);
  const run = site.start('run');
  await run.output('line');
  run.closeOutput();
  await run.ended;
  expect(site.lines('word')).toEqual(['told']);
  site.expectNothingLeft();
});

test('the INT that a terminal sends to its whole foreground group reaches no service', async () => {
  await using site = new Site();
  site.declare('group', [
    shellService(
      'a',
      `trap 'echo int >> order' INT; trap 'echo term >> order; exit 0' TERM; echo up; while :; do sleep 0.1; done`,
    ),
  ]);
  // A wrapper as npx is: in the same group, and it passes on the INT that it got itself.
  const run = site.startWith(
    ['/bin/sh', '-c', `"$@" & child=$!; trap 'kill -INT $child' INT; wait $child; wait $child`, 'wrapper'],
    'run',
    '--json',
  );
  await run.line('group/a', 'up');
  run.signalGroup('SIGINT');
  await run.ended;
  expect(site.lines('order')).toEqual(['term']);
  expect(run.documents.at(-1)).toMatchObject({ resources: [{ id: 'group/a', outcome: 'stopped' }] });
  site.expectNothingLeft();
});
