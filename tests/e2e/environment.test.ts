/** What the process of a service is given, and that secrets are shown nowhere. */
import { execFileSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { httpService, needs, shellJob, shellService, staying } from '../support/declared-services.ts';
import { Site } from '../support/site.ts';

test('C-15, C-17 a process gets the short list, its facts and addresses, and what it declares; nothing else', async () => {
  await using site = new Site({
    environment: {
      AWS_SECRET_ACCESS_KEY: 'planted',
      NODE_OPTIONS: '',
      PASSED: 'along',
      TZ: 'Europe/Zurich',
      http_proxy: 'http://planted',
    },
  });
  site.declare('given', [
    httpService('api'),
    {
      name: 'dump',
      kind: 'job',
      agent: 'process',
      ...needs('api'),
      environment: { DECLARED: 'yes', API: '${endpoint:given/api/http|url}', LITERAL: 'a$b $${x}' },
      spec: { command: ['/usr/bin/env', '-0'], 'pass-environment': ['PASSED', 'ABSENT'] },
    },
  ]);
  const run = site.start('run', '--json', '--temporary-ports');
  await run.runState('ready');
  const url = await site.url('given/api');
  const { text } = await run.document(
    ({ service, stream }) => service === 'given/dump' && stream === 'stdout',
  );
  const got = Object.fromEntries(
    String(text)
      .split('\0')
      .filter(Boolean)
      .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
  const { PATH, HOME, LANG, TERM, TMPDIR, USER, SHELL, TZ } = site.environment;
  expect(got).toEqual({
    PATH,
    HOME,
    LANG,
    TERM,
    TMPDIR,
    SHELL,
    TZ,
    ...(USER !== undefined && { USER }),
    PASSED: 'along',
    DECLARED: 'yes',
    API: url,
    LITERAL: 'a$b ${x}',
    SKEIN_PROCESS_GROUP: expect.stringMatching(/^[0-9a-f]{32}$/),
    SKEIN__WORKSPACE: 'given',
    SKEIN__MODULE: 'given',
    SKEIN__SERVICE: 'dump',
    SKEIN__ENVIRONMENT: 'local',
    SKEIN__RUNTIME_CONTEXT: 'native',
    SKEIN__ENDPOINT__GIVEN__API__HTTP__HTTP: url,
  });
  expect(run.documents).toContainEqual(
    expect.objectContaining({
      service: 'given/dump',
      severity: 'warning',
      cause: expect.stringContaining('ABSENT'),
    }),
  );
  run.signal('SIGINT');
  await run.ended;
  site.expectNothingLeft();
});

test('C-2 secrets are masked in everything that is shown or kept, also in the last words of a failure', async () => {
  await using site = new Site();
  const secret = 'plum-horse-42-battery';
  site.declare('secrets', [
    shellService('a', `echo "the password is $DB_PASSWORD"; echo "at $URL" >&2; sleep 0.2; exit 3`, {
      environment: { DB_PASSWORD: secret, URL: `postgres://me:${secret}@localhost/x` },
      endpoints: [{ name: 'sql', api: 'tcp' }],
      restart: 'never',
    }),
  ]);
  const failed = await site.skein('run', '--detach', '--wait', '--temporary-ports');
  expect(failed.status).toBe(1);
  expect(failed.stderr).toContain('the password is ');
  const shown = [
    failed.stdout + failed.stderr,
    ...(await Promise.all(
      [
        ['logs'],
        ['logs', '--json'],
        ['status', '--json'],
        ['status', '--last'],
        ['graph', '--format', 'json'],
      ].map(async (words) => (await site.skein(...words)).stdout),
    )),
  ];
  for (const text of shown) expect(text).not.toContain(secret);
  expect(shown[1]).toContain('the password is ');
  expect(execFileSync('grep', ['-rlc', secret, site.root], { encoding: 'utf8' }).trim().split('\n')).toEqual([
    site.path('workspace.skein.yaml'),
  ]);
  site.expectNothingLeft();
});

test('C-2 secrets are masked in what a probe command says, wherever its failure is told', async () => {
  await using site = new Site();
  const secret = 'plum-horse-42-battery';
  site.declare('secrets', [
    shellService('a', staying(), {
      environment: { DB_PASSWORD: secret },
      health: { command: 'echo "refused: $DB_PASSWORD"; exit 1' },
    }),
  ]);
  const run = site.start('run', '--json', '--readiness-timeout', '3s');
  await run.line('secrets/a', 'up');
  const shown = await vi.waitFor(async () => {
    const texts = (
      await Promise.all(
        [
          ['status', '--json'],
          ['why', 'a', '--json'],
          ['why', 'a'],
        ].map((words) => site.skein(...words)),
      )
    ).map(({ stdout }) => stdout);
    for (const text of texts) expect(text).toContain('refused: ');
    return texts;
  }, 20_000);
  const { stdout, stderr } = await run.ended;
  expect(stdout + stderr).toContain('refused: ');
  for (const text of [...shown, stdout, stderr]) expect(text).not.toContain(secret);
  site.expectNothingLeft();
});

test('C-2 a secret is in the command line of no process', async () => {
  await using site = new Site();
  const secret = 'plum-horse-42-battery';
  site.declare('secrets', [shellService('a', staying(), { environment: { API_TOKEN: secret } })]);
  const run = site.start('run', '--json');
  await run.line('secrets/a', 'up');
  const processes = site.processes();
  expect(processes.length).toBeGreaterThan(2);
  expect(processes.filter(({ command }) => command.includes(secret))).toEqual([]);
  run.signal('SIGINT');
  await run.ended;
});

test('a working directory is relative to the file that declares the service', async () => {
  await using site = new Site();
  execFileSync('mkdir', ['-p', site.path('sub/deeper')]);
  site.declare('places', [
    shellJob('a', 'pwd -P', { spec: { 'working-directory': 'sub/deeper' } }),
    shellJob('b', 'pwd -P'),
  ]);
  const { stdout } = await site.skein('run');
  expect(stdout.trimEnd().split('\n').toSorted()).toEqual([
    `a | ${site.path('sub/deeper')}`,
    `b | ${site.root}`,
  ]);
});
