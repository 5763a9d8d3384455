/** Readiness that comes and goes, on real agents and real processes (R-1, R-4, R-9, N-10). */
import { once } from 'node:events';
import { existsSync, watch, writeFileSync } from 'node:fs';
import { createServer as createStranger } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { machineAddresses } from '../../src/network/index.ts';
import { whyText } from '../../src/orchestration/readiness/index.ts';
import type { EndpointId, ServiceId } from '../../src/workspace/index.ts';
import { needs, type Rest, shellService, staying, tcpService } from '../support/declared-services.ts';
import { type FlowUnderTest, startFlow } from '../support/flows.ts';

const api = 'site/api' as ServiceId;
const web = 'site/web' as ServiceId;
const http = 'site/api/http' as EndpointId;

/** Closes its port at USR1 and opens it again at USR2; prints both. `HOST`: where it listens. */
const closing = `
  const server = require('node:http').createServer((_, response) => response.end('up'));
  const open = () => server.listen(process.env.PORT, process.env.HOST ?? '127.0.0.1', () => console.log('open'));
  process.on('SIGUSR1', () => { server.close(() => console.log('closed')); server.closeAllConnections(); });
  process.on('SIGUSR2', open);
  open();
  setInterval(() => {}, 1e6);
`;

function closingService(name: string, rest: Rest = {}): object {
  const { health, environment, ...others } = rest;
  return {
    name,
    agent: 'process',
    endpoints: [{ name: 'http', ...(health === undefined ? {} : { health }) }],
    environment: { PORT: '${self:http|port}', ...(environment ?? {}) },
    spec: { command: [process.execPath, '-e', closing] },
    ...others,
  };
}

const soon = { path: '/', interval: '100ms', 'failure-threshold': 2 };

function pidOf(run: FlowUnderTest, service: ServiceId): number {
  const pid = run.flow.snapshot().services.get(service)?.pid ?? 0;
  expect(pid).toBeGreaterThan(0);
  return pid;
}

/** The state in which the run is from now on, after it had the other one. */
function next(run: FlowUnderTest, state: 'ready' | 'degraded'): Promise<void> {
  const { length } = run.happenings;
  return new Promise((resolve) => {
    const watching = run.flow.onEvent(({ happening }) => {
      if (run.happenings.length > length && happening.type === 'run-state' && happening.state === state) {
        resolve();
        queueMicrotask(() => watching[Symbol.dispose]());
      }
    });
  });
}

/** The port that was proposed for the service `api`. */
function portOf(run: FlowUnderTest): number {
  return Number(run.flow.address(http)?.split(':').at(-1));
}

/** When the workspace has this file. */
function whenThere(run: FlowUnderTest, name: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(run.path('.'), () => {
      if (!existsSync(run.path(name))) return;
      watcher.close();
      resolve();
    });
  });
}

function why(run: FlowUnderTest, service: ServiceId): string {
  return whyText(run.flow.why(service), Date.now()).join('\n');
}

