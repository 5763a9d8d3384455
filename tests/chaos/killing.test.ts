/** Parts of a run of 20 services are killed at a moment of it: after a stop nothing of it is left, and every stranger lives (T-13). */
import { expect, test } from 'vitest';
import { isAlive } from '../support/process-scan.ts';
import type { Document, Finished, RunningCommand } from '../support/running-command.ts';
import type { Killing, Moment, victims } from './cases.ts';
import { chosen } from './chosen.ts';
import { Ground, serviceCount } from './ground.ts';

test.each(chosen().killings.map((killing) => [killing.victim, killing.moment, killing] as const))(
  'T-13 %s, killed at: %s',
  async (_, __, killing) => {
    await using ground = await Ground.make();
    const run = ground.start(killing.failFast);
    await reach(run, killing.moment);
    await kill(ground, run, killing);
    const stopped = await ground.site.skein('stop', '--json');
    expect(stopped.stderr).toBe('');
    expect(unclean(stopped)).toEqual([]);
    await run.ended;
    await ground.expectOver(run);
    expect(await ground.site.skein('stop')).toMatchObject({ status: 0, stdout: 'no run is live\n' });
  },
);

/** What a receipt says of services besides that they were stopped or killed, or that the agent was killed which would have. */
function unclean({ stdout }: Finished): readonly unknown[] {
  const { resources } = JSON.parse(stdout) as { readonly resources: readonly Document[] };
  return resources.filter(
    ({ outcome, error }) =>
      !['stopped', 'forced'].includes(String(outcome)) &&
      !/^agent \S+ was ended by SIGKILL/.test(String(error)),
  );
}

/** Resolves with the event that the moment begins with. */
async function reach(run: RunningCommand, moment: Moment): Promise<void> {
  switch (moment) {
    case 'load':
    case 'init':
    case 'start':
      await run.document(({ phase, service }) => phase === moment && service !== undefined);
      return;
    case 'half started': {
      const running = new Set<unknown>();
      await run.document(({ service, state }) => {
        if (service !== undefined && state === 'running') running.add(service);
        return running.size >= serviceCount / 2;
      });
      return;
    }
    case 'ready':
      await run.runState('ready');
      return;
    case 'teardown':
      await run.runState('ready');
      run.signal('SIGINT');
      await run.document(({ phase, state }) => phase === 'stop' && state === 'stopping');
  }
}

async function kill(ground: Ground, run: RunningCommand, { victim }: Killing): Promise<void> {
  const pids = await pidsOf(ground, run, victim);
  // Suspended first, so that none acts on the end of another.
  for (const name of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of pids) signalIfThere(pid, name);
  await expect.poll(() => pids.filter(isAlive), { timeout: 30_000 }).toEqual([]);
}

async function pidsOf(
  ground: Ground,
  run: RunningCommand,
  victim: (typeof victims)[number],
): Promise<readonly number[]> {
  switch (victim) {
    case 'supervisor':
      return [run.pid];
    case 'agent':
      return [await ground.foreignAgent()];
    case 'agent host':
      return [await ground.agentHost()];
    case 'service':
      return [await ground.service()];
    case 'everybody':
      return [...ground.agents(), run.pid];
  }
}

/** In a teardown the victim may have ended by itself just now. */
function signalIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
