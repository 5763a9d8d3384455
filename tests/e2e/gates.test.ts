/** What a dependent's start waits for: each edge by its own `wait`, and nothing else. */
import { expect, test } from 'vitest';
import { httpService, needs, shellJob, shellService, staying } from '../support/declared-services.ts';
import type { RunningCommand } from '../support/running-command.ts';
import { Site } from '../support/site.ts';

test('R-5 `wait: started` lets the dependent start while the dependency is not ready', async () => {
  await using site = new Site();
  site.declare('gates', [
    httpService('db', { environment: { GATE: site.path('open') } }),
    shellService('api', staying(), needs({ name: 'db', wait: 'started' })),
  ]);
  const run = site.start('run', '--json', '--temporary-ports');
  await run.line('gates/api', 'up');
  expect(index(run, 'gates/db', 'running')).toBeLessThan(index(run, 'gates/api', 'starting'));
  expect(await site.json('status')).toMatchObject({
    state: 'starting',
    services: [{ id: 'gates/db', ready: false }, {}],
  });
  site.write('open', '');
  await run.runState('ready');
  run.signal('SIGINT');
  await run.ended;
  site.expectNothingLeft();
});

test('R-5 `wait: ready` holds the dependent until the consumed endpoint answers', async () => {
  await using site = new Site();
  site.declare('gates', [
    httpService('db', { environment: { GATE: site.path('open') } }),
    shellService('api', staying(), needs({ name: 'db', wait: 'ready' })),
  ]);
  const run = site.start('run', '--json', '--temporary-ports');
  await Promise.all([run.line('gates/db', 'starting'), run.state('gates/api', 'waiting')]);
  expect(await site.json('why', 'api')).toMatchObject({
    chain: [
      { service: 'gates/api', state: 'waiting' },
      { service: 'gates/db', requirement: { endpoint: 'gates/db/http' } },
    ],
  });
  expect(run.documents.some(({ service, state }) => service === 'gates/api' && state === 'starting')).toBe(
    false,
  );
  site.write('open', '');
  await run.line('gates/api', 'up');
  const ready = run.documents.findIndex(({ service, phase }) => service === 'gates/db' && phase === 'ready');
  expect(ready).toBeGreaterThan(-1);
  expect(ready).toBeLessThan(index(run, 'gates/api', 'starting'));
  run.signal('SIGINT');
  await run.ended;
  site.expectNothingLeft();
});

test('R-5 `wait: completed` holds the dependent until the job has ended with success', async () => {
  await using site = new Site();
  site.declare('gates', [
    shellJob('migrate', 'until [ -e open ]; do sleep 0.02; done; echo migrated >> order'),
    shellService('api', `echo api >> order; ${staying()}`, needs({ name: 'migrate', wait: 'completed' })),
  ]);
  const run = site.start('run', '--json');
  await run.state('gates/migrate', 'running');
  await run.state('gates/api', 'waiting');
  expect(site.lines('order')).toEqual([]);
  site.write('open', '');
  await run.line('gates/api', 'up');
  expect(site.lines('order')).toEqual(['migrated', 'api']);
  await run.runState('ready');
  run.signal('SIGINT');
  expect((await run.ended).status).toBe(130);
  site.expectNothingLeft();
});

test('R-5 a branch of its own is not held by a slow one', async () => {
  await using site = new Site();
  site.declare('branches', [
    httpService('slow', { environment: { GATE: site.path('open') } }),
    shellService('behind-slow', staying(), needs('slow')),
    httpService('quick'),
    shellService('behind-quick', staying(), needs('quick')),
  ]);
  const run = site.start('run', '--json', '--temporary-ports');
  await run.line('branches/behind-quick', 'up');
  expect(
    run.documents.some(({ service, state }) => service === 'branches/behind-slow' && state === 'starting'),
  ).toBe(false);
  site.write('open', '');
  await run.line('branches/behind-slow', 'up');
  run.signal('SIGINT');
  await run.ended;
  site.expectNothingLeft();
});

test('a completed job is run again by `restart`, and once only otherwise', async () => {
  await using site = new Site();
  site.declare('jobs', [
    shellJob('migrate', 'echo migrated >> order'),
    shellService('api', staying(), needs('migrate')),
  ]);
  const run = site.start('run', '--json');
  await run.runState('ready');
  expect(site.lines('order')).toEqual(['migrated']);
  expect((await site.skein('restart', 'migrate')).status).toBe(0);
  let completions = 0;
  await run.document(
    ({ service, state, phase }) =>
      service === 'jobs/migrate' && phase === 'start' && state === 'completed' && ++completions === 2,
  );
  expect(site.lines('order')).toEqual(['migrated', 'migrated']);
  run.signal('SIGINT');
  await run.ended;
  site.expectNothingLeft();
});

test('a run of jobs alone ends with status 0 when all have completed', async () => {
  await using site = new Site();
  site.declare('jobs', [shellJob('a', 'echo a >> order'), shellJob('b', 'echo b >> order', needs('a'))]);
  const { status } = await site.skein('run');
  expect(status).toBe(0);
  expect(site.lines('order')).toEqual(['a', 'b']);
  site.expectNothingLeft();
});

/** Position of the moment in which the service got this state; -1 where it never did. */
function index(run: RunningCommand, service: string, state: string): number {
  return run.documents.findIndex(
    (document) => document['service'] === service && document['state'] === state,
  );
}
