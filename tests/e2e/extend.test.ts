/** `skein extend` and SIGUSR1: a run takes in what its workspace newly composes, and lets go of what is gone (F-17 to F-19). */
import { expect, test } from 'vitest';
import { httpService, needs, shellService, staying } from '../support/declared-services.ts';
import { isAlive } from '../support/process-scan.ts';
import { Site } from '../support/site.ts';

const db = httpService('db');
const web = shellService('web', `echo web is here; ${staying()}`, needs('db'));

test('F-17 F-18 `extend` lets join and leave, with words, documents and a receipt; nothing else is touched', async () => {
  await using site = new Site();
  site.declare('grows', [db]);
  expect((await site.skein('run', '--detach', '--wait', '--temporary-ports')).status).toBe(0);
  const before = await site.service('grows/db');
  expect(await site.skein('extend')).toMatchObject({
    status: 0,
    stdout: 'the run is what the workspace composes\n',
  });
  site.declare('grows', [db, web, shellService('extra', staying())]);
  expect(await site.json('extend')).toEqual({
    joined: ['grows/extra', 'grows/web'].sort(),
    left: [],
    outdated: [],
    receipt: null,
  });
  const events = await site.jsonLines('events', '--no-follow');
  expect(events).toContainEqual(
    expect.objectContaining({ phase: 'extend', cause: expect.stringContaining('grows/web') }),
  );
  const web1 = await site.eventually('grows/web', 'running');
  expect((await site.skein('logs', 'web')).stdout).toContain('web is here');
  site.declare('grows', [db]);
  const left = await site.skein('extend');
  expect(left.status).toBe(0);
  expect(left.stdout).toContain('grows/web has left');
  expect(isAlive(Number(web1['pid']))).toBe(false);
  expect([...(await site.services()).keys()]).toEqual(['grows/db']);
  expect((await site.service('grows/db'))['pid']).toBe(before['pid']);
  // What it said is kept.
  expect((await site.skein('stop')).status).toBe(0);
  site.declare('grows', [db, web]);
  expect((await site.skein('logs', 'web')).stdout).toContain('web is here');
  site.expectNothingLeft();
});

test('F-17 a run of named services takes in those that are named', async () => {
  await using site = new Site();
  site.declare('grows', [db, web, shellService('extra', staying())]);
  expect((await site.skein('run', 'db', '--detach', '--wait', '--temporary-ports')).status).toBe(0);
  expect(await site.json('extend')).toMatchObject({ joined: [] });
  expect(await site.json('extend', 'web')).toMatchObject({ joined: ['grows/web'] });
  expect([...(await site.services()).keys()]).toEqual(['grows/db', 'grows/web']);
  const unknown = await site.skein('extend', 'wbe');
  expect(unknown.status).toBe(2);
  expect(unknown.stderr).toContain('did you mean `web`?');
  expect((await site.skein('stop')).status).toBe(0);
  site.expectNothingLeft();
});

test('F-17 F-19 SIGUSR1 extends a run in the foreground; what does not load is told and changes nothing', async () => {
  await using site = new Site();
  site.declare('grows', [db]);
  const run = site.start('run', '--json', '--temporary-ports');
  await run.runState('ready');
  site.write('workspace.skein.yaml', 'name: grows\nservices: [{ nam: db }]\n');
  run.signal('SIGUSR1');
  const warning = await run.document(({ phase }) => phase === 'extend');
  expect(warning['cause']).toMatch(/^not extended: .*workspace\.skein\.yaml:2:/);
  const refused = await site.skein('extend');
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain('workspace.skein.yaml:2:');
  expect([...(await site.services()).keys()]).toEqual(['grows/db']);
  site.declare('grows', [db, web]);
  run.signal('SIGUSR1');
  await run.state('grows/web', 'running');
  run.signal('SIGINT');
  const { status, stderr } = await run.ended;
  expect(status).toBe(130);
  expect(stderr).not.toContain('Debugger');
  site.expectNothingLeft();
});

test('F-18 a supervisor that is told by SIGUSR1 lets go of what is gone', async () => {
  await using site = new Site();
  site.declare('grows', [db, web]);
  expect((await site.skein('run', '--detach', '--wait', '--temporary-ports')).status).toBe(0);
  const { pid } = await site.json('status');
  const gone = await site.service('grows/web');
  site.declare('grows', [db]);
  process.kill(Number(pid), 'SIGUSR1');
  await site.untilGone('grows/web');
  expect(isAlive(Number(gone['pid']))).toBe(false);
  expect(await site.json('status')).toMatchObject({ state: 'ready' });
  expect((await site.skein('stop')).status).toBe(0);
  site.expectNothingLeft();
});
