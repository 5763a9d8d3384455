/** What skein keeps in `.skein` and finds damaged: it is named, and nobody is locked out of the workspace. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { shellJob, shellService, staying } from '../support/declared-services.ts';
import { Site } from '../support/site.ts';

describe('T-3 how the last run ended', () => {
  test.each([
    ['empty', ''],
    ['half written', '{ "endedAt": "2026-'],
    ['of the wrong kind', '{ "endedAt": 7, "run": [] }'],
  ])('%s: `status --last` says so, and `status` goes on without it', async (_, content) => {
    await using site = new Site();
    site.declare('damaged', [shellJob('a', 'echo done')]);
    mkdirSync(site.path('.skein'));
    site.write('.skein/last.json', content);
    const last = await site.skein('status', '--last');
    expect(last).toMatchObject({ status: 1, stdout: '' });
    expect(last.stderr).toMatch(/^error SK1515: .*last\.json is damaged\n[\s\S]*to do: Remove/);
    const plain = await site.skein('status', '--json');
    expect(plain.status).toBe(1);
    expect(JSON.parse(plain.stdout)).toMatchObject({ workspace: 'damaged', state: 'stopped', last: null });
    expect(plain.stderr).toMatch(/^warning SK1515: .*last\.json is damaged\n$/);
    expect((await site.skein('run')).stdout).toBe('a | done\n');
    expect((await site.skein('status', '--last')).status).toBe(0);
    site.expectNothingLeft();
  });
});

describe('the record of a run that is damaged', () => {
  const damage = (site: Site, runId: string): void =>
    writeFileSync(site.path(`.skein/runs/${runId}/run.json`), '{"run":');

  test('locks nobody out when the run has ended, and is named by `status` and `logs`', async () => {
    await using site = new Site();
    site.declare('damaged', [shellJob('a', 'echo done')]);
    expect((await site.skein('run')).status).toBe(0);
    const [first = ''] = readdirSync(site.path('.skein/runs'));
    damage(site, first);
    const warning = new RegExp(`^warning SK1515: .*${first}/run\\.json is damaged\\n`);
    expect((await site.skein('status', '--last')).stderr).toMatch(warning);
    const lost = await site.skein('logs');
    expect(lost.status).toBe(1);
    expect(lost.stderr).toMatch(new RegExp(`^error SK1515: .*${first}/run\\.json is damaged\\n`));
    expect((await site.skein('stop')).status).toBe(0);
    expect((await site.skein('run')).status).toBe(0);
    expect(await site.skein('logs')).toMatchObject({ status: 0, stdout: 'a | done\n', stderr: '' });
    const second = readdirSync(site.path('.skein/runs')).find((runId) => runId !== first) ?? '';
    mkdirSync(site.path('.skein/runs/99991231-235959-zzzz'));
    damage(site, '99991231-235959-zzzz');
    const older = await site.skein('logs');
    expect(older).toMatchObject({ status: 0, stdout: 'a | done\n' });
    expect(older.stderr).toMatch(/^warning SK1515: .*zzzz\/run\.json is damaged\n/);
    expect(older.stderr).toContain(`run ${second}`);
    site.expectNothingLeft();
  });

  test('of a live run is named with its process, and how to end it works', async () => {
    await using site = new Site();
    site.declare('damaged', [shellService('a', staying('touch told'))]);
    expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
    const { pid, run } = await site.json('status');
    damage(site, String(run));
    for (const words of [['status'], ['stop'], ['logs'], ['why', 'a']]) {
      const { status, stderr } = await site.skein(...words);
      expect(status).toBe(1);
      expect(stderr).toContain(`SK1515: run ${run} is live (process ${pid})`);
      expect(stderr).toContain(`kill -INT ${pid}`);
    }
    expect((await site.skein('run')).stderr).toContain('SK1501');
    process.kill(Number(pid), 'SIGINT');
    await site.untilNothingRuns();
    expect(readdirSync(site.root)).toContain('told');
    expect((await site.skein('logs')).stdout).toContain('up');
    site.expectNothingLeft();
  });
});
