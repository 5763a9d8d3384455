/** What a service starts and lets go into a session of its own (T-7): it ends with the service, or is named. */
import { expect, test } from 'vitest';
import { shellService } from '../support/declared-services.ts';
import { isAlive } from '../support/process-scan.ts';
import type { Document } from '../support/running-command.ts';
import { Site } from '../support/site.ts';
import { agentsOf, killTogether } from './crash.ts';

/** A daemon as daemons are made (in a workspace `$$` is a dollar): forked twice, with a session of its own; it notes its pid, and that it is told to end. */
const daemon = `trap 'echo daemon >> order; exit 0' TERM; echo $$$$ > daemon; while :; do sleep 600 & wait; done`;
const service = `(setsid /bin/sh -c "$DAEMON" < /dev/null > /dev/null 2>&1 &); trap 'echo service >> order; exit 0' TERM; echo up; while :; do sleep 600 & wait; done`;

function daemonized(name: string): object {
  return shellService(name, service, { environment: { DAEMON: daemon } });
}

async function daemonOf(site: Site): Promise<number> {
  await expect.poll(() => site.lines('daemon').length, { timeout: 30_000 }).toBe(1);
  return Number(site.lines('daemon')[0]);
}

test('T-7 a daemon that was forked twice ends with its service', async () => {
  await using site = new Site();
  site.declare('strays', [daemonized('a'), shellService('b', 'sleep 600')]);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  const pid = await daemonOf(site);
  expect(isAlive(pid)).toBe(true);
  expect((await site.skein('stop', 'a')).status).toBe(0);
  expect(isAlive(pid)).toBe(false);
  expect(site.lines('order')).toEqual(['service', 'daemon']);
  expect((await site.skein('stop')).status).toBe(0);
  site.expectNothingLeft();
});

test('T-7 a daemon whose service has ended by itself lives until the run is stopped', async () => {
  await using site = new Site();
  const job = shellService('a', '(setsid /bin/sh -c "$DAEMON" < /dev/null > /dev/null 2>&1 &); echo up', {
    kind: 'job',
    environment: { DAEMON: daemon },
  });
  site.declare('strays', [job, shellService('b', 'sleep 600')]);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  const pid = await daemonOf(site);
  expect(isAlive(pid)).toBe(true);
  expect((await site.skein('stop')).status).toBe(0);
  expect(isAlive(pid)).toBe(false);
  site.expectNothingLeft();
});

test('T-7 T-8 after a crash a daemon is named and left alone, for nothing proves whose it is', async () => {
  await using site = new Site();
  site.declare('strays', [daemonized('a')]);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  const pid = await daemonOf(site);
  await killTogether([...agentsOf(site), Number((await site.json('status'))['pid'])]);
  for (const words of [['stop'], ['stop', '--all']]) {
    const { status, stdout, stderr } = await site.skein(...words, '--json');
    expect(status).toBe(1);
    expect(stdout).toContain(`${pid} (`);
    expect(stderr).toMatch(new RegExp(`SK1621.*strays/a.*${pid} \\(/bin/sh -c trap`));
    expect(isAlive(pid)).toBe(true);
  }
  expect(site.lines('order')).toEqual(['service']);
  expect((await site.skein('clear')).stdout).not.toContain('process-groups');
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => site.processes().filter((one) => one.pid === pid)).toEqual([]);
  const left = site.processes();
  for (const one of left) process.kill(one.pid, 'SIGKILL');
  await site.untilNothingRuns();
  expect(((await site.json('stop')) as Document)['resources']).toEqual([]);
  expect(site.records()).toEqual([]);
});
