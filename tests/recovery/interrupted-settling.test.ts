/** Stops of what a crash has left that are killed, doubled or hindered on their way (T-8): the next one finishes. */
import { expect, test } from 'vitest';
import { needs, shellService, staying } from '../support/declared-services.ts';
import { Site } from '../support/site.ts';
import { crash } from './crash.ts';

/** Notes that it is told to end, and goes on until it is killed. */
const stubborn = `trap 'echo told >> order' TERM; echo up; while :; do sleep 600 & wait; done`;

test('T-8 a stop that is killed half-way leaves the rest to the next one', async () => {
  await using site = new Site();
  site.declare('left', [
    shellService('db', staying('echo db >> order')),
    shellService('api', stubborn, { ...needs('db'), spec: { 'stop-timeout': '4s' } }),
    shellService('web', staying('echo web >> order'), needs('api')),
  ]);
  await crash(site);
  const first = site.start('stop');
  await expect.poll(() => site.lines('order'), { timeout: 30_000 }).toEqual(['web', 'told']);
  first.signal('SIGKILL');
  await first.ended;
  const { status, stdout } = await site.skein('stop', '--json');
  expect(status).toBe(0);
  expect(
    JSON.parse(stdout).resources.map(({ id, outcome }: Record<string, string>) => [id, outcome]),
  ).toEqual([
    ['left/api', 'forced'],
    ['left/db', 'stopped'],
  ]);
  expect(site.lines('order')).toEqual(['web', 'told', 'told', 'db']);
  expect(site.processes()).toEqual([]);
  expect(site.records()).toEqual([]);
});

test('T-8 four stops at once of what was left, beside a clear, all end well', async () => {
  await using site = new Site();
  site.declare('left', [
    shellService('db', staying('echo db >> order')),
    ...['a', 'b', 'c'].map((name) => shellService(name, staying(), needs('db'))),
    shellService('web', stubborn, { ...needs('a', 'b', 'c'), spec: { 'stop-timeout': '1s' } }),
  ]);
  await crash(site);
  const all = await Promise.all([
    ...Array.from({ length: 4 }, () => site.skein('stop')),
    site.skein('clear'),
    site.skein('stop', '--all'),
  ]);
  expect(all.map(({ status, stderr }) => [status, stderr.replaceAll(/^stopping .*\n/gm, '')])).toEqual(
    all.map(() => [0, '']),
  );
  expect(site.lines('order').filter((line) => line === 'db')).not.toEqual([]);
  expect(site.processes()).toEqual([]);
  expect(site.records()).toEqual([]);
});