describe('readiness', () => {
  test('R-1 R-8 is revoked when the port closes, and regained when it opens again', async () => {
    await using run = await startFlow([closingService('api'), shellService('web', staying(), needs('api'))]);
    await run.flow.waitReady();
    expect(why(run, api)).toBe('');
    const degraded = next(run, 'degraded');
    process.kill(pidOf(run, api), 'SIGUSR1');
    await degraded;
    expect(run.flow.snapshot().services.get(api)).toMatchObject({ state: 'running', ready: false });
    expect(why(run, api)).toMatch(/^site\/api\/http: tcp-connect does not hold: connection refused \(for /);
    // What runs already does not wait for its gate again.
    expect(run.flow.snapshot().services.get(web)).toMatchObject({ state: 'running', restarts: 0 });
    const ready = next(run, 'ready');
    process.kill(pidOf(run, api), 'SIGUSR2');
    await ready;
    expect(run.flow.snapshot().services.get(api)).toMatchObject({ ready: true, restarts: 0 });
    expect(why(run, api)).toBe('');
  });

  test('R-1 R-5 a dependent that starts while its dependency is not ready waits for that', async () => {
    await using run = await startFlow([
      closingService('api', { health: soon }),
      shellService('web', staying(), needs('api')),
    ]);
    await run.flow.waitReady();
    await run.flow.stopServices([web]);
    const lost = run.happening('service-readiness', (it) => it.service === api && !it.ready);
    process.kill(pidOf(run, api), 'SIGUSR1');
    await lost;
    const { length } = run.happenings;
    const started = run.flow.startServices([web]);
    process.kill(pidOf(run, api), 'SIGUSR2');
    await started;
    const order = run.happenings.slice(length).flatMap((it) => {
      if (it.type === 'service-readiness' && it.service === api)
        return [it.ready ? 'api ready' : 'api not ready'];
      return it.type === 'service-state' && it.service === web && it.state === 'starting'
        ? ['web starts']
        : [];
    });
    expect(order).toEqual(['api ready', 'web starts']);
  });

  test('R-4 a suspended process loses a declared path, though its port accepts still; continued, it has it again', async () => {
    const health = { ...soon, timeout: '500ms' };
    await using run = await startFlow([closingService('api', { health }), tcpService('web')]);
    await run.flow.waitReady();
    const degraded = next(run, 'degraded');
    process.kill(pidOf(run, api), 'SIGSTOP');
    process.kill(pidOf(run, web), 'SIGSTOP');
    await degraded;
    expect(why(run, api)).toContain('http-status does not hold: no answer within 500 ms');
    expect(run.flow.snapshot().services.get(web)?.ready).toBe(true);
    const ready = next(run, 'ready');
    process.kill(pidOf(run, web), 'SIGCONT');
    process.kill(pidOf(run, api), 'SIGCONT');
    await ready;
  });

  test('R-4 nothing else is probed until a startup command succeeds', async () => {
    const health = {
      startup: { command: 'test -e up', interval: '50ms' },
      liveness: { command: 'touch asked', interval: '50ms' },
    };
    await using run = await startFlow([shellService('api', staying(), { health })]);
    await run.state(api, 'running');
    const asked = whenThere(run, 'asked');
    expect(existsSync(run.path('asked'))).toBe(false);
    writeFileSync(run.path('up'), '');
    await asked;
  });
});

test('R-1 run-13 a probe whose process has ended fails the run promptly; who waits for it never starts', async () => {
  const health = { command: 'false', interval: '100ms' };
  await using run = await startFlow(
    [
      shellService('api', 'echo bye', { health, restart: 'never' }),
      shellService('web', staying(), needs('api')),
    ],
    { failBeforeReady: true },
  );
  const failed = run.state(api, 'failed');
  await expect(run.flow.waitReady()).rejects.toThrow(
    'site/api ended with status 0 before site/api was ready',
  );
  await run.flow.ended;
  const { services, state, failure } = run.flow.snapshot();
  expect({ state, service: failure?.service }).toEqual({ state: 'stopped', service: api });
  expect((await failed).failure?.exit).toEqual({ kind: 'exited', code: 0 });
  expect(services.get(web)).toMatchObject({ startedAtMs: null, pid: null });
});

describe('liveness', () => {
  test('R-4 R-8 run-15 that fails past its threshold restarts the service, which is healthy again afterwards', async () => {
    const liveness = { path: '/', interval: '100ms', 'failure-threshold': 2 };
    // Until it listens it is not alive yet.
    const startup = { path: '/' };
    await using run = await startFlow([closingService('api', { health: { startup, liveness } })]);
    await run.flow.waitReady();
    const pid = pidOf(run, api);
    const failed = run.state(api, 'failed');
    process.kill(pid, 'SIGUSR1');
    expect((await failed).failure?.message).toMatch(
      /liveness of site\/api\/http failed 2 times in a row: connection refused$/,
    );
    expect(why(run, api)).toContain('liveness of site/api/http failed 2 times in a row');
    await run.happening('process-started', (it) => it.restart && it.pid !== pid);
    await run.flow.waitReady();
    expect(run.flow.snapshot().services.get(api)).toMatchObject({
      state: 'running',
      ready: true,
      restarts: 1,
    });
  });

  test('R-4 a startup that fails past its threshold restarts the service too', async () => {
    const startup = { command: 'test -e up', interval: '50ms', 'failure-threshold': 3 };
    await using run = await startFlow([
      shellService('api', `test -e once && touch up; touch once; ${staying()}`, { health: { startup } }),
    ]);
    const { failure } = await run.state(api, 'failed');
    expect(failure?.message).toContain(
      'startup of site/api failed 3 times in a row: the command exited with',
    );
    await run.happening('process-started', (it) => it.restart);
    await run.flow.waitReady();
  });
});

describe('whose an answer is', () => {
  test('R-9 R-8 somebody else’s listener is not readiness, and `why` names its holder', async () => {
    await using run = await startFlow([
      closingService('api', {
        health: soon,
        spec: { command: 'echo up; until test -e go; do sleep 0.1; done; exec "$NODE" -e "$CLOSING"' },
        environment: { NODE: process.execPath, CLOSING: closing },
      }),
    ]);
    await run.line(api, 'up');
    {
      await using stranger = createStranger((_, response) => response.end('up'));
      await once(stranger.listen(portOf(run), '127.0.0.1'), 'listening');
      await vi.waitFor(() => expect(why(run, api)).toContain('answered by'), { timeout: 20_000 });
      expect(why(run, api)).toMatch(
        new RegExp(
          `127\\.0\\.0\\.1:${portOf(run)} is answered by pid ${process.pid} \\(.*\\), which is not of site/api`,
        ),
      );
    }
    writeFileSync(run.path('go'), '');
    await run.flow.waitReady();
  });

  test('R-9 a service that another has taken the port from is not ready any more', async () => {
    await using run = await startFlow([closingService('api', { health: soon })]);
    await run.flow.waitReady();
    process.kill(pidOf(run, api), 'SIGUSR1');
    await run.line(api, 'closed');
    await using stranger = createStranger((_, response) => response.end('up'));
    await once(stranger.listen(portOf(run), '127.0.0.1'), 'listening');
    await vi.waitFor(() => expect(why(run, api)).toContain('answered by'), { timeout: 20_000 });
    expect(run.flow.snapshot().state).toBe('degraded');
  });
});

describe('off loopback', () => {
  test('N-10 a service that can be reached at an address of the machine is told of, once', async () => {
    const addresses = machineAddresses().filter((address) => !address.includes(':'));
    await using run = await startFlow([
      closingService('api', { environment: { HOST: '0.0.0.0' } }),
      tcpService('web'),
    ]);
    await run.flow.waitReady();
    const expected = addresses.map(
      (address) =>
        `site/api (agent skein/process) is reachable at ${address}:${portOf(run)}; it should listen on 127.0.0.1`,
    );
    await Promise.all(expected.map((text) => run.happening('warning', ({ message }) => message === text)));
    const told = run.happenings.flatMap((it) => (it.type === 'warning' ? [it.message] : []));
    expect(told.filter((message) => message.includes('reachable')).toSorted()).toEqual(expected.toSorted());
  });
});
