import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SkeinError } from '../errors/index.ts';
import type { Api, Endpoint, EndpointId, Port, Service, ServiceId, Workspace } from '../workspace/index.ts';
import { parsePortOverride } from './port-override.ts';
import { assignPorts, firstDerivedPort, lastDerivedPort } from './ports.ts';

interface Written {
  readonly id: string;
  readonly api?: Api;
  readonly port?: number;
}

const place = { file: '/shop/workspace.skein.yaml', line: 1, column: 1 };

function workspaceOf(endpoints: readonly Written[], name = 'shop'): Workspace {
  const services = new Map<ServiceId, Service>();
  for (const { id, api = 'http', port } of endpoints) {
    const [module = '', service = '', endpoint = ''] = id.split('/');
    const owner = `${module}/${service}` as ServiceId;
    const before = services.get(owner);
    const built: Endpoint = {
      id: id as EndpointId,
      name: endpoint,
      api,
      ...(port !== undefined && { port: port as Port }),
      visibility: 'private',
      secured: false,
      grpcServices: [],
      place,
    };
    services.set(owner, {
      id: owner,
      module,
      name: service,
      kind: 'service',
      agent: { kind: 'name', publisher: 'skein', name: 'process', place },
      directory: '/shop',
      dependencies: [],
      configurationGroups: [],
      environment: new Map(),
      restart: { policy: 'on-failure', attempts: 10, backoffMs: 0 as Service['restart']['backoffMs'] },
      isolate: false,
      spec: {},
      specPlace: () => place,
      place,
      ...before,
      endpoints: [...(before?.endpoints ?? []), built],
    });
  }
  return { name, root: '/shop', file: place.file, modules: [], services };
}

const id = (text: string): EndpointId => text as EndpointId;
const port = (number: number): Port => number as Port;
const name = fc.stringMatching(/^[a-z]{1,3}$/);
const ids = fc.uniqueArray(
  fc.tuple(name, name, name).map((parts) => parts.join('/')),
  { minLength: 1, maxLength: 60 },
);

