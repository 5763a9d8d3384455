/** `skein stop` while a run is only beginning (T-8): it waits for it instead of saying that there is none. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { shellService, staying } from '../support/declared-services.ts';
import { Site } from '../support/site.ts';

/** Suspends the supervisor as its first act, before it has claimed or started anything. */
const suspended = `data:text/javascript,if (process.argv[2] === '__supervise') process.kill(process.pid, 'SIGSTOP')`;

test('T-8 a stop before the claim of a detached run waits for the run, and ends it', async () => {
  await using site = new Site({ environment: { NODE_OPTIONS: `--import="${suspended}"` } });
  site.declare('beginning', [shellService('a', staying())]);
  const run = site.start('run', '--detach', '--wait');
  const supervisor = (): number =>
    site.processes().find(({ command }) => command.includes('__supervise'))?.pid ?? 0;
  await expect.poll(() => noted(site), { timeout: 30_000 }).toBe(true);
  const stop = site.start('stop');
  await expect
    .poll(() => stop.stderr, { timeout: 30_000 })
    .toBe(`waiting for a run that is beginning (process ${supervisor()})\n`);
  process.kill(supervisor(), 'SIGCONT');
  const stopped = await stop.ended;
  expect(stopped.status).toBe(0);
  expect(stopped.stderr).toMatch(/stopping run /);
  await run.ended;
  site.expectNothingLeft();
});

test('T-8 a run whose supervisor was killed before its claim is none', async () => {
  await using site = new Site({ environment: { NODE_OPTIONS: `--import="${suspended}"` } });
  site.declare('beginning', [shellService('a', staying())]);
  const run = site.start('run', '--detach', '--wait');
  await expect.poll(() => noted(site), { timeout: 30_000 }).toBe(true);
  const [supervisor] = site.processes().filter(({ command }) => command.includes('__supervise'));
  const stop = site.start('stop');
  await expect.poll(() => stop.stderr, { timeout: 30_000 }).toContain('waiting for a run');
  process.kill(supervisor?.pid ?? 0, 'SIGKILL');
  expect(await stop.ended).toMatchObject({ status: 0, stdout: 'no run is live\n' });
  expect((await run.ended).stderr).toContain('SK1509');
  site.expectNothingLeft();
});

function noted(site: Site): boolean {
  return readdirSync(site.root, { recursive: true, encoding: 'utf8' }).some((name) =>
    name.endsWith('supervisor.json'),
  );
}
