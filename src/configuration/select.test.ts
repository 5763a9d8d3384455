import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Api,
  type Endpoint,
  type EndpointId,
  mayReach,
  type ServiceId,
  type Visibility,
} from '../workspace/index.ts';
import { selectEndpoint } from './select.ts';

const place = { file: '/shop/workspace.skein.yaml', line: 1, column: 1 };
const endpoint = (name: string, api: Api, visibility: Visibility = 'internal'): Endpoint => ({
  id: `data/db/${name}` as EndpointId,
  name,
  api,
  visibility,
  secured: false,
  grpcServices: [],
  place,
});
const producer = (...endpoints: Endpoint[]) => ({ id: 'data/db' as ServiceId, module: 'data', endpoints });
const select = (token: string, from: ReturnType<typeof producer>, module = 'shop') =>
  selectEndpoint({ token }, from, module);

describe('C-8 which endpoint a reference names', () => {
  test('an exact name wins over a sibling of that API, whatever their order', () => {
    const [rest, other] = [endpoint('rest', 'grpc'), endpoint('other', 'rest')];
    expect(select('rest', producer(rest, other))).toEqual({ kind: 'selected', endpoint: rest });
    expect(select('rest', producer(other, rest))).toEqual({ kind: 'selected', endpoint: rest });
  });

  test('endpoints named after each other’s API are both had by name', () => {
    const [grpc, rest] = [endpoint('grpc', 'rest'), endpoint('rest', 'grpc')];
    expect(select('grpc', producer(grpc, rest))).toEqual({ kind: 'selected', endpoint: grpc });
    expect(select('rest', producer(grpc, rest))).toEqual({ kind: 'selected', endpoint: rest });
  });

  test('an exact name out of reach is refused for that reason, never replaced by a sibling', () => {
    expect(
      select('rest', producer(endpoint('rest', 'rest', 'private'), endpoint('open', 'rest', 'public'))),
    ).toEqual({
      kind: 'refused',
      code: 'SK1106',
      reason: 'data/db/rest is private to module data, and the consumer is of module shop',
    });
  });

  test('without an exact name, the one endpoint of the API within reach answers', () => {
    const open = endpoint('open', 'rest');
    const from = producer(endpoint('inner', 'rest', 'private'), open);
    expect(select('rest', from)).toEqual({ kind: 'selected', endpoint: open });
    expect(select('rest', from, 'data')).toMatchObject({ kind: 'refused', code: 'SK1107' });
  });

  test('several of the API within reach are ambiguous, all named', () => {
    expect(select('rest', producer(endpoint('b', 'rest'), endpoint('a', 'rest')))).toEqual({
      kind: 'refused',
      code: 'SK1107',
      reason: 'several endpoints speak rest: data/db/a, data/db/b',
    });
  });

  test('an API that is spoken out of reach alone is refused for that reason', () => {
    expect(select('rest', producer(endpoint('inner', 'rest', 'private')))).toMatchObject({
      kind: 'refused',
      code: 'SK1106',
    });
  });

  test.each([
    ['sqk', 'data/db has no endpoint `sqk`; did you mean `sql`?'],
    ['websocket', 'data/db has no endpoint `websocket`; it has admin, sql'],
  ])('an unknown endpoint %s is refused', (token, reason) => {
    const from = producer(endpoint('sql', 'tcp'), endpoint('admin', 'http'));
    expect(select(token, from)).toEqual({ kind: 'refused', code: 'SK1105', reason });
    expect(select(token, producer())).toMatchObject({
      reason: 'data/db has no endpoint `' + token + '`; it has none',
    });
  });

  test('order is never part of the answer, and what is selected is always within reach', () => {
    const names = fc.constantFrom('http', 'rest', 'grpc', 'a', 'b', 'c');
    const endpoints = fc.uniqueArray(
      fc.record({
        name: names,
        api: fc.constantFrom<Api>('http', 'rest', 'grpc'),
        visibility: fc.constantFrom<Visibility>('private', 'internal', 'public'),
      }),
      { selector: (each) => each.name, maxLength: 6 },
    );
    const withOrder = endpoints.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(withOrder, names, fc.constantFrom('shop', 'data'), ([all, shuffled], token, module) => {
        const build = (some: typeof all) =>
          producer(...some.map((each) => endpoint(each.name, each.api, each.visibility)));
        const selection = select(token, build(all), module);
        expect(select(token, build(shuffled), module)).toEqual(selection);
        if (selection.kind === 'refused') return;
        expect(mayReach(module, 'data', selection.endpoint)).toBe(true);
        const exact = all.some((each) => each.name === token);
        expect(exact ? selection.endpoint.name : selection.endpoint.api).toBe(token);
      }),
    );
  });
});
