/** A crash after which nobody is left to act: supervisor and agents die together, and the services live. */
import { expect } from 'vitest';
import { isAlive } from '../support/process-scan.ts';
import type { Site } from '../support/site.ts';

/** Runs the workspace, kills its supervisor and agents at once, and answers the services' pids by their ids. */
export async function crash(site: Site): Promise<ReadonlyMap<string, number>> {
  expect((await site.skein('run', '--detach', '--wait', '--temporary-ports')).status).toBe(0);
  const { pid } = await site.json('status');
  const services = await site.services();
  await killTogether([...agentsOf(site), Number(pid)]);
  const pids = new Map([...services].map(([id, service]) => [id, Number(service['pid'])]));
  for (const each of pids.values()) expect(isAlive(each)).toBe(true);
  return pids;
}

export function agentsOf(site: Site): readonly number[] {
  const agents = site.processes().filter(({ command }) => command.endsWith('agents.js'));
  expect(agents).toHaveLength(1);
  return agents.map(({ pid }) => pid);
}

/** Suspended first: an agent that still lives for a moment would stop its services by itself. */
export async function killTogether(pids: readonly number[]): Promise<void> {
  for (const name of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of pids) process.kill(pid, name);
  await expect.poll(() => pids.some(isAlive), { timeout: 30_000 }).toBe(false);
}
