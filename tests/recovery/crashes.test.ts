/** Parts of a run that are killed: nothing of it stays, strangers live on, and the workspace can be run again (T-11, T-13). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { httpService, needs, shellService, staying } from '../support/declared-services.ts';
import { type FoundProcess, isAlive } from '../support/process-scan.ts';
import { Site } from '../support/site.ts';

/** What a service runs, word for word, and a stranger too. */
const plain = ['/bin/sh', '-c', 'sleep 600; true'] as const;

test('T-11 when the supervisor is killed, agents stop the services; the next run works; a stranger lives on', async () => {
  await using site = new Site();
  const stranger = spawn(plain[0], plain.slice(1), { stdio: 'ignore', detached: true });
  try {
    site.declare('killed', [
      shellService('db', staying('echo db >> order')),
      shellService('api', staying('echo api >> order'), needs('db')),
      { name: 'plain', agent: 'process', spec: { command: plain } },
      httpService('web', needs('api')),
    ]);
    expect((await site.skein('run', '--detach', '--wait', '--temporary-ports')).status).toBe(0);
    const { pid } = await site.json('status');
    process.kill(Number(pid), 'SIGKILL');
    await site.untilNothingRuns();
    expect(site.lines('order').toSorted()).toEqual(['api', 'db']);
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
    expect((await site.skein('status')).status).toBe(1);
    expect((await site.skein('stop')).status).toBe(0);
    expect((await site.skein('run', '--detach', '--wait', '--temporary-ports')).status).toBe(0);
    expect(await site.json('status')).toMatchObject({ state: 'ready' });
    expect((await site.skein('stop')).status).toBe(0);
    expect(site.processes()).toEqual([]);
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
  } finally {
    process.kill(-(stranger.pid ?? 0), 'SIGKILL');
    await once(stranger, 'exit');
  }
});

test('T-11 when a foreground run is killed, its services are stopped by their agent', async () => {
  await using site = new Site();
  site.declare('killed', [shellService('a', staying('echo told >> order'))]);
  const run = site.start('run', '--json');
  await run.line('killed/a', 'up');
  run.signal('SIGKILL');
  await site.untilNothingRuns();
  expect(site.lines('order')).toEqual(['told']);
  const { status, stdout } = await site.skein('status');
  expect(status).toBe(1);
  expect(stdout).toContain('ended without a word');
});

test('T-11 killed while services come up, nothing stays', async () => {
  await using site = new Site();
  site.declare(
    'killed',
    Array.from({ length: 20 }, (_, index) =>
      shellService(`s${index}`, staying(), index === 0 ? {} : needs(`s${index - 1}`)),
    ),
  );
  const run = site.start('run', '--json');
  await run.line('killed/s9', 'up');
  run.signal('SIGKILL');
  await site.untilNothingRuns();
});

test('T-13 when the shared agent is killed, the run fails naming it, and none of its services is left behind', async () => {
  await using site = new Site();
  site.declare('agentless', [
    shellService('db', staying('echo db >> order')),
    shellService('api', staying('echo api >> order'), needs('db')),
  ]);
  const run = site.start('run', '--json', '--fail-fast');
  await run.runState('ready');
  process.kill(agentOf(site).pid, 'SIGKILL');
  const { status, stderr } = await run.ended;
  expect(status).toBe(1);
  const failed = run.documents.find(({ state, phase }) => state === 'failed' && phase === 'run');
  expect(String(failed?.['cause']) + stderr).toMatch(/agent skein\/process[\s\S]*SIGKILL/);
  expect(await site.json('status')).toMatchObject({
    last: { failure: { message: expect.stringContaining('skein/process') } },
  });
  site.expectNothingLeft();
});

test('T-13 without fail-fast a killed agent is started again, with its services, and the old ones are gone', async () => {
  await using site = new Site();
  site.declare('agentless', [shellService('a', staying()), shellService('b', staying(), needs('a'))]);
  const run = site.start('run', '--json', '--no-fail-fast');
  await run.runState('ready');
  const before = await site.services();
  process.kill(agentOf(site).pid, 'SIGKILL');
  await Promise.all(['a', 'b'].map((name) => run.document(startedAgain(`agentless/${name}`))));
  const after = await site.services();
  for (const id of ['agentless/a', 'agentless/b']) {
    expect(isAlive(Number(before.get(id)?.['pid']))).toBe(false);
    expect(after.get(id)).toMatchObject({ state: 'running', ready: true, restarts: 1 });
  }
  const shells = site.processes().filter(({ command }) => command.startsWith('/bin/sh'));
  expect(shells.map(({ pid }) => pid).toSorted()).toEqual(
    [...after.values()].map(({ pid }) => pid).toSorted(),
  );
  run.signal('SIGINT');
  await run.ended;
  site.expectNothingLeft();
});

