/** Sources that change while a run goes on: real files, real agents, real processes (F-14, F-15, N-9). */
import { describe, expect, test } from 'vitest';
import type { ServiceId } from '../../src/workspace/index.ts';
import { needs, shellService, staying, tcpService } from '../support/declared-services.ts';
import { type FlowUnderTest, startFlow } from '../support/flows.ts';

const api = 'site/api' as ServiceId;
const web = 'site/web' as ServiceId;

const of = (run: FlowUnderTest, service: ServiceId) => run.flow.snapshot().services.get(service);

/** The moment in which the service's process has been replaced for the `count`th time. */
const replaced = (run: FlowUnderTest, service: ServiceId, count = 1) =>
  run.happening(
    'process-started',
    (it) => it.service === service && it.restart && of(run, service)?.restarts === count,
  );

describe('a service whose sources change', () => {
  test('F-15 is replaced, at the address that it had, and nobody else is', async () => {
    await using run = await startFlow(
      [
        { ...tcpService('api'), spec: { ...(tcpService('api') as { spec: object }).spec, watch: ['src'] } },
        shellService('web', staying(), needs('api')),
      ],
      { files: { 'src/a.txt': '1' } },
    );
    await run.flow.waitReady();
    const before = [of(run, api), of(run, web)];
    run.write('src/a.txt', '2');
    await replaced(run, api);
    await run.flow.waitReady();
    expect(of(run, api)?.pid).not.toBe(before[0]?.pid);
    expect(of(run, api)?.endpoints[0]?.address).toBe(before[0]?.endpoints[0]?.address);
    expect(of(run, web)).toMatchObject({ pid: before[1]?.pid, restarts: 0 });
    const reloads = run.happenings.filter((it) => it.type === 'reload');
    expect(reloads).toMatchObject([
      { service: api, phase: 'start', cause: expect.stringContaining('src/a.txt') },
    ]);
  });

  test('F-15 runs on where its build fails, says so, and is replaced once the build is mended', async () => {
    await using run = await startFlow(
      [
        shellService('api', staying(), {
          spec: { watch: ['src'], build: 'echo building; ! grep -q broken src/a.txt' },
        }),
      ],
      { files: { 'src/a.txt': '1' } },
    );
    await run.flow.waitReady();
    const before = of(run, api)?.pid;
    run.write('src/a.txt', 'broken');
    const { failure } = await run.happening('reload-failed', (it) => it.service === api);
    expect(failure.phase).toBe('init');
    expect(of(run, api)).toMatchObject({
      state: 'running',
      ready: true,
      pid: before,
      restarts: 0,
      failure: null,
    });
    expect(of(run, api)?.reloadFailure?.message).toBe(failure.message);
    expect(run.flow.snapshot().state).toBe('ready');
    run.write('src/a.txt', 'mended');
    await replaced(run, api);
    expect(of(run, api)).toMatchObject({ state: 'running', reloadFailure: null, restarts: 1 });
    expect(of(run, api)?.pid).not.toBe(before);
  });

  test('F-9 F-15 is tried at once, and not after its pause', async () => {
    await using run = await startFlow(
      [
        shellService('api', 'grep -q mended src/a.txt && exec sleep 600; exit 3', {
          restart: { policy: 'on-failure', attempts: 1 },
          spec: { watch: ['src'] },
        }),
      ],
      { files: { 'src/a.txt': '1' } },
    );
    await run.state(api, 'crash-looping');
    run.write('src/a.txt', 'mended');
    await run.state(api, 'running');
    await run.flow.waitReady();
    expect(of(run, api)).toMatchObject({ state: 'running', failure: null });
  });

  test('N-9 F-15 goes on as it is where it reloads itself, and its addresses are what they were', async () => {
    await using run = await startFlow(
      [
        shellService('api', staying(), {
          spec: { watch: ['src'], build: 'echo built $(cat src/a.txt)', 'hot-reload': true },
        }),
      ],
      { files: { 'src/a.txt': '1' } },
    );
    await run.flow.waitReady();
    const before = of(run, api)?.pid;
    run.write('src/a.txt', '2');
    await run.line(api, 'built 2');
    run.write('src/a.txt', '3');
    await run.line(api, 'built 3');
    expect(of(run, api)).toMatchObject({ state: 'running', pid: before, restarts: 0 });
    // Whatever a Start would have done is done before the stop.
    await run.flow.stopServices([api]);
    expect(run.happenings.filter((it) => it.type === 'process-started')).toHaveLength(1);
  });

  test('F-21 N-9 is another process after a restart, also where it reloads itself', async () => {
    await using run = await startFlow([
      shellService('api', staying(), { spec: { watch: ['src'], 'hot-reload': true } }),
    ]);
    await run.flow.waitReady();
    const before = of(run, api)?.pid;
    await Promise.all([run.flow.restart(api), run.flow.restart(api)]);
    expect(of(run, api)).toMatchObject({ state: 'running', exit: null });
    expect(of(run, api)?.pid).not.toBe(before);
  });

  test('F-15 F-21 that was told to stop stays stopped', async () => {
    await using run = await startFlow(
      [
        shellService('api', staying(), { spec: { watch: ['src'] } }),
        shellService('web', staying(), { spec: { watch: ['src'] } }),
      ],
      { files: { 'src/a.txt': '1' } },
    );
    await run.flow.waitReady();
    await run.flow.stopServices([api]);
    run.write('src/a.txt', '2');
    await replaced(run, web);
    expect(of(run, api)).toMatchObject({ state: 'stopped', restarts: 0 });
  });
});

test('F-8 F-15 a job runs again when its own sources change, and what waits for it waits again', async () => {
  const job = shellService('api', 'until [ -e go ]; do sleep 0.02; done; rm go; echo done', {
    kind: 'job',
    spec: { watch: ['src'] },
  });
  await using run = await startFlow(
    [job, shellService('web', staying(), needs({ name: 'api', wait: 'completed' }))],
    {
      files: { 'src/a.txt': '1', go: '' },
    },
  );
  await run.flow.waitReady();
  run.write('src/a.txt', '2');
  await replaced(run, api);
  expect(of(run, api)).toMatchObject({ state: 'running', ready: false });
  run.write('go', '');
  let completions = 0;
  await run.happening(
    'service-state',
    (it) => it.service === api && it.state === 'completed' && ++completions === 2,
  );
  expect(of(run, web)).toMatchObject({ state: 'running', restarts: 0 });
});