describe('N-1 the ports of a native run', () => {
  test('the port of an endpoint is the digest of workspace/module/service/endpoint, folded into 10000–31999', () => {
    const expected = 10_000 + (Number.parseInt(digestStart('shop/shop/api/http'), 16) % 22_000);
    expect(assignPorts(workspaceOf([{ id: 'shop/api/http' }])).get(id('shop/api/http'))).toBe(expected);
  });

  test('a scope and the workspace are part of what is hashed', () => {
    const one = [{ id: 'shop/api/http' }];
    const plain = assignPorts(workspaceOf(one)).get(id('shop/api/http'));
    expect(assignPorts(workspaceOf(one), { scope: 'ci' }).get(id('shop/api/http'))).not.toBe(plain);
    expect(assignPorts(workspaceOf(one), { scope: '' }).get(id('shop/api/http'))).toBe(plain);
    expect(assignPorts(workspaceOf(one, 'store')).get(id('shop/api/http'))).not.toBe(plain);
  });

  test('every order of declaration gives the same answer, without collisions, in the range', () => {
    fc.assert(
      fc.property(
        ids.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          const ports = assignPorts(workspaceOf(all.map((each) => ({ id: each }))));
          const again = assignPorts(workspaceOf(shuffled.map((each) => ({ id: each }))));
          expect([...again]).toEqual([...ports]);
          expect(new Set(ports.values()).size).toBe(all.length);
          for (const each of ports.values()) {
            expect(each).toBeGreaterThanOrEqual(firstDerivedPort);
            expect(each).toBeLessThanOrEqual(lastDerivedPort);
          }
        },
      ),
    );
  });

  test('a collision is settled by the order of identities: the earlier one keeps its port, the later one moves', () => {
    const [first, second] = collidingPair();
    const both = assignPorts(workspaceOf([{ id: second }, { id: first }]));
    const alone = (each: string): Port | undefined => assignPorts(workspaceOf([{ id: each }])).get(id(each));
    expect(alone(first)).toBe(alone(second));
    expect(both.get(id(first))).toBe(alone(first));
    expect(both.get(id(second))).not.toBe(alone(second));
  });

  test('UDP and TCP are separate spaces', () => {
    const ports = assignPorts(
      workspaceOf([
        { id: 'shop/dns/tcp', api: 'tcp', port: 5353 },
        { id: 'shop/dns/udp', api: 'udp', port: 5353 },
      ]),
    );
    expect([...ports.values()]).toEqual([5353, 5353]);
  });

  test('a declared port comes first, and a hash that meets it moves', () => {
    const free = assignPorts(workspaceOf([{ id: 'shop/api/http' }])).get(id('shop/api/http'));
    const ports = assignPorts(
      workspaceOf([{ id: 'shop/api/http' }, { id: 'shop/web/http', port: free ?? 0 }]),
    );
    expect(ports.get(id('shop/web/http'))).toBe(free);
    expect(ports.get(id('shop/api/http'))).not.toBe(free);
  });

  test('an override wins over the declared port and over the hash', () => {
    const workspace = workspaceOf([{ id: 'shop/api/http', port: 8080 }, { id: 'shop/web/http' }]);
    const overrides = new Map([
      [id('shop/api/http'), port(9000)],
      [id('shop/web/http'), port(8080)],
    ]);
    const ports = assignPorts(workspace, { overrides });
    expect([...ports]).toEqual([
      ['shop/api/http', 9000],
      ['shop/web/http', 8080],
    ]);
  });

  test('moving one endpoint by override moves no other, whatever collides', () => {
    const [first, second] = collidingPair();
    const workspace = workspaceOf([{ id: first }, { id: second }]);
    const overrides = new Map([[id(first), port(9000)]]);
    expect(assignPorts(workspace, { overrides }).get(id(second))).toBe(
      assignPorts(workspace).get(id(second)),
    );
  });

  test('two endpoints fixed to one port are refused, both named', () => {
    const workspace = workspaceOf([{ id: 'shop/api/http', port: 8080 }, { id: 'shop/web/http' }]);
    const overrides = new Map([[id('shop/web/http'), port(8080)]]);
    expect(() => assignPorts(workspace, { overrides })).toThrow(
      'TCP port 8080 is fixed for both shop/api/http and shop/web/http',
    );
  });

  test('more endpoints than ports are refused', () => {
    const many = Array.from({ length: 22_001 }, (_, index) => ({ id: `shop/s${index}/http` }));
    const full = workspaceOf(many.slice(0, -1));
    expect(new Set(assignPorts(full).values()).size).toBe(22_000);
    expect(() => assignPorts(workspaceOf(many))).toThrow(
      /no port in 10000–31999 is left for shop\/s\d+\/http/,
    );
  });

  test('1,000 services of three endpoints get 3,000 different ports', () => {
    const many = Array.from({ length: 3_000 }, (_, index) => ({
      id: `m${index % 100}/s${index % 1_000}/e${index % 3}-${index}`,
    }));
    expect(new Set(assignPorts(workspaceOf(many)).values()).size).toBe(3_000);
  });
});

describe('N-1 --port', () => {
  const workspace = workspaceOf([{ id: 'shop/api/http' }, { id: 'data/db/sql', api: 'tcp' }]);

  test.each([
    ['shop/api/http=9000', 'shop/api/http', 9000],
    ['api/http=1', 'shop/api/http', 1],
    ['db/sql=65535', 'data/db/sql', 65_535],
  ])('%s is read', (written, endpoint, number) => {
    expect(parsePortOverride(workspace, written)).toEqual({ endpoint, port: number });
  });

  test.each([
    ['api', 'expected service/endpoint=N'],
    ['api=9000', 'expected service/endpoint=N'],
    ['api/http=0', 'N from 1 to 65535'],
    ['api/http=65536', 'N from 1 to 65535'],
    ['api/http=x', 'expected service/endpoint=N'],
    ['api/htpt=9000', 'did you mean `http`?'],
    ['apu/http=9000', 'did you mean `api`?'],
  ])('%s is refused', (written, reason) => {
    const parse = (): unknown => parsePortOverride(workspace, written);
    expect(parse).toThrow(SkeinError);
    expect(parse).toThrow(reason);
  });
});

/** The two identities, in order, that hash to one port and come first in a fixed enumeration. */
function collidingPair(): [string, string] {
  const seen = new Map<number, string>();
  for (let index = 0; ; index++) {
    const each = `shop/s${String(index).padStart(6, '0')}/http`;
    const own = Number.parseInt(digestStart(`shop/${each}`), 16) % 22_000;
    const earlier = seen.get(own);
    if (earlier !== undefined) return [earlier, each];
    seen.set(own, each);
  }
}

function digestStart(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
