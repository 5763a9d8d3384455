/** In which order services end, and that whole groups do. */
import { expect, test } from 'vitest';
import { needs, shellJob, shellService, staying } from '../support/declared-services.ts';
import { Site } from '../support/site.ts';

test('run-07 consumers stop before what they depend on, a layer at once', async () => {
  await using site = new Site();
  // b and c each end only when the other has been told too: one after the other they would have to be forced.
  const meets = (own: string, other: string): string =>
    staying(
      `echo ${own} told >> order; until grep -q "${other} told" order; do sleep 0.02; done; echo ${own} gone >> order`,
    );
  const alone = (own: string): string =>
    staying(`echo ${own} told >> order; sleep 0.3; echo ${own} gone >> order`);
  site.declare('layers', [
    shellService('a', alone('a')),
    shellService('b', meets('b', 'c'), needs('a')),
    shellService('c', meets('c', 'b'), needs('a')),
    shellService('d', alone('d'), needs('b', 'c', 'a')),
  ]);
  const run = site.start('run', '--json');
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => run.line(`layers/${name}`, 'up')));
  const receipt = await site.json('stop');
  expect(receipt).toMatchObject({
    operation: 'stop',
    layers: 3,
    resources: [
      { id: 'layers/d', layer: 0, outcome: 'stopped', error: null },
      { id: 'layers/b', layer: 1, outcome: 'stopped', error: null },
      { id: 'layers/c', layer: 1, outcome: 'stopped', error: null },
      { id: 'layers/a', layer: 2, outcome: 'stopped', error: null },
    ],
  });
  const order = site.lines('order');
  expect(order.slice(0, 2)).toEqual(['d told', 'd gone']);
  expect(order.slice(2, 6).toSorted()).toEqual(['b gone', 'b told', 'c gone', 'c told']);
  expect(order.slice(6)).toEqual(['a told', 'a gone']);
  expect((await run.ended).status).toBe(0);
  site.expectNothingLeft();
});

test('run-09 stopped while a job runs, what waits for it never starts', async () => {
  await using site = new Site();
  site.declare('chain', [
    shellJob('p3', 'echo up; exec sleep 600'),
    shellService('p2', 'touch p2-started; exec sleep 600', needs({ name: 'p3', wait: 'completed' })),
    shellService('p1', 'touch p1-started; exec sleep 600', needs({ name: 'p2', wait: 'started' })),
  ]);
  const run = site.start('run', '--json');
  await run.line('chain/p3', 'up');
  run.signal('SIGINT');
  const { status } = await run.ended;
  expect(status).toBe(130);
  expect([...site.lines('p1-started'), ...site.lines('p2-started')]).toEqual([]);
  const states = run.documents
    .filter(({ service }) => service === 'chain/p1' || service === 'chain/p2')
    .map(({ state }) => state);
  expect(states).not.toContain('starting');
  site.expectNothingLeft();
});

test('run-01 a leader ends at TERM, its child ignores it: the whole group is killed after the grace, and said so', async () => {
  await using site = new Site();
  site.declare('group', [
    shellService(
      'leader',
      `(trap '' TERM; while :; do sleep 600; done) & trap 'exit 0' TERM; echo up; wait`,
      {
        spec: { 'stop-timeout': '1s' },
      },
    ),
  ]);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  const receipt = await site.json('stop');
  expect(receipt).toMatchObject({ resources: [{ id: 'group/leader', outcome: 'forced' }] });
  site.expectNothingLeft();
});

test('T-1 stopping one service stops what depends on it first, and leaves the rest', async () => {
  await using site = new Site();
  site.declare('part', [
    shellService('db', staying('echo db >> order')),
    shellService('api', staying('echo api >> order'), needs('db')),
    shellService('other', staying('echo other >> order')),
  ]);
  const run = site.start('run', '--json');
  await Promise.all(['db', 'api', 'other'].map((name) => run.line(`part/${name}`, 'up')));
  expect((await site.skein('stop', 'db')).status).toBe(0);
  expect(site.lines('order')).toEqual(['api', 'db']);
  const services = await site.services();
  expect(services.get('part/db')).toMatchObject({ state: 'stopped', pid: null });
  expect(services.get('part/api')).toMatchObject({ state: 'stopped', pid: null });
  expect(services.get('part/other')).toMatchObject({ state: 'running', ready: true });
  run.signal('SIGINT');
  expect((await run.ended).status).toBe(130);
  site.expectNothingLeft();
});

test('`stop` without a run has nothing to do, which is no failure', async () => {
  await using site = new Site();
  site.declare('idle', [shellService('a', staying())]);
  const { status, stdout } = await site.skein('stop', '--json');
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ operation: 'stop', layers: 0, resources: [] });
});
