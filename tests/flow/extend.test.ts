/** A running flow that changes: services that the workspace newly composes join, others leave (F-17 to F-19). */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Happening } from '../../src/orchestration/index.ts';
import type { ServiceId } from '../../src/workspace/index.ts';
import { needs, shellJob, shellService, staying, tcpService } from '../support/declared-services.ts';
import { type FlowUnderTest, startFlow } from '../support/flows.ts';

const id = (name: string): ServiceId => `site/${name}` as ServiceId;
const db = id('db');
const api = id('api');
const web = id('web');
const cache = id('cache');

function declare(run: FlowUnderTest, services: readonly object[]): void {
  run.write('workspace.skein.yaml', JSON.stringify({ name: 'site', services }, null, 2));
}

const pids = (run: FlowUnderTest): ReadonlyMap<ServiceId, number | null> =>
  new Map([...run.flow.snapshot().services].map(([service, { pid }]) => [service, pid]));

const startsOf = (run: FlowUnderTest, service: ServiceId): number =>
  run.happenings.filter((it) => it.type === 'process-started' && it.service === service).length;

const warnings = (happenings: readonly Happening[]): readonly string[] =>
  happenings.flatMap((it) => (it.type === 'warning' && it.phase === 'extend' ? [it.message] : []));

describe('F-17 a run is extended', () => {
  test('by what the workspace newly composes, in order, and nothing that runs is restarted', async () => {
    const before = [tcpService('db'), tcpService('api', needs('db'))];
    await using run = await startFlow(before);
    await run.flow.waitReady();
    const running = pids(run);
    declare(run, [...before, tcpService('cache'), shellService('web', staying(), needs('api', 'cache'))]);
    const extension = await run.flow.extend();
    expect(extension).toEqual({ joined: [cache, web], left: [], outdated: [], receipt: null });
    await run.flow.waitReady();
    expect([...run.flow.snapshot().services.keys()]).toEqual([db, cache, api, web]);
    for (const service of [db, api]) expect(pids(run).get(service)).toBe(running.get(service));
    const phases = run.happenings.flatMap((it) =>
      it.type === 'service-state' && it.service === web ? [it.state] : [],
    );
    expect(phases).toEqual(['pending', 'loading', 'initializing', 'waiting', 'starting', 'running']);
    const order = run.happenings.flatMap((it) => (it.type === 'process-started' ? [it.service] : []));
    expect(order.slice(2)).toEqual([cache, web]);
    const receipt = await run.flow.stop();
    expect(receipt.resources.map(({ layer, id: service }) => `${layer} ${service}`)).toEqual([
      `0 ${web}`,
      `1 ${api}`,
      `1 ${cache}`,
      `2 ${db}`,
    ]);
  });

  test('and is not ready until what joined is', async () => {
    await using run = await startFlow([tcpService('db')]);
    await run.flow.waitReady();
    declare(run, [
      tcpService('db'),
      shellJob('late', 'until [ -e ../go ] || [ -e go ]; do sleep 0.02; done'),
    ]);
    await run.flow.extend();
    expect(run.flow.snapshot().state).toBe('starting');
    const ready = run.flow.waitReady();
    run.write('go', '');
    await ready;
    expect(run.flow.snapshot().state).toBe('ready');
  });

  test('by services that are named, where it was started with names; what they need comes with them', async () => {
    const services = [
      tcpService('db'),
      tcpService('api', needs('db')),
      tcpService('cache'),
      tcpService('web', needs('cache')),
    ];
    await using run = await startFlow(services, { roots: [api] });
    await run.flow.waitReady();
    expect(await run.flow.extend()).toMatchObject({ joined: [], left: [] });
    expect(await run.flow.extend(['web'])).toMatchObject({ joined: [cache, web] });
    await run.flow.waitReady();
    expect(await run.flow.extend(['web'])).toMatchObject({ joined: [], left: [] });
    expect([...pids(run).values()].every((pid) => pid !== null)).toBe(true);
    await expect(run.flow.extend(['wbe'])).rejects.toMatchObject({
      message: expect.stringContaining('`web`'),
    });
  });

  test('once, however often it is asked for at the same time', async () => {
    await using run = await startFlow([tcpService('db')]);
    await run.flow.waitReady();
    declare(run, [tcpService('db'), tcpService('api', needs('db')), tcpService('cache')]);
    const answers = await Promise.all([run.flow.extend(), run.flow.extend(), run.flow.extend()]);
    expect(answers.map(({ joined }) => joined.length)).toEqual([2, 0, 0]);
    await run.flow.waitReady();
    expect([db, api, cache].map((service) => startsOf(run, service))).toEqual([1, 1, 1]);
  });

  test('while it is still coming up', async () => {
    const slow = shellJob('slow', 'until [ -e go ]; do sleep 0.02; done');
    await using run = await startFlow([slow]);
    await run.state(id('slow'), 'running');
    declare(run, [slow, tcpService('db'), tcpService('api', needs('db', 'slow'))]);
    await run.flow.extend();
    await run.state(db, 'running');
    expect(run.flow.snapshot().services.get(api)).toMatchObject({
      state: expect.stringMatching(/loading|initializing|waiting/),
    });
    run.write('go', '');
    await run.flow.waitReady();
    expect(startsOf(run, id('slow'))).toBe(1);
  });

  test('and says of a service that is declared otherwise now that it runs on as before', async () => {
    await using run = await startFlow([shellService('a', staying())]);
    await run.flow.waitReady();
    const running = pids(run).get(id('a'));
    declare(run, [tcpService('first'), shellService('a', `echo new; ${staying()}`)]);
    expect(await run.flow.extend()).toMatchObject({ joined: [id('first')], outdated: [id('a')] });
    expect(warnings(run.happenings)).toEqual([
      expect.stringMatching(/^site\/a is declared otherwise.*run again/),
    ]);
    expect(pids(run).get(id('a'))).toBe(running);
    declare(run, [tcpService('first'), shellService('a', staying())]);
    expect(await run.flow.extend()).toMatchObject({ outdated: [] });
  });
});

