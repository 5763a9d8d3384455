/** Starting again what has ended, and what still runs. */
import { expect, test } from 'vitest';
import { httpService, needs, shellService, staying } from '../support/declared-services.ts';
import { isAlive } from '../support/process-scan.ts';
import { Site } from '../support/site.ts';

test('run-17 a service without a probe that has ended is running again after `restart`, with a new pid', async () => {
  await using site = new Site();
  site.declare('again', [
    shellService('a', '[ -e second ] && exec sleep 600; until [ -e end ]; do sleep 0.02; done; exit 0', {
      restart: 'never',
    }),
    shellService('b', staying()),
  ]);
  const run = site.start('run', '--json', '--no-fail-fast');
  await run.runState('ready');
  const before = await site.service('again/a');
  expect(before).toMatchObject({ state: 'running', restarts: 0, pid: expect.any(Number) });
  site.write('second', '');
  site.write('end', '');
  await run.state('again/a', 'completed');
  expect(await site.service('again/a')).toMatchObject({
    pid: null,
    exit: { code: 0, signal: null },
  });
  const restarted = await site.json('restart', 'a');
  const after = await site.service('again/a');
  expect(after).toMatchObject({
    state: 'running',
    ready: true,
    restarts: 1,
    pid: restarted['pid'],
    exit: null,
  });
  expect(after['pid']).not.toBe(before['pid']);
  expect(isAlive(Number(after['pid']))).toBe(true);
  run.signal('SIGINT');
  await run.ended;
  site.expectNothingLeft();
});

test('run-17 a service that failed is running again after `restart`', async () => {
  await using site = new Site();
  site.declare('again', [
    shellService('a', '[ -e second ] && exec sleep 600; exit 7', { restart: 'never' }),
    shellService('b', staying()),
  ]);
  const run = site.start('run', '--json', '--no-fail-fast');
  await run.state('again/a', 'failed');
  site.write('second', '');
  expect((await site.skein('restart', 'a')).status).toBe(0);
  expect(await site.service('again/a')).toMatchObject({
    state: 'running',
    ready: true,
    failure: null,
    exit: null,
  });
  await run.runState('ready');
  run.signal('SIGINT');
  await run.ended;
  site.expectNothingLeft();
});

test('F-21 `restart` of what runs ends the old process before the new one, which keeps its address', async () => {
  await using site = new Site();
  site.declare('again', [httpService('web')]);
  expect((await site.skein('run', '--detach', '--wait', '--temporary-ports')).status).toBe(0);
  const before = await site.service('again/web');
  const url = await site.url('again/web');
  expect((await site.skein('restart', 'web')).status).toBe(0);
  expect(isAlive(Number(before['pid']))).toBe(false);
  expect(await site.service('again/web')).toMatchObject({ state: 'running', restarts: 1 });
  expect(await site.url('again/web')).toBe(url);
  expect((await site.skein('stop')).status).toBe(0);
  site.expectNothingLeft();
});

test('F-21 `restart` asked for from several places at once leaves one process', async () => {
  await using site = new Site();
  site.declare('again', [shellService('a', staying())]);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  const ends = await Promise.all([1, 2, 3].map(() => site.skein('restart', 'a')));
  expect(ends.map(({ status }) => status)).toEqual([0, 0, 0]);
  const running = site.processes().filter(({ command }) => command.startsWith('/bin/sh'));
  expect(running.map(({ pid }) => pid)).toEqual([(await site.service('again/a'))['pid']]);
  expect((await site.skein('stop')).status).toBe(0);
  site.expectNothingLeft();
});

test('F-21 `start` brings up what was stopped with what it needs, and leaves what runs', async () => {
  await using site = new Site();
  site.declare('again', [httpService('db'), shellService('web', staying(), needs('db'))]);
  expect((await site.skein('run', '--detach', '--wait', '--temporary-ports')).status).toBe(0);
  expect((await site.skein('stop', 'db')).status).toBe(0);
  expect(await site.json('start', 'web')).toEqual({ services: ['web'] });
  const web = await site.service('again/web');
  expect(web).toMatchObject({ state: 'running', restarts: 1 });
  expect(await site.service('again/db')).toMatchObject({ state: 'running', restarts: 1 });
  expect((await site.skein('start', 'web', 'db')).status).toBe(0);
  expect((await site.service('again/web'))['pid']).toBe(web['pid']);
  expect(await site.skein('start', 'wbe')).toMatchObject({ status: 2 });
  expect((await site.skein('stop')).status).toBe(0);
  site.expectNothingLeft();
});
