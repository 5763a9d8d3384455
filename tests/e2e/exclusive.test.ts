/** One run of a workspace at a time (T-11). */
import { expect, test } from 'vitest';
import { httpService, needs, shellService, staying } from '../support/declared-services.ts';
import { Site } from '../support/site.ts';

test('T-11 a run beside a live one is refused, naming it, and disturbs nothing', async () => {
  await using site = new Site();
  site.declare('alone', [shellService('a', `echo started >> starts; ${staying()}`)]);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  const { run, pid } = await site.json('status');
  for (const words of [['run'], ['run', '--detach', '--wait']]) {
    const { status, stderr } = await site.skein(...words);
    expect(status).toBe(1);
    expect(stderr).toContain(String(run));
    expect(stderr).toContain(`process ${pid}`);
    expect(stderr).toContain('skein stop');
  }
  expect(site.lines('starts')).toEqual(['started']);
  expect(await site.json('status')).toMatchObject({ run, pid, state: 'ready' });
  expect((await site.skein('stop')).status).toBe(0);
  site.expectNothingLeft();
});

test('T-11 of runs that begin at once exactly one wins', async () => {
  await using site = new Site();
  site.declare('race', [shellService('a', `echo started >> starts; ${staying()}`)]);
  const ends = await Promise.all(Array.from({ length: 4 }, () => site.skein('run', '--detach', '--wait')));
  expect(ends.map(({ status }) => status).toSorted()).toEqual([0, 1, 1, 1]);
  for (const { status, stderr } of ends) if (status === 1) expect(stderr).toContain('SK1501');
  expect(site.lines('starts')).toEqual(['started']);
  expect((await site.skein('stop')).status).toBe(0);
  site.expectNothingLeft();
});

test('T-11 the workspace is free again when a run has ended', async () => {
  await using site = new Site();
  site.declare('again', [shellService('a', `echo started >> starts; ${staying()}`)]);
  for (const round of [1, 2, 3]) {
    expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
    expect((await site.skein('stop')).status).toBe(0);
    expect(site.lines('starts')).toHaveLength(round);
  }
  site.expectNothingLeft();
});

test('N-2 N-9 copies of one workspace run side by side with temporary ports, and keep them over restarts', async () => {
  await using first = new Site();
  await using second = new Site();
  const sites = [first, second];
  for (const site of sites)
    site.declare('twin', [httpService('api'), httpService('web', { ...needs('api') })]);
  const ends = await Promise.all(
    sites.map((site) => site.skein('run', '--detach', '--wait', '--temporary-ports')),
  );
  expect(ends.map(({ status }) => status)).toEqual([0, 0]);
  const addresses = () =>
    Promise.all(sites.flatMap((site) => ['twin/api', 'twin/web'].map((service) => site.url(service))));
  const before = await addresses();
  expect(new Set(before).size).toBe(4);
  await Promise.all(sites.map((site) => site.skein('restart', 'api')));
  expect(await addresses()).toEqual(before);
  // What ends one of them leaves the other as it is.
  expect((await first.skein('stop')).status).toBe(0);
  first.expectNothingLeft();
  expect(await second.json('status')).toMatchObject({ state: 'ready' });
  expect((await second.skein('stop')).status).toBe(0);
  second.expectNothingLeft();
});

test('N-3 a copy of a live workspace without temporary ports is refused, naming the one that holds them', async () => {
  await using first = new Site();
  await using second = new Site();
  for (const site of [first, second]) site.declare('twin', [httpService('api')]);
  expect((await first.skein('run', '--detach', '--wait')).status).toBe(0);
  const { pid } = await first.service('twin/api');
  const { status, stderr } = await second.skein('run', '--detach', '--wait');
  expect(status).toBe(1);
  expect(stderr).toContain(`${pid}`);
  expect(stderr).toContain(first.root);
  expect(await first.json('status')).toMatchObject({ state: 'ready' });
  second.expectNothingLeft();
  expect((await first.skein('stop')).status).toBe(0);
});