describe('F-18 a run is withdrawn from', () => {
  test('by services that are gone, with what only they needed, dependents first; the rest runs on', async () => {
    const stays = [tcpService('db'), tcpService('api', needs('db'))];
    await using run = await startFlow([
      ...stays,
      tcpService('cache'),
      tcpService('web', needs('api', 'cache')),
    ]);
    await run.flow.waitReady();
    const running = pids(run);
    declare(run, stays);
    const { left, receipt } = await run.flow.extend();
    expect(new Set(left)).toEqual(new Set([cache, web]));
    expect(receipt?.resources.map(({ id: service, outcome }) => `${service} ${outcome}`)).toEqual([
      `${web} stopped`,
      `${cache} stopped`,
    ]);
    const { services, state } = run.flow.snapshot();
    expect([...services.keys()]).toEqual([db, api]);
    expect(state).toBe('ready');
    for (const service of [db, api]) expect(pids(run).get(service)).toBe(running.get(service));
    await expect(run.flow.restart(web)).rejects.toMatchObject({ code: 'SK1405' });
    expect(run.happenings.some((it) => it.type === 'run-state' && it.state === 'degraded')).toBe(false);
  });

  test('and never by the origin, nor by what it needs', async () => {
    await using run = await startFlow([tcpService('api', needs('db')), tcpService('db'), tcpService('web')]);
    await run.flow.waitReady();
    declare(run, [tcpService('web')]);
    expect(await run.flow.extend()).toMatchObject({ left: [], outdated: [db, api] });
    expect(run.flow.origin).toBe(api);
    expect(warnings(run.happenings)).toContainEqual(
      expect.stringContaining('site/api is not declared any more'),
    );
  });

  test('and takes in again what comes back', async () => {
    await using run = await startFlow([tcpService('db'), tcpService('web', needs('db'))]);
    await run.flow.waitReady();
    declare(run, [tcpService('db')]);
    await run.flow.extend();
    declare(run, [tcpService('db'), tcpService('web', needs('db'))]);
    expect(await run.flow.extend()).toMatchObject({ joined: [web] });
    await run.flow.waitReady();
    expect(startsOf(run, web)).toBe(2);
    expect(run.flow.snapshot().services.get(web)).toMatchObject({ restarts: 0, ready: true });
  });

  test('by one in the middle of a phase, which is not waited for, and comes back afresh', async () => {
    const slow = shellService('slow', staying(), {
      spec: { build: 'echo $$ > building; until [ -e go ]; do sleep 0.02; done; echo built >> built' },
    });
    await using run = await startFlow([tcpService('db'), slow]);
    await run.state(id('slow'), 'initializing');
    declare(run, [tcpService('db')]);
    const { left, receipt } = await run.flow.extend();
    expect(left).toEqual([id('slow')]);
    expect(receipt?.resources).toMatchObject([{ id: id('slow'), outcome: 'stopped' }]);
    await run.flow.waitReady();
    declare(run, [tcpService('db'), slow]);
    run.write('go', '');
    await run.flow.extend();
    await run.flow.waitReady();
    expect(startsOf(run, id('slow'))).toBe(1);
    expect(readFileSync(run.path('built'), 'utf8')).toBe('built\n');
  });

  test('by one that pauses after a failure, which is not tried again', async () => {
    const failing = shellService('failing', 'exit 3');
    await using run = await startFlow([tcpService('db'), failing]);
    await run.happening('warning', (it) => it.service === id('failing') && it.phase === 'retry');
    declare(run, [tcpService('db')]);
    expect(await run.flow.extend()).toMatchObject({ left: [id('failing')] });
    await run.flow.waitReady();
    expect([...run.flow.snapshot().services.keys()]).toEqual([db]);
    expect(run.flow.snapshot().state).toBe('ready');
  });

  test('and gives the port of what left to what comes in its place', async () => {
    const port = await freePort();
    const fixed = { endpoints: [{ name: 'tcp', api: 'tcp', port }] };
    await using run = await startFlow([tcpService('db'), tcpService('old', fixed)], {
      temporaryPorts: false,
    });
    await run.flow.waitReady();
    declare(run, [tcpService('db'), tcpService('new', fixed)]);
    expect(await run.flow.extend()).toMatchObject({ joined: [id('new')], left: [id('old')] });
    await run.flow.waitReady();
    expect(run.flow.snapshot().services.get(id('new'))?.endpoints).toMatchObject([
      { address: `127.0.0.1:${port}`, ready: true },
    ]);
  });
});