test('a service that is killed fails the run with the signal and its last lines under fail-fast', async () => {
  await using site = new Site();
  site.declare('shot', [shellService('a', `echo last word; ${staying()}`)]);
  const run = site.start('run', '--fail-fast');
  await run.output('up');
  await expect.poll(async () => (await site.json('status'))['state'], { timeout: 30_000 }).toBe('ready');
  process.kill(Number((await site.service('shot/a'))['pid']), 'SIGKILL');
  const { status, stderr } = await run.ended;
  expect(status).toBe(1);
  expect(stderr).toMatch(/shot\/a was killed by SIGKILL/);
  expect(stderr).toContain('| last word');
  site.expectNothingLeft();
});

test('without fail-fast a service that is killed is started again and counted', async () => {
  await using site = new Site();
  site.declare('shot', [shellService('a', staying())]);
  const run = site.start('run', '--json', '--no-fail-fast');
  await run.runState('ready');
  process.kill(Number((await site.service('shot/a'))['pid']), 'SIGKILL');
  await run.document(startedAgain('shot/a'));
  expect(await site.service('shot/a')).toMatchObject({
    state: 'running',
    restarts: 1,
    failure: null,
  });
  run.signal('SIGINT');
  expect((await run.ended).status).toBe(130);
  site.expectNothingLeft();
});

function startedAgain(service: string): (document: Readonly<Record<string, unknown>>) => boolean {
  return (document) =>
    document['service'] === service &&
    document['phase'] === 'process' &&
    String(document['cause']).startsWith('started again');
}

/** The one process that runs the agent of all services. */
function agentOf(site: Site): FoundProcess {
  const agents = site.processes().filter(({ command }) => command.endsWith('agents.js'));
  const [agent] = agents;
  expect(agents).toHaveLength(1);
  if (agent === undefined) throw new Error('there is no agent');
  return agent;
}

test('U-3 a supervisor that is suspended keeps nobody waiting, and goes on when it is continued', async () => {
  await using site = new Site();
  site.declare('suspended', [shellService('a', staying())]);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  const pid = Number((await site.json('status'))['pid']);
  process.kill(pid, 'SIGSTOP');
  try {
    const answers = await Promise.all(
      [
        ['status'],
        ['stop'],
        ['why', 'a'],
        ['restart', 'a'],
        ['logs'],
        ['logs', '--follow'],
        ['events'],
        ['events', '--no-follow'],
      ].map((words) => site.skein(...words)),
    );
    for (const { status, stderr } of answers) {
      expect(status).toBe(1);
      expect(stderr).toContain('does not answer');
    }
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  expect((await site.skein('stop')).status).toBe(0);
  site.expectNothingLeft();
});

test('T-8 a supervisor that is killed while it is asked to stop leaves the rest to whoever asked', async () => {
  await using site = new Site();
  site.declare('asked', [shellService('a', staying('echo told >> order'))]);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  const pid = Number((await site.json('status'))['pid']);
  // It takes the connection, and answers nobody.
  process.kill(pid, 'SIGSTOP');
  const stop = site.start('stop');
  await expect.poll(() => stop.stderr, { timeout: 30_000 }).toContain('stopping run');
  process.kill(pid, 'SIGKILL');
  const { status, stderr } = await stop.ended;
  expect([status, stderr]).toEqual([0, expect.stringMatching(/^stopping run \S+\n(stopping what .*\n)?$/)]);
  await site.untilNothingRuns();
  expect(site.lines('order')).toEqual(['told']);
  expect(site.records()).toEqual([]);
});

test('T-5 Ctrl-C ends who follows a supervisor that was suspended meanwhile', async () => {
  await using site = new Site();
  site.declare('suspended', [shellService('a', staying())]);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  const pid = Number((await site.json('status'))['pid']);
  const followers = [site.start('logs', '--follow'), site.start('events')];
  await Promise.all(followers.map((follower) => follower.output('a')));
  process.kill(pid, 'SIGSTOP');
  try {
    for (const follower of followers) follower.signal('SIGINT');
    for (const { ended } of followers) expect(await ended).toMatchObject({ signal: 'SIGINT', stderr: '' });
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  expect((await site.skein('stop')).status).toBe(0);
  site.expectNothingLeft();
});
