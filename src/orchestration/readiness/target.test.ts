import { describe, expect, test } from 'vitest';
import type { ProcessIdentity } from '../../processes/index.ts';
import type { DurationMs, Endpoint, ProbePurpose } from '../../workspace/index.ts';
import { listenerTable } from './listener-sweep.ts';
import { endpointId, id, sketch } from './service-fixture.ts';
import { probesOf, type Watched } from './target.ts';

const address = { host: '127.0.0.1', port: 14_180 };
const [api] = sketch({
  api: { serves: { http: 'http', grpc: 'grpc', udp: 'udp', tcp: 'tcp' }, probeCommand: 'check' },
});
const environment = [{ name: 'PORT', value: '1', secret: false }];

function probes(
  purpose: ProbePurpose,
  changes: Readonly<Record<string, Partial<Endpoint>>> = {},
  groups?: readonly ProcessIdentity[],
): readonly Watched[] {
  if (api === undefined) return [];
  const endpoints = api.endpoints.map((endpoint) => ({ ...endpoint, ...changes[endpoint.name] }));
  const service = { ...api, endpoints };
  return probesOf({ service, addressOf: () => address, environment, groups }, purpose);
}

const http = { path: '/healthz', method: 'GET', statuses: [[200, 200]], headers: new Map() } as const;
const timing = { intervalMs: 100 as DurationMs };

describe('what is probed', () => {
  test('R-3 follows what the endpoint declares', () => {
    const health = { readiness: { http, grpcServices: [], timing } };
    expect(probes('readiness').map(({ target }) => target)).toEqual([
      { predicate: 'tcp-connect', ...address },
      { predicate: 'grpc-health', ...address, secured: false, services: [] },
      { predicate: 'tcp-connect', ...address },
      { predicate: 'command', service: 'shop/api', command: 'check', directory: '/shop', environment },
    ]);
    const changed = { http: { health, secured: true }, grpc: { grpcServices: ['shop.v1.Cart'] } };
    expect(probes('readiness', changed)).toMatchObject([
      { target: { predicate: 'http-status', ...address, secured: true, health: http }, timing },
      { target: { services: ['shop.v1.Cart'] }, timing: {} },
      {
        key: 'shop/api/tcp#tcp-connect',
        service: id('api'),
        endpoint: endpointId('api', 'tcp'),
        native: true,
      },
      { key: 'shop/api#command', endpoint: null, native: false, timing: { timeoutMs: 1_000 } },
    ]);
  });

  test('R-4 liveness and startup are probed where they are declared, each as it is', () => {
    const declared = { grpcServices: ['shop.v1.Cart'], timing };
    const health = { liveness: declared, startup: { http, grpcServices: [], timing: {} } };
    const changes = { http: { health }, grpc: { health, grpcServices: ['told.by.Load'] }, udp: { health } };
    expect(probes('liveness', changes)).toMatchObject([
      { key: 'shop/api/http#tcp-connect', purpose: 'liveness', timing },
      { key: 'shop/api/grpc#grpc-health', target: { services: ['shop.v1.Cart'] } },
    ]);
    expect(probes('startup', changes).map(({ key }) => key)).toEqual([
      'shop/api/http#http-status',
      'shop/api/grpc#grpc-health',
    ]);
    expect(probes('startup')).toEqual([]);
  });

  test('R-9 readiness alone minds to whom a listener belongs', () => {
    const groups = [{ pid: 7, start: '1', boot: 'b' }];
    const health = { liveness: { grpcServices: [], timing } };
    const minding = (purpose: ProbePurpose) =>
      probes(purpose, { http: { health } }, groups).map((probe) => probe.groups);
    expect(minding('readiness')).toEqual([groups, groups, groups, undefined]);
    expect(minding('liveness')).toEqual([undefined]);
  });
});

describe('the listener table', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1', true],
    ['0.0.0.0', '127.0.0.1', true],
    ['::', '127.0.0.1', true],
    ['::ffff:127.0.0.1', '127.0.0.1', true],
    ['::1', 'localhost', true],
    ['::1', '::1', true],
    ['10.0.0.7', '127.0.0.1', false],
    ['127.0.0.2', '127.0.0.1', false],
  ])('R-6 a listener on %s for a connection to %s: %s', (listening, host, found) => {
    const table = listenerTable([{ address: listening, port: 80 }]);
    expect(table({ host, port: 80 }) !== undefined).toBe(found);
    expect(table({ host, port: 81 })).toBeUndefined();
  });
});
