/** Stopping a flow, or services of it, while real agents and processes are in the middle of something. */
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/orchestration/manual-clock.ts';
import type { ServiceId } from '../../src/workspace/index.ts';
import { needs, shellService, staying, tcpService } from '../support/declared-services.ts';
import { startFlow } from '../support/flows.ts';
import { isAlive } from '../support/process-scan.ts';

const api = 'site/api' as ServiceId;
const db = 'site/db' as ServiceId;

describe('a run that is stopped while it starts', () => {
  test('T-6 T-1 takes down what exists, consumers first', async () => {
    await using run = await startFlow([
      tcpService('db'),
      shellService('api', staying(), {
        ...needs({ name: 'db', wait: 'started' }),
        spec: { build: ['sleep', '600'] },
      }),
    ]);
    await run.state(api, 'initializing');
    await run.state(db, 'running');
    const { resources } = await run.flow.stop();
    expect(resources.map(({ id, layer, outcome }) => [id, layer, outcome])).toEqual([
      [api, 0, 'stopped'],
      [db, 1, 'stopped'],
    ]);
  });

  test('F-10 ends the work that an agent does for a cancelled Init', async () => {
    await using run = await startFlow([
      shellService('api', staying(), { spec: { build: 'echo pid $$; exec sleep 600' } }),
    ]);
    const pid = Number((await run.line(api, 'pid ')).slice('pid '.length));
    await run.flow.stop();
    expect(isAlive(pid)).toBe(false);
  });

  test('starts nothing more, and says of which service and when', async () => {
    await using run = await startFlow([shellService('api', staying())]);
    await run.flow.stop();
    await expect(run.flow.restart(api)).rejects.toMatchObject({
      code: 'SK1407',
      place: { service: api, phase: 'start' },
    });
  });
});

describe('a service that is told to stop', () => {
  test('U-9 F-21 is not started again by its back-off', async () => {
    const clock = new ManualClock();
    await using run = await startFlow([shellService('api', 'exit 4')], {
      clock,
      readinessTimeoutMs: 3_600_000,
    });
    await run.state(api, 'failed');
    // So long does it pause, and then it is tried again.
    await clock.advance(1_000);
    let failures = 0;
    await run.happening(
      'service-state',
      (it) => it.service === api && it.state === 'failed' && ++failures === 2,
    );
    await run.flow.stopServices([api]);
    await clock.advance(60_000);
    const starts = run.happenings.filter((it) => it.type === 'service-state' && it.state === 'starting');
    expect(starts).toHaveLength(2);
    expect(run.flow.snapshot().services.get(api)?.state).toBe('stopped');
  });

  test('T-2 T-4 has all of its stop-timeout, also where that is longer than the usual deadline', async () => {
    await using run = await startFlow([
      shellService('api', "trap 'sleep 16; exit 0' TERM; echo up; while :; do sleep 1; done", {
        spec: { 'stop-timeout': '25s' },
      }),
    ]);
    await run.line(api, 'up');
    const { resources } = await run.flow.stop();
    expect(resources).toMatchObject([{ id: api, outcome: 'stopped', error: null }]);
  });
});
