/** Runs of a part of a workspace, runs that end by themselves, and the environment of a service for whoever else runs it. */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { httpService, needs, shellJob, shellService, staying } from '../support/declared-services.ts';
import { Site } from '../support/site.ts';

const exposing = httpService('db', {
  spec: {
    command: (httpService('db') as { spec: { command: readonly string[] } }).spec.command,
    'runtime-configuration': { connection: 'db://user:p$ss\'s "word"@${self:http|authority}' },
  },
});

const api = shellService('api', `env; ${staying()}`, {
  ...needs('db'),
  endpoints: [{ name: 'http', api: 'http' }],
  environment: {
    PORT: '${self:http|port}',
    DATABASE_URL: '${configuration:part/db/connection}',
    QUOTED: 'a $b "c" `d` \\e',
  },
});

test('N-13 F-2 everything runs but the service, and its environment is there to run it by hand', async () => {
  await using site = new Site();
  site.declare('part', [exposing, api]);
  const words = ['run', 'api', '--exclude-root', '--output-env', '.env', '--temporary-ports'];
  expect((await site.skein(...words, '--detach', '--wait')).status).toBe(0);
  const services = await site.services();
  expect(services.get('part/api')).toMatchObject({ state: 'excluded', pid: null });
  expect(services.get('part/db')).toMatchObject({ state: 'running', ready: true });
  expect(statSync(site.path('.env')).mode & 0o777).toBe(0o600);
  const address = (await site.url('part/db')).replace('http://', '');
  const read = spawnSync(
    '/bin/sh',
    ['-c', 'set -a; . ./.env; exec "$NODE" -e \'process.stdout.write(JSON.stringify(process.env))\''],
    { cwd: site.root, env: { NODE: process.execPath }, encoding: 'utf8' },
  );
  const environment = JSON.parse(read.stdout) as Record<string, string>;
  expect(environment).toMatchObject({
    DATABASE_URL: `db://user:p$ss's "word"@${address}`,
    QUOTED: 'a $b "c" `d` \\e',
    SKEIN__SERVICE: 'api',
    PORT: expect.stringMatching(/^\d+$/),
  });
  expect(Object.keys(environment)).not.toContain('HOME');
  // Nobody holds its port: it can be listened on.
  const listening = spawnSync(
    process.execPath,
    ['-e', "require('node:net').createServer().listen(process.env.PORT, '127.0.0.1', () => process.exit(0))"],
    { env: environment },
  );
  expect(listening.status).toBe(0);
  expect((await site.skein('stop')).status).toBe(0);
  expect(readFileSync(site.path('.env'), 'utf8')).toContain('DATABASE_URL=');
  site.expectNothingLeft();
});

test('N-13 what a service that runs is given is the same as in its file', async () => {
  await using site = new Site();
  site.declare('part', [exposing, api]);
  const run = site.start(
    'run',
    '--json',
    '--temporary-ports',
    '--output-env',
    'api.env',
    '--output-env-service',
    'api',
  );
  await run.document(({ service, text }) => service === 'part/api' && text === 'up');
  const given = run.documents.flatMap(({ service, text }) => (service === 'part/api' ? [String(text)] : []));
  const written = parseEnv(readFileSync(site.path('api.env'), 'utf8'));
  // The one value of which libraries see the quotes of a shell.
  delete written['DATABASE_URL'];
  delete written['SKEIN__SERVICE_CONFIGURATION__PART__DB__CONNECTION__VALUE'];
  expect(Object.keys(written)).toEqual(
    expect.arrayContaining([
      'PORT',
      'QUOTED',
      'SKEIN__SELF__HTTP__HTTP',
      'SKEIN__ENDPOINT__PART__DB__HTTP__HTTP',
    ]),
  );
  for (const [name, value] of Object.entries(written)) expect(given).toContain(`${name}=${value}`);
  run.signal('SIGINT');
  expect((await run.ended).status).toBe(130);
  site.expectNothingLeft();
});

test('N-13 a file that cannot be written is said, and the run goes on', async () => {
  await using site = new Site();
  site.declare('part', [httpService('db')]);
  const run = site.start('run', '--json', '--temporary-ports', '--output-env', 'no/such/folder/.env');
  const warning = await run.document(({ phase }) => phase === 'output-env');
  expect(warning['cause']).toContain('no/such/folder');
  await run.runState('ready');
  run.signal('SIGINT');
  await run.ended;
  site.expectNothingLeft();
});

test('run-23 F-3 without its dependencies a service does not wait; all that is wrong with a choice is said at once', async () => {
  await using site = new Site();
  site.declare('part', [httpService('db'), shellService('web', staying(), needs('db'))]);
  expect((await site.skein('run', 'web', '--stand-alone', '--detach', '--wait')).status).toBe(0);
  expect((await site.services()).get('part/db')).toMatchObject({ state: 'excluded' });
  expect(await site.skein('start', 'db')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--stand-alone'),
  });
  expect(await site.skein('extend')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('--stand-alone'),
  });
  expect((await site.skein('stop')).status).toBe(0);
  const wrong = await site.skein('run', 'wbe', 'db', '--exclude-service', 'bd', '--exclude-root');
  expect(wrong.status).toBe(2);
  for (const said of ['did you mean `web`?', 'did you mean `db`?', '--exclude-root is about one service'])
    expect(wrong.stderr).toContain(said);
  const both = await site.skein('run', 'web', '--stand-alone', '--exclude-root');
  expect(both).toMatchObject({ status: 2, stderr: expect.stringContaining('SK1554') });
  site.expectNothingLeft();
});

test('F-3 to a barrier and back: status 0, a receipt, nothing started', async () => {
  await using site = new Site();
  site.declare('part', [httpService('db'), shellService('web', 'touch started; sleep 600', needs('db'))]);
  for (const barrier of ['--load-only', '--init-only']) {
    const run = await site.skein('run', barrier, '--json', '--temporary-ports');
    expect(run.status).toBe(0);
    expect(JSON.parse(run.stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      operation: 'stop',
      resources: [{ outcome: 'stopped' }, { outcome: 'stopped' }],
    });
  }
  expect(site.lines('started')).toEqual([]);
  expect(await site.json('status', '--last')).toMatchObject({ state: 'stopped' });
  expect((await site.skein('run', '--init-only', '--detach')).status).toBe(2);
  site.expectNothingLeft();
});

test.each([
  ['A is cut off by B', shellService('a', 'sleep 20; exit 1'), shellService('b', 'exit 0'), 1],
  ['B fails', shellService('a', staying()), shellService('b', 'exit 3'), 1],
  ['B ends with A in its service', httpService('a'), shellJob('b', 'exit 0', needs('a')), 0],
])('run-29 a run until the first exit, where %s', async (_, a, b, status) => {
  await using site = new Site();
  site.declare('part', [a, b]);
  const run = await site.skein('run', '--until-exit', '--no-fail-fast', '--temporary-ports');
  expect(run.status).toBe(status);
  site.expectNothingLeft();
});

test('run-29 Ctrl-C of a run until the first exit gives 130', async () => {
  await using site = new Site();
  site.declare('part', [shellService('a', staying())]);
  const run = site.start('run', '--until-exit', '--json');
  await run.state('part/a', 'running');
  run.signal('SIGINT');
  expect((await run.ended).status).toBe(130);
  site.expectNothingLeft();
});
