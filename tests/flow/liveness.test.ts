/** Probes that say that a service which runs is not alive. */
import { describe, expect, test } from 'vitest';
import type { ServiceId } from '../../src/workspace/index.ts';
import { httpService } from '../support/declared-services.ts';
import { startFlow } from '../support/flows.ts';
import { isAlive } from '../support/process-scan.ts';

const api = 'site/api' as ServiceId;

/** Healthy until its file `sick` exists. */
const mortal = (restart: object | string, probe: object): object =>
  httpService('api', {
    restart,
    environment: { SICK: 'sick' },
    endpoints: [{ name: 'http', api: 'http', health: { path: '/healthz', ...probe } }],
  });

/** Not asked before it has come up once. */
const liveness = {
  startup: { path: '/healthz', 'failure-threshold': 1_000 },
  liveness: { path: '/livez', interval: '50ms', 'failure-threshold': 2 },
};

describe('a service whose liveness fails past its threshold', () => {
  test('run-15 R-4 is restarted, counted, and running and ready again afterwards', async () => {
    await using run = await startFlow([mortal({ policy: 'on-failure', backoff: '10ms' }, liveness)]);
    await run.flow.waitReady();
    const before = run.flow.snapshot().services.get(api)?.pid;
    run.write('sick', '');
    const { failure } = await run.state(api, 'failed');
    expect(failure?.message).toMatch(/^site\/api is not healthy: .*liveness/);
    expect(isAlive(Number(before))).toBe(false);
    await run.happening('process-started', (it) => it.service === api && it.restart);
    await run.flow.waitReady();
    const after = run.flow.snapshot().services.get(api);
    expect(after).toMatchObject({ state: 'running', ready: true, restarts: 1, failure: null });
    expect(after?.pid).not.toBe(before);
  });

  test('R-4 F-16 is stopped and stays so where it is never to be restarted', async () => {
    await using run = await startFlow([mortal('never', liveness)]);
    await run.flow.waitReady();
    const before = run.flow.snapshot().services.get(api)?.pid;
    run.write('sick', '');
    await run.state(api, 'failed');
    expect(isAlive(Number(before))).toBe(false);
    expect(run.flow.snapshot().services.get(api)).toMatchObject({ state: 'failed', pid: null, restarts: 0 });
  });
});
