import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../workspace/index.ts';
import { listenerTable } from './listener-sweep.ts';
import { endpointId, id, sketch } from './service-fixture.ts';
import { watchedCommand, watchedEndpoint } from './target.ts';

const address = { host: '127.0.0.1', port: 14_180 };
const [api] = sketch({
  api: { serves: { http: 'http', grpc: 'grpc', udp: 'udp', tcp: 'tcp' }, probeCommand: 'check' },
});
const watchOf = (name: string, change: Partial<Endpoint> = {}) => {
  const endpoint = api?.endpoints.find((candidate) => candidate.name === name);
  return endpoint && watchedEndpoint(id('api'), { ...endpoint, ...change }, address, true);
};

describe('what is probed', () => {
  test('R-3 follows what the endpoint declares', () => {
    const health = { path: '/healthz', method: 'GET', statuses: [[200, 200]], headers: new Map() } as const;
    expect(watchOf('http')?.target).toEqual({ predicate: 'tcp-connect', ...address });
    expect(watchOf('http', { health, secured: true })?.target).toEqual({
      predicate: 'http-status',
      ...address,
      secured: true,
      health,
    });
    expect(watchOf('grpc', { grpcServices: ['shop.v1.Cart'] })?.target).toEqual({
      predicate: 'grpc-health',
      ...address,
      secured: false,
      services: ['shop.v1.Cart'],
    });
    expect(watchOf('udp')).toBeUndefined();
    expect(watchOf('tcp')).toMatchObject({
      key: 'shop/api/tcp#tcp-connect',
      service: id('api'),
      endpoint: endpointId('api', 'tcp'),
      native: true,
    });
  });

  test('R-1 a probe command runs where its service is, with its environment', () => {
    const environment = [{ name: 'PORT', value: '1', secret: false }];
    expect(api && watchedCommand(api, environment)).toMatchObject({
      key: 'shop/api#command',
      endpoint: null,
      target: { predicate: 'command', directory: '/shop', environment },
    });
    const [plain] = sketch({ plain: {} });
    expect(plain && watchedCommand(plain, environment)).toBeUndefined();
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
    expect(table({ host, port: 80 })).toBe(found);
    expect(table({ host, port: 81 })).toBe(false);
  });
});
