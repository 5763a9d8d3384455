import { describe, expect, test } from 'vitest';
import type { NetworkMapping } from '../network/index.ts';
import type { Port, Service, ServiceId, Workspace } from '../workspace/index.ts';
import { endpointId, id, sketch } from './readiness/service-fixture.ts';
import { SharedState } from './shared-state.ts';

/** `db` serves a private endpoint and one for everybody; `guest` is of another module. */
function shop(): { readonly state: SharedState; readonly of: (name: string) => Service } {
  const [db, api, build, other, guest] = sketch({
    db: { serves: { sql: 'tcp', metrics: 'http' } },
    api: { uses: { db: ['sql'] } },
    build: { uses: { db: { endpoints: ['sql', 'metrics'], kind: 'build' } } },
    other: { serves: { http: 'http' } },
    guest: { uses: { db: ['sql', 'metrics'] } },
  }) as [Service, Service, Service, Service, Service];
  const endpoints = db.endpoints.map((endpoint) =>
    endpoint.name === 'metrics' ? { ...endpoint, visibility: 'internal' as const } : endpoint,
  );
  const all = [{ ...db, endpoints }, api, build, other, { ...guest, module: 'partner' }];
  const services = new Map<ServiceId, Service>(all.map((service) => [service.id, service]));
  const state = new SharedState({ name: 'shop', services } as unknown as Workspace);
  return { state, of: (name) => state.service(id(name)) };
}

function mapping(endpoint: string, port: number): NetworkMapping {
  const instances = [{ access: 'native' as const, host: '127.0.0.1', port: port as Port }];
  return { endpoint: endpointId('db', endpoint), instances };
}

const published = {
  mappings: [mapping('sql', 5432), mapping('metrics', 9090)],
  configurations: [{ group: 'role', values: [{ key: 'value', value: 'reader', secret: false }] }],
};

describe('F-13 the shared state', () => {
  test('has one writer for each service', () => {
    const { state, of } = shop();
    state.writerOf(of('db'));
    state.writerOf(of('api'));
    expect(() => state.writerOf(of('db'))).toThrow('shop/db has a writer already');
  });

  test('has nothing of a service before its Init, and then the latest of what was written', () => {
    const { state, of } = shop();
    const writer = state.writerOf(of('db'));
    expect([state.published(id('db')), state.handedTo(of('api'))]).toEqual([undefined, []]);
    writer.initialized(published);
    writer.initialized({ mappings: [mapping('sql', 6000)], configurations: [] });
    expect(state.published(id('db'))).toEqual({ mappings: [mapping('sql', 6000)], configurations: [] });
    expect(state.published(id('other'))).toBeUndefined();
  });

  test('has the endpoints of a service as declared before its Load, and then as the Load told them', () => {
    const { state, of } = shop();
    const told = of('db').endpoints.map((endpoint) => ({ ...endpoint, secured: true }));
    const others = of('other').endpoints;
    state.writerOf(of('db')).loaded(told);
    expect(of('db').endpoints).toEqual(told);
    expect(of('other').endpoints).toEqual(others);
    expect(state.composition.services.get(id('db'))?.endpoints).toEqual(told);
  });

  test.each<[string, string, readonly number[]]>([
    ['what it names of a run-time dependency', 'api', [5432]],
    ['nothing over an edge that orders builds alone', 'build', []],
    ['nothing of a service that it does not depend on', 'other', []],
    ['nothing that its module may not reach', 'guest', [9090]],
  ])('answers an asker with %s', (_, asker, ports) => {
    const { state, of } = shop();
    state.writerOf(of('db')).initialized(published);
    const handedOut = state.handedTo(of(asker));
    expect(handedOut.flatMap(({ mappings }) => mappings.map(({ instances }) => instances[0]?.port))).toEqual(
      ports,
    );
    for (const { producer, configurations } of handedOut)
      expect([producer.id, configurations]).toEqual([id('db'), published.configurations]);
  });
});
