/** `skein recover process-group`: what a person decides about a group that no record proves any more (T-9). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { registryFolder } from '../../src/processes/index.ts';
import { shellService } from '../support/declared-services.ts';
import { isAlive } from '../support/process-scan.ts';
import type { Document, Finished } from '../support/running-command.ts';
import { Site } from '../support/site.ts';

/** Notes its end, and starts one process more at USR1. */
const script = `trap 'sleep 601 &' USR1; trap 'echo told >> order; exit 0' TERM; echo up; sleep 600 & while :; do wait; done`;

/** Leaves one group running whose record is of another boot, and answers its number. */
async function unproven(site: Site): Promise<number> {
  site.declare('left', [shellService('a', script)]);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  const { pid: supervisor } = await site.json('status');
  const group = Number((await site.service('left/a'))['pid']);
  const agents = site.processes().filter(({ command }) => command.endsWith('agents.js'));
  // Suspended first: an agent that still lives for a moment would stop its services by itself.
  const all = [...agents.map(({ pid }) => pid), Number(supervisor)];
  for (const name of ['SIGSTOP', 'SIGKILL'] as const) for (const each of all) process.kill(each, name);
  await expect.poll(() => all.some(isAlive), { timeout: 30_000 }).toBe(false);
  const folder = registryFolder(site.environment);
  for (const name of readdirSync(folder)) {
    const [first, second = ''] = readFileSync(join(folder, name), 'utf8').split('\n');
    const leader = JSON.parse(second) as Document;
    if (leader['pid'] === group)
      writeFileSync(join(folder, name), `${first}\n${JSON.stringify({ ...leader, boot: 'another' })}\n`);
  }
  return group;
}

/** From a folder that is no workspace. */
function recover(site: Site, group: number, ...words: readonly string[]): Promise<Finished> {
  const elsewhere = ['/bin/sh', '-c', 'cd / && exec "$@"', 'sh'] as const;
  return site.startWith(elsewhere, 'recover', 'process-group', String(group), ...words).ended;
}

async function preview(site: Site, group: number): Promise<Document> {
  const { status, stdout, stderr } = await recover(site, group, '--preview', '--json');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as Document;
}

describe('T-9 a group that is not proven', () => {
  test('is left by `stop`, and ended by its receipt, with its record; a stranger lives on', async () => {
    await using site = new Site();
    const stranger = spawn('/bin/sh', ['-c', script], { stdio: 'ignore', detached: true });
    try {
      const group = await unproven(site);
      const stopped = await site.skein('stop');
      expect(stopped.status).toBe(1);
      expect(stopped.stderr).toContain(`skein recover process-group ${group} --preview`);
      const shown = await recover(site, group, '--preview');
      expect(shown).toMatchObject({ status: 0, stderr: '' });
      expect(shown.stdout).toContain(`skein recover process-group ${group} --preview --json > ${group}.json`);
      expect(shown.stdout).toContain('left/a');
      const { stdout } = await recover(site, group, '--preview', '--json');
      expect(JSON.parse(stdout)).toMatchObject({
        ...{ group, workspaceRoot: site.root, verdict: 'another-boot', stopSignal: 'SIGTERM' },
        members: expect.arrayContaining([expect.objectContaining({ pid: group })]),
      });
      expect(isAlive(group)).toBe(true);
      expect(site.lines('order')).toEqual([]);
      site.write('receipt.json', stdout);
      const recovered = await recover(site, group, '--expect', site.path('receipt.json'), '--json');
      expect(recovered).toMatchObject({ status: 0, stderr: '' });
      expect(JSON.parse(recovered.stdout)).toEqual({ group, outcome: 'recovered' });
      expect(site.lines('order')).toEqual(['told']);
      expect(site.processes()).toEqual([]);
      expect(site.records()).toEqual([]);
      expect(isAlive(stranger.pid ?? 0)).toBe(true);
      const again = await recover(site, group, '--expect', site.path('receipt.json'));
      expect(again.status).toBe(1);
      expect(again.stderr).toContain('SK1618');
    } finally {
      process.kill(-(stranger.pid ?? 0), 'SIGKILL');
      await once(stranger, 'exit');
    }
  });

  test('is not touched when it has changed since the receipt', async () => {
    await using site = new Site();
    const group = await unproven(site);
    site.write('receipt.json', JSON.stringify(await preview(site, group)));
    process.kill(group, 'SIGUSR1');
    const count = async (): Promise<number> => ((await preview(site, group))['members'] as Document[]).length;
    await expect.poll(count, { timeout: 30_000 }).toBe(3);
    const { status, stdout, stderr } = await recover(site, group, '--expect', site.path('receipt.json'));
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^error SK1619: .*members changed/);
    expect(site.lines('order')).toEqual([]);
    expect(await count()).toBe(3);
    expect(site.records()).toHaveLength(2);
  });
});

describe('T-9 a receipt that is none', () => {
  test.each([
    ['missing', undefined, 'cannot be read'],
    ['not JSON', 'process group 4242 is dead', 'is not JSON'],
    ['something else', '{"pid":4242}', 'is no receipt of a process group'],
    ['that of another group', '{"group":4243}', 'is the receipt of process group 4243, not of 4242'],
  ])('%s: is refused, with the command that makes one', async (_, content, message) => {
    await using site = new Site();
    if (content !== undefined) site.write('receipt.json', content);
    const { status, stdout, stderr } = await recover(site, 4242, '--expect', site.path('receipt.json'));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('error SK1556: ');
    expect(stderr).toContain(message);
    expect(stderr).toContain('--preview --json > FILE');
  });

  test.each([
    ['neither a preview nor a receipt', [], 'SK1553'],
    ['both', ['--preview', '--expect', 'receipt.json'], 'SK1554'],
  ])('%s is a wrong usage', async (_, words, code) => {
    await using site = new Site();
    const { status, stderr } = await recover(site, 4242, ...words);
    expect(status).toBe(2);
    expect(stderr).toContain(`error ${code}: `);
  });

  test('of a group that is not on record there is no preview', async () => {
    await using site = new Site();
    const { status, stderr } = await recover(site, 4242, '--preview');
    expect(status).toBe(1);
    expect(stderr).toContain('error SK1618: no process group 4242 is on record');
  });
});
