import { describe, expect, test } from 'vitest';
import type { Endpoint, EndpointId, Port, Service, ServiceId } from '../workspace/index.ts';
import { propose } from './proposal.ts';

const endpoint = (name: string, exposure?: 'public' | 'none'): Endpoint => ({
  id: `shop/api/${name}` as EndpointId,
  name,
  api: 'http',
  visibility: exposure === undefined ? 'internal' : 'public',
  ...(exposure !== undefined && { exposure }),
  secured: false,
  grpcServices: [],
  place: { file: '/shop/workspace.skein.yaml', line: 1, column: 1 },
});
const service: Pick<Service, 'id' | 'endpoints'> = {
  id: 'shop/api' as ServiceId,
  endpoints: [endpoint('open', 'public'), endpoint('closed', 'none'), endpoint('inner')],
};
const ports = new Map(service.endpoints.map((each, index) => [each.id, (9000 + index) as Port]));

describe('N-4 N-5 the proposal', () => {
  test('without other hosts is loopback for each endpoint', () => {
    expect(propose(service, ports)).toEqual(
      ['open', 'closed', 'inner'].map((name, index) => ({
        endpoint: `shop/api/${name}`,
        instances: [{ access: 'native', host: '127.0.0.1', port: 9000 + index }],
      })),
    );
  });

  test('has the container view of each endpoint, and the public one where the exposure is public alone', () => {
    const hosts = { container: 'host.docker.internal', public: 'shop.example.com' };
    expect(
      propose(service, ports, hosts).map(({ instances }) =>
        instances.map(({ access, host }) => [access, host]),
      ),
    ).toEqual([
      [
        ['native', '127.0.0.1'],
        ['container', 'host.docker.internal'],
        ['public', 'shop.example.com'],
      ],
      [
        ['native', '127.0.0.1'],
        ['container', 'host.docker.internal'],
      ],
      [
        ['native', '127.0.0.1'],
        ['container', 'host.docker.internal'],
      ],
    ]);
  });

  test('an endpoint without a port is refused by name', () => {
    expect(() => propose(service, new Map())).toThrow('there is no port for shop/api/open');
  });
});
