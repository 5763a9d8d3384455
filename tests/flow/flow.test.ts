/** A whole flow on real agents and real processes, driven through its programmatic face. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SkeinError } from '../../src/errors/index.ts';
import type { EndpointId, ServiceId } from '../../src/workspace/index.ts';
import { needs, shellJob, shellService, staying, tcpService } from '../support/declared-services.ts';
import { startFlow } from '../support/flows.ts';

const api = 'site/api' as ServiceId;
const db = 'site/db' as ServiceId;
const other = 'site/other' as ServiceId;

describe('a flow', () => {
  test('F-1 two of them live side by side in one process', async () => {
    await using first = await startFlow([tcpService('api')]);
    await using second = await startFlow([tcpService('api')]);
    await Promise.all([first.flow.waitReady(), second.flow.waitReady()]);
    await first.flow.stop();
    expect(second.flow.snapshot().state).toBe('ready');
    expect(second.flow.snapshot().services.get(api)?.pid).toBeGreaterThan(0);
  });

  test('F-6 R-5 starts a dependent when its dependency is ready', async () => {
    await using run = await startFlow([
      tcpService('db'),
      tcpService('api', needs('db')),
      tcpService('other'),
    ]);
    await run.flow.waitReady();
    const dbReady = run.happenings.findIndex(
      (it) => it.type === 'service-readiness' && it.service === db && it.ready,
    );
    const apiStarts = run.happenings.findIndex(
      (it) => it.type === 'service-state' && it.service === api && it.state === 'starting',
    );
    expect(dbReady).toBeGreaterThan(-1);
    expect(apiStarts).toBeGreaterThan(dbReady);
  });

  test('F-6 R-5 makes nobody wait who depends on nothing', async () => {
    await using run = await startFlow([
      shellService('db', 'exec sleep 600', { health: { command: 'false' } }),
      shellService('api', staying(), needs('db')),
      shellService('other', staying()),
    ]);
    await run.state(other, 'running');
    expect(run.flow.snapshot().services.get(api)?.pid).toBeNull();
  });

  test('F-13 hands to each service what its dependencies publish, and nothing of anybody else', async () => {
    const tell =
      'printenv | grep -e ^SKEIN__ENDPOINT__ -e ^SKEIN__SERVICE_CONFIGURATION__; echo told; exec sleep 600';
    await using run = await startFlow([
      tcpService('db', { spec: { command: ['sleep', '600'], 'runtime-configuration': { role: 'reader' } } }),
      shellService('api', tell, needs({ name: 'db', wait: 'started' })),
      shellService('other', tell),
    ]);
    await Promise.all([run.line(api, 'told'), run.line(other, 'told')]);
    expect(run.linesOf(api).toSorted()).toEqual([
      `SKEIN__ENDPOINT__SITE__DB__TCP__TCP=${run.flow.address('site/db/tcp' as EndpointId)}`,
      'SKEIN__SERVICE_CONFIGURATION__SITE__DB__ROLE__VALUE=reader',
      'told',
    ]);
    expect(run.linesOf(other)).toEqual(['told']);
  });

  test('F-9 tries a failing service again by itself; the rest of the run goes on', async () => {
    await using run = await startFlow([
      tcpService('db'),
      shellService('api', 'test -e ok || { touch ok; echo not yet >&2; exit 4; }; exec sleep 600'),
    ]);
    const failed = await run.state(api, 'failed');
    expect(failed).toMatchObject({ failure: { exit: { kind: 'exited', code: 4 }, lastLines: ['not yet'] } });
    await run.flow.waitReady();
    const { services } = run.flow.snapshot();
    expect(services.get(api)).toMatchObject({ state: 'running', restarts: 1 });
    expect(services.get(db)).toMatchObject({ state: 'running', restarts: 0 });
  });

  test('F-4 F-9 with fail-fast ends with the words of the service that failed, not of the origin', async () => {
    await using run = await startFlow(
      [
        shellService('api', staying(), needs('db')),
        tcpService('db', { spec: { command: 'echo the disk is broken; exit 3' } }),
      ],
      { failFast: true },
    );
    const error: unknown = await run.flow.waitReady().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SkeinError);
    expect(error).toMatchObject({
      message: 'site/db exited with status 3',
      lastLines: ['the disk is broken'],
    });
    await run.flow.ended;
    expect(run.flow.snapshot()).toMatchObject({ state: 'stopped', failure: { service: db } });
    expect(run.flow.snapshot().services.get(api)?.startedAtMs).toBeNull();
  });

  test('R-1 is not ready while a process is dead, and is when it is up again', async () => {
    await using run = await startFlow([tcpService('api')]);
    await run.flow.waitReady();
    const pid = run.flow.snapshot().services.get(api)?.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    await run.runState('degraded');
    await run.happening('process-started', (it) => it.restart && it.service === api && it.pid !== pid);
    await run.flow.waitReady();
    expect(run.flow.snapshot().services.get(api)).toMatchObject({
      state: 'running',
      ready: true,
      restarts: 1,
    });
  });

  test('F-8 R-5 starts what waits for the completion of a job after it', async () => {
    await using run = await startFlow([
      shellJob('db', 'echo migrated > done'),
      shellService('api', 'cat done; exec sleep 600', needs('db')),
    ]);
    await run.line(api, 'migrated');
    await run.flow.waitReady();
    expect(run.flow.snapshot().services.get(db)).toMatchObject({ state: 'completed', ready: true });
    expect(readFileSync(run.path('done'), 'utf8')).toBe('migrated\n');
  });
});
