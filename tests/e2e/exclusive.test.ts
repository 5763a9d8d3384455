/** One run of a workspace at a time (T-11). */
import { expect, test } from 'vitest';
import { shellService, staying } from '../support/declared-services.ts';
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
