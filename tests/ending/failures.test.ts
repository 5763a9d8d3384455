/** How a run ends that cannot become ready: promptly, naming the culprit, its end and its last words; nothing stays. */
import { expect, test } from 'vitest';
import { httpService, needs, shellService, staying } from '../support/declared-services.ts';
import { Site } from '../support/site.ts';

test('run-11 a dependency that exits 3 before it is ready fails the run; its consumer never starts', async () => {
  await using site = new Site();
  site.declare('early-end', [
    httpService('db', {
      spec: { command: ['/bin/sh', '-c', 'echo opening the vault; echo no key in it >&2; exit 3'] },
    }),
    shellService('api', 'touch api-started; exec sleep 600', needs('db')),
  ]);
  const { status, stderr } = await site.skein('run', '--detach', '--wait', '--temporary-ports');
  expect(status).toBe(1);
  expect(stderr).toContain('early-end/db');
  expect(stderr).toContain('exited with status 3');
  expect(stderr).toContain('opening the vault');
  expect(stderr).toContain('no key in it');
  expect(site.lines('api-started')).toEqual([]);
  expect(await site.json('status', '--last')).toMatchObject({
    state: 'stopped',
    last: { failure: { service: 'early-end/db', exit: { code: 3, signal: null } } },
  });
  site.expectNothingLeft();
});

test('run-11 in the foreground the culprit and its last lines are the last words', async () => {
  await using site = new Site();
  site.declare('early-end', [
    shellService('db', 'echo no key >&2; exit 3', { endpoints: [{ name: 'sql', api: 'tcp' }] }),
    shellService('api', 'touch api-started; exec sleep 600', needs('db')),
  ]);
  const { status, stderr } = await site.skein('run', '--fail-fast', '--temporary-ports');
  expect(status).toBe(1);
  expect(stderr.slice(stderr.lastIndexOf('error SK'))).toMatch(
    /early-end\/db[\s\S]*exited with[\s\S]*\| no key/,
  );
  site.expectNothingLeft();
});

test('run-13 a process that ends 0 before its endpoint listens fails the run; nothing stays pending', async () => {
  await using site = new Site();
  site.declare('short', [
    shellService('db', 'echo done already', { endpoints: [{ name: 'sql', api: 'tcp' }] }),
    shellService('api', 'touch api-started; exec sleep 600', needs('db')),
  ]);
  const { status, stderr } = await site.skein('run', '--detach', '--wait', '--temporary-ports');
  expect(status).toBe(1);
  expect(stderr).toContain('short/db ended with status 0 before short/db/sql was ready');
  expect(stderr).toContain('done already');
  const { last } = await site.json('status', '--last');
  expect(last).toMatchObject({ services: [{ id: 'short/db' }, { id: 'short/api', startedAt: null }] });
  site.expectNothingLeft();
});

test('F-9 without fail-fast a failing service pauses itself and what depends on it, and nothing else', async () => {
  await using site = new Site();
  site.declare('partly', [
    shellService('bad', 'echo broken >&2; exit 4', { restart: 'never' }),
    httpService('late', { spec: { command: ['/bin/sh', '-c', 'exit 5'] }, restart: 'never' }),
    shellService('behind', 'touch behind-started; exec sleep 600', needs('late')),
    shellService('good', staying()),
  ]);
  const run = site.start('run', '--no-fail-fast', '--temporary-ports', '--json');
  await Promise.all([run.state('partly/bad', 'failed'), run.state('partly/late', 'failed')]);
  await run.line('partly/good', 'up');
  const services = await site.services();
  expect(services.get('partly/bad')).toMatchObject({ state: 'failed', exit: { code: 4, signal: null } });
  expect(services.get('partly/late')).toMatchObject({ state: 'failed', exit: { code: 5, signal: null } });
  expect(services.get('partly/behind')).toMatchObject({
    state: 'waiting',
    waitingFor: { service: 'partly/late' },
  });
  expect(services.get('partly/good')).toMatchObject({ state: 'running', ready: true });
  run.signal('SIGINT');
  expect((await run.ended).status).toBe(130);
  expect(site.lines('behind-started')).toEqual([]);
  site.expectNothingLeft();
});

test('R-7 at --readiness-timeout the run fails with the requirement, its last error and the last lines', async () => {
  await using site = new Site();
  site.declare('slow', [
    httpService('db', { environment: { GATE: site.path('never') } }),
    shellService('api', 'touch api-started; exec sleep 600', needs('db')),
  ]);
  const { status, stderr } = await site.skein(
    'run',
    '--detach',
    '--wait',
    '--temporary-ports',
    '--readiness-timeout',
    '2s',
  );
  expect(status).toBe(1);
  expect(stderr).toContain('slow/db/http');
  expect(stderr).toContain('http-status');
  expect(stderr).toMatch(/refused/i);
  expect(stderr).toContain('| starting');
  expect(site.lines('api-started')).toEqual([]);
  site.expectNothingLeft();
});

test('a command that cannot be executed is named as that', async () => {
  await using site = new Site();
  site.declare('absent', [{ name: 'db', agent: 'process', spec: { command: ['no-such-program-here'] } }]);
  const { status, stderr } = await site.skein('run', '--detach', '--wait');
  expect(status).toBe(1);
  expect(stderr).toContain('no-such-program-here');
  expect(stderr).toContain('absent/db');
  site.expectNothingLeft();
});
