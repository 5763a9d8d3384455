/** Stopping, starting and restarting services of a run that goes on (F-21). */
import { describe, expect, test } from 'vitest';
import type { ServiceId } from '../../src/workspace/index.ts';
import { needs, shellService, staying, tcpService } from '../support/declared-services.ts';
import { type FlowUnderTest, startFlow } from '../support/flows.ts';

const db = 'site/db' as ServiceId;
const api = 'site/api' as ServiceId;
const web = 'site/web' as ServiceId;

const chain = [
  tcpService('db'),
  tcpService('api', needs('db')),
  shellService('web', staying(), needs('api')),
];

const stateOf = (run: FlowUnderTest, service: ServiceId): string | undefined =>
  run.flow.snapshot().services.get(service)?.state;

const pidOf = (run: FlowUnderTest, service: ServiceId): number | null | undefined =>
  run.flow.snapshot().services.get(service)?.pid;

const startsOf = (run: FlowUnderTest, service: ServiceId): number =>
  run.happenings.filter((it) => it.type === 'process-started' && it.service === service).length;

describe('F-21 one service of a run', () => {
  test('is started after what it needs is ready', async () => {
    await using run = await startFlow(chain);
    await run.flow.waitReady();
    const receipt = await run.flow.stopServices([db]);
    expect(receipt.resources.map(({ id }) => id)).toEqual([web, api, db]);
    await run.flow.startServices([web]);
    const starts = run.happenings.flatMap((it) => (it.type === 'process-started' ? [it.service] : []));
    expect(starts).toEqual([db, api, web, db, api, web]);
    expect([db, api, web].map((id) => stateOf(run, id))).toEqual(['running', 'running', 'running']);
  });

  test('R-8 waits for what it needs while that comes up, and says so', async () => {
    await using run = await startFlow([
      shellService(
        'db',
        '[ -e closed ] && { until [ -e open ]; do sleep 0.02; done; }; echo open; exec sleep 600',
        {
          health: { command: 'test ! -e closed || test -e open' },
        },
      ),
      shellService('web', staying(), needs('db')),
    ]);
    await run.flow.waitReady();
    await run.flow.stopServices([db]);
    run.write('closed', '');
    const started = run.flow.startServices([web]);
    await run.state(web, 'waiting');
    await run.happening('process-started', (it) => it.service === db && it.restart);
    expect(run.flow.snapshot().services.get(web)).toMatchObject({
      state: 'waiting',
      waitingFor: { service: db, predicate: 'command' },
    });
    expect(run.flow.why(web).map(({ service }) => service)).toEqual([web, db]);
    run.write('open', '');
    await started;
    expect(stateOf(run, web)).toBe('running');
  });

  test('that runs is left as it is by a start', async () => {
    await using run = await startFlow(chain);
    await run.flow.waitReady();
    const before = pidOf(run, web);
    await run.flow.startServices([web, db]);
    expect(pidOf(run, web)).toBe(before);
    expect(startsOf(run, web)).toBe(1);
  });

  test('that is restarted brings up what it needs and was stopped', async () => {
    await using run = await startFlow(chain);
    await run.flow.waitReady();
    await run.flow.stopServices([db], { only: true });
    expect(stateOf(run, web)).toBe('running');
    await run.flow.restart(api);
    expect([db, api].map((id) => stateOf(run, id))).toEqual(['running', 'running']);
    expect(startsOf(run, web)).toBe(1);
  });

  test('ends as the last who asked wanted it, whoever asks at once', async () => {
    await using run = await startFlow(chain);
    await run.flow.waitReady();
    const asked = [
      run.flow.stopServices([api]),
      run.flow.startServices([web]),
      run.flow.stopServices([db]),
      run.flow.stopServices([web]),
      run.flow.startServices([api]),
      run.flow.startServices([api]),
    ];
    const results = await Promise.allSettled(asked);
    // Who was overtaken by a stop hears of it; nobody waits for ever.
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'SK1401' });
    expect(results.at(-1)?.status).toBe('fulfilled');
    expect([db, api, web].map((id) => stateOf(run, id))).toEqual(['running', 'running', 'stopped']);
  });

  test('that is restarted several times at once runs once', async () => {
    await using run = await startFlow(chain);
    await run.flow.waitReady();
    await Promise.all([run.flow.restart(web), run.flow.restart(web), run.flow.restart(web)]);
    await run.flow.stopServices([web]);
    const started = startsOf(run, web);
    expect(started).toBeGreaterThan(1);
    expect(started).toBeLessThanOrEqual(4);
    const ended = run.happenings.filter((it) => it.type === 'process-ended' && it.service === web).length;
    expect(ended).toBe(started);
  });
});
