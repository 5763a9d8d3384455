import { describe, expect, test } from 'vitest';
import type {
  DependencyKind,
  EndpointId,
  Port,
  Service,
  ServiceId,
  Visibility,
  Workspace,
} from '../workspace/index.ts';
import type { NetworkMapping } from './mapping.ts';
import { visibleMappings } from './visibility.ts';

const endpoint = (name: string, visibility: Visibility) => ({
  id: `data/db/${name}` as EndpointId,
  name,
  api: 'tcp' as const,
  visibility,
  secured: false,
  grpcServices: [],
  place: { file: '/shop/workspace.skein.yaml', line: 1, column: 1 },
});
const producer = {
  id: 'data/db' as ServiceId,
  module: 'data',
  endpoints: [endpoint('own', 'private'), endpoint('sql', 'internal'), endpoint('open', 'public')],
};
const consumer = (module: string) => ({ id: `${module}/api` as ServiceId, module });
const mapped = (name: string): NetworkMapping => ({
  endpoint: `data/db/${name}` as EndpointId,
  instances: [{ access: 'native', host: '127.0.0.1', port: 5432 as Port }],
});
const mappings = ['own', 'sql', 'open'].map(mapped);
const ids: readonly ServiceId[] = ['data/db', 'data/api', 'shop/api'] as ServiceId[];
const composition: Pick<Workspace, 'services'> = {
  services: new Map(ids.map((id) => [id, { id } as Service])),
};
const edge = (kind: DependencyKind, endpoints: readonly string[] = ['own', 'sql', 'open']) => ({
  service: producer.id,
  kind,
  endpoints: endpoints.map((name) => `data/db/${name}` as EndpointId),
});
const handOut = (module: string, over: Partial<Parameters<typeof visibleMappings>[0]> = {}): string[] =>
  visibleMappings({
    composition: composition as Workspace,
    consumer: consumer(module),
    producer,
    edge: edge('runtime'),
    mappings,
    ...over,
  }).map((mapping) => mapping.endpoint);

describe('N-11 a hand-out of addresses', () => {
  test('to the own module holds every endpoint, to another one no private endpoint, though the edge names it', () => {
    expect(handOut('data')).toEqual(['data/db/own', 'data/db/sql', 'data/db/open']);
    expect(handOut('shop')).toEqual(['data/db/sql', 'data/db/open']);
  });

  test('holds what the edge names alone', () => {
    expect(handOut('data', { edge: edge('runtime', ['sql']) })).toEqual(['data/db/sql']);
  });

  test.each(['build', 'schema', 'completion', 'external'] as const)('is empty for a %s edge', (kind) => {
    expect(handOut('data', { edge: edge(kind) })).toEqual([]);
  });

  test('is empty for an edge to another service', () => {
    expect(handOut('data', { edge: { ...edge('runtime'), service: 'data/cache' as ServiceId } })).toEqual([]);
  });

  test('without a composition of both is refused', () => {
    expect(() => handOut('shop', { composition: undefined })).toThrow('there is no composition of both');
    expect(() => handOut('web')).toThrow('there is no composition of both');
  });

  test('of an endpoint that nobody declared is refused', () => {
    expect(() => handOut('shop', { mappings: [mapped('ghost')] })).toThrow(
      'data/db has an address for data/db/ghost, which it does not declare',
    );
  });
});
