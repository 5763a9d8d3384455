/** What can be asked of a workspace and of its run: graph, status, why, events. */
import { expect, test } from 'vitest';
import { httpService, needs, shellJob, shellService, staying } from '../support/declared-services.ts';
import { Site } from '../support/site.ts';

const shop = [
  httpService('db'),
  shellJob('migrate', 'true', needs('db')),
  shellService('api', staying(), needs({ name: 'db', endpoints: ['http'] }, 'migrate')),
];

test('U-7 `graph` writes json, mermaid and dot, of all services or from one on, and starts nothing', async () => {
  await using site = new Site();
  site.declare('shop', shop);
  const document = await site.json('graph', '--format', 'json');
  expect(document).toMatchObject({
    workspace: 'shop',
    nodes: [
      {
        id: 'shop/db',
        kind: 'service',
        agent: 'skein/process',
        endpoints: [{ id: 'shop/db/http', api: 'http' }],
      },
      { id: 'shop/migrate', kind: 'job' },
      { id: 'shop/api', kind: 'service', endpoints: [] },
    ],
    edges: [
      { from: 'shop/migrate', to: 'shop/db', wait: 'ready' },
      { from: 'shop/api', to: 'shop/db', wait: 'ready', endpoints: ['shop/db/http'] },
      { from: 'shop/api', to: 'shop/migrate', wait: 'completed' },
    ],
  });
  const mermaid = await site.skein('graph', '--format', 'mermaid');
  expect(mermaid).toMatchObject({ status: 0, stderr: '' });
  expect(mermaid.stdout).toMatch(/^flowchart [\s\S]*"shop\/api"[\s\S]*-->/);
  const dot = await site.skein('graph', 'migrate', '--format', 'dot');
  expect(dot.stdout).toMatch(/^digraph "shop" \{[\s\S]*"shop\/migrate" -> "shop\/db"[\s\S]*\}\n$/);
  expect(dot.stdout).not.toContain('shop/api');
  site.expectNothingLeft();
});

test('`status` without a run ends with 1, and its document says that nothing runs', async () => {
  await using site = new Site();
  site.declare('shop', shop);
  const never = await site.skein('status', '--json');
  expect(never.status).toBe(1);
  expect(JSON.parse(never.stdout)).toMatchObject({ state: 'stopped', last: null });
  expect((await site.skein('run', '--detach', '--wait', '--temporary-ports')).status).toBe(0);
  const receipt = await site.json('stop');
  const ended = await site.skein('status', '--json');
  expect(ended.status).toBe(1);
  expect(JSON.parse(ended.stdout)).toMatchObject({ workspace: 'shop', state: 'stopped', last: receipt });
  const last = await site.skein('status', '--last', '--json');
  expect(last.status).toBe(0);
  expect(JSON.parse(last.stdout)).toMatchObject({ last: receipt });
  site.expectNothingLeft();
});

test('R-8 `why` follows the chain to the requirement that does not hold', async () => {
  await using site = new Site();
  site.declare('chain', [
    httpService('db', { environment: { GATE: site.path('open') } }),
    httpService('api', needs('db')),
    shellService('page', staying(), needs('api')),
  ]);
  const run = site.start('run', '--json', '--temporary-ports');
  await Promise.all([
    run.line('chain/db', 'starting'),
    run.state('chain/page', 'waiting'),
    run.state('chain/api', 'waiting'),
  ]);
  const why = await site.json('why', 'page');
  expect(why).toMatchObject({ service: 'page' });
  expect((why['chain'] as { service: string }[]).map(({ service }) => service)).toEqual([
    'chain/page',
    'chain/api',
    'chain/db',
  ]);
  expect((why['chain'] as object[]).at(-1)).toMatchObject({
    state: 'running',
    requirement: {
      service: 'chain/db',
      endpoint: 'chain/db/http',
      predicate: 'http-status',
      sinceMs: expect.any(Number),
    },
  });
  const { stdout } = await site.skein('why', 'page');
  expect(stdout).toMatch(/chain\/page is waiting[\s\S]*chain\/db is running: waits for chain\/db\/http/);
  site.write('open', '');
  await run.runState('ready');
  expect((await site.json('why', 'page'))['chain']).toEqual([]);
  run.signal('SIGINT');
  await run.ended;
  site.expectNothingLeft();
});

test('R-1 readiness is revoked when an endpoint is closed, and comes back', async () => {
  await using site = new Site();
  site.declare('revoked', [httpService('web'), shellService('page', staying(), needs('web'))]);
  const run = site.start('run', '--json', '--no-fail-fast', '--temporary-ports');
  await run.runState('ready');
  process.kill(Number((await site.service('revoked/web'))['pid']), 'SIGSTOP');
  await run.runState('degraded');
  const services = await site.services();
  expect(services.get('revoked/web')).toMatchObject({
    state: 'running',
    ready: false,
    endpoints: [{ ready: false }],
  });
  process.kill(Number(services.get('revoked/web')?.['pid']), 'SIGCONT');
  const degraded = run.documents.findIndex(({ phase, state }) => phase === 'run' && state === 'degraded');
  await run.document(
    (document) =>
      document['phase'] === 'run' &&
      document['state'] === 'ready' &&
      run.documents.indexOf(document) > degraded,
  );
  run.signal('SIGINT');
  await run.ended;
  site.expectNothingLeft();
});

test('`events --json` tells the same story as the run itself, a line an event', async () => {
  await using site = new Site();
  site.declare('shop', shop);
  const run = site.start('run', '--json', '--temporary-ports');
  await run.state('shop/db', 'starting');
  const watcher = site.start('events', '--json');
  await Promise.all([run.runState('ready'), watcher.state('shop/db', 'starting')]);
  run.signal('SIGINT');
  await run.ended;
  const { status, stderr } = await watcher.ended;
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const told = watcher.documents;
  expect(told).toEqual(run.documents.filter((document) => 'phase' in document).slice(0, told.length));
  for (const event of told)
    expect(event).toMatchObject({
      time: expect.any(String),
      phase: expect.any(String),
      state: expect.any(String),
      cause: expect.any(String),
    });
  expect(told.map(({ service, state }) => `${service} ${state}`)).toEqual(
    expect.arrayContaining(['shop/migrate completed', 'shop/api running', 'shop/db stopping']),
  );
  site.expectNothingLeft();
});
