import { describe, expect, test } from 'vitest';
import type { Service } from '../workspace/index.ts';
import { hashEndpoints, loadedEndpoints } from './loaded-endpoints.ts';
import type { AnsweredEndpoint } from './messages.ts';
import { sketch } from './readiness/service-fixture.ts';

const [service] = sketch({ api: { serves: { http: 'http', grpc: 'grpc' } } }) as [Service];

function answer(name: string, more: Partial<AnsweredEndpoint> = {}): AnsweredEndpoint {
  return {
    name,
    api: undefined,
    visibility: undefined,
    exposure: undefined,
    port: undefined,
    secured: false,
    grpcServices: [],
    ...more,
  };
}

describe('A-3 the endpoints that a Load answers', () => {
  test('are those declared where it answers none', () => {
    expect(loadedEndpoints(service, [])).toEqual({ endpoints: service.endpoints, warnings: [] });
  });

  test('tell of TLS and of protobuf services; all else stays as declared, in its order', () => {
    const told = loadedEndpoints(service, [
      answer('grpc', { api: 'grpc', secured: true, grpcServices: ['shop.v1.Orders'] }),
      answer('http', { visibility: 'private' }),
    ]);
    const [http, grpc] = service.endpoints;
    expect(told).toEqual({
      endpoints: [http, { ...grpc, secured: true, grpcServices: ['shop.v1.Orders'] }],
      warnings: [],
    });
  });

  test('do not change what the run has been planned by; that the agent says otherwise is a warning', () => {
    const { endpoints, warnings } = loadedEndpoints(service, [
      answer('http', { api: 'tcp', visibility: 'public', port: 80 }),
      answer('admin'),
    ]);
    expect(endpoints).toEqual(service.endpoints);
    expect(warnings).toEqual([
      'the agent of shop/api says that shop/api/http has the api tcp; it is declared with http',
      'the agent of shop/api says that shop/api/http has the visibility public; it is declared with private',
      'the agent of shop/api says that shop/api/http has the port 80; it is declared with none',
      'the agent of shop/api does not have shop/api/grpc, which is declared',
      'the agent of shop/api has an endpoint admin, which is not declared and gets no address',
    ]);
  });

  test('F-8 have another hash where dependents see something else, and the same one where they do not', () => {
    const hash = (...answered: readonly AnsweredEndpoint[]): string =>
      hashEndpoints(loadedEndpoints(service, answered).endpoints);
    const declared = hash();
    expect(hash(answer('grpc', { api: 'grpc' }), answer('http'))).toBe(declared);
    expect(hash(answer('http', { secured: true }))).not.toBe(declared);
    expect(hash(answer('grpc', { grpcServices: ['shop.v1.Orders'] }))).not.toBe(declared);
  });
});