describe('F-19 nothing changes', () => {
  test('where the workspace does not load', async () => {
    await using run = await startFlow([tcpService('db')]);
    await run.flow.waitReady();
    const before = run.flow.snapshot().services;
    run.write('workspace.skein.yaml', 'name: site\nservices: [{ nam: x }, { name: 7 }]\n');
    await expect(run.flow.extend()).rejects.toMatchObject({ faults: expect.any(Array) });
    expect(warnings(run.happenings)).toEqual([
      expect.stringMatching(/^not extended: .*workspace\.skein\.yaml:2/),
    ]);
    expect(run.flow.snapshot().services).toEqual(before);
    declare(run, [tcpService('db'), tcpService('web')]);
    expect(await run.flow.extend()).toMatchObject({ joined: [web] });
  });

  test('where the plan gate refuses, all faults at once, and what left would have been stays', async () => {
    await using run = await startFlow([tcpService('db'), tcpService('old')]);
    await run.flow.waitReady();
    await using taken = await occupiedPort();
    declare(run, [
      tcpService('db'),
      tcpService('squat', { endpoints: [{ name: 'tcp', api: 'tcp', port: taken.port }] }),
      shellService('bad', staying(), {
        spec: { comand: 'x' },
        environment: { A: '${endpoint:site/nobody/http}' },
      }),
    ]);
    const refusal = await run.flow.extend().catch((error: unknown) => error);
    const codes = (refusal as { faults: readonly { code: string }[] }).faults.map(({ code }) => code);
    expect(new Set(codes)).toEqual(new Set(['SK1104', 'SK1330', 'SK1210']));
    expect([...run.flow.snapshot().services.keys()]).toEqual([db, id('old')]);
    expect(run.flow.snapshot().state).toBe('ready');
    declare(run, [tcpService('db'), tcpService('old'), tcpService('squat')]);
    expect(await run.flow.extend()).toMatchObject({ joined: [id('squat')], left: [] });
    await run.flow.waitReady();
  });

  test('once the run is being stopped', async () => {
    await using run = await startFlow([tcpService('db')]);
    await run.flow.waitReady();
    declare(run, [tcpService('db'), tcpService('web')]);
    const [extension] = await Promise.allSettled([run.flow.extend(), run.flow.stop()]);
    expect(extension).toMatchObject({ status: 'rejected', reason: { code: 'SK1407' } });
    expect(startsOf(run, web)).toBe(0);
  });
});

interface Occupied extends AsyncDisposable {
  readonly port: number;
}

async function occupiedPort(): Promise<Occupied> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function freePort(): Promise<number> {
  await using occupied = await occupiedPort();
  return occupied.port;
}
