import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EndpointProbe, Health, Service } from '../../workspace/index.ts';
import { runRequirements, transportPredicate } from './requirements.ts';
import { id, sketch } from './service-fixture.ts';

const health: Health<EndpointProbe> = {
  readiness: {
    http: { path: '/healthz', method: 'HEAD', statuses: [[200, 399]], headers: new Map() },
    grpcServices: [],
    timing: {},
  },
};

const keys = (
  services: readonly Service[],
  roots: readonly string[],
  excluded: readonly string[] = [],
): string[] => plan(services, roots, excluded).requirements.map(({ key }) => key.replaceAll('shop/', ''));

const plan = (services: readonly Service[], roots: readonly string[], excluded: readonly string[] = []) =>
  runRequirements({ services, roots: new Set(roots.map(id)), excluded: new Set(excluded.map(id)) });

const gateKeys = (services: readonly Service[], excluded: readonly string[] = []): string[] =>
  plan(services, [], excluded).gates.map(({ dependent, dependency, wait, requirements }) =>
    `${dependent} ${wait} ${dependency}: ${requirements.map(({ key }) => key).join(' ')}`.replaceAll(
      'shop/',
      '',
    ),
  );

describe('what must be healthy', () => {
  test('R-2 the endpoints that somebody consumes, and all of the roots, producers first', () => {
    const services = sketch({
      web: { serves: { http: 'http', metrics: 'tcp' }, uses: { api: ['http'] } },
      api: { serves: { http: 'http', admin: 'http' }, uses: { db: ['sql'] } },
      db: { serves: { sql: 'tcp' } },
    });
    expect(keys(services, ['web'])).toEqual([
      'db#lifecycle',
      'db#runner',
      'db/sql#endpoint-mapping',
      'db/sql#tcp-connect',
      'api#lifecycle',
      'api#runner',
      'api/http#endpoint-mapping',
      'api/http#tcp-connect',
      'web#lifecycle',
      'web#runner',
      'web/http#endpoint-mapping',
      'web/http#tcp-connect',
      'web/metrics#endpoint-mapping',
      'web/metrics#tcp-connect',
    ]);
  });

  test('R-2 an endpoint that nobody consumes cannot stand in for one that somebody does', () => {
    const services = sketch({
      api: { uses: { back: ['grpc'] } },
      back: { serves: { admin: 'http', grpc: 'grpc' } },
    });
    expect(keys(services, ['api']).filter((key) => key.startsWith('back/'))).toEqual([
      'back/grpc#endpoint-mapping',
      'back/grpc#grpc-health',
    ]);
  });

  test('R-2 an excluded root still selects endpoints; nothing is required of itself', () => {
    const services = sketch({
      web: { serves: { http: 'http' }, uses: { db: ['sql'] } },
      db: { serves: { sql: 'tcp', admin: 'tcp' } },
    });
    expect(keys(services, ['web'], ['web'])).toEqual([
      'db#lifecycle',
      'db#runner',
      'db/sql#endpoint-mapping',
      'db/sql#tcp-connect',
    ]);
  });

  test('R-2 an excluded service that is no root selects nothing', () => {
    const services = sketch({
      web: { uses: { api: ['http'], db: [] } },
      api: { serves: { http: 'http' }, uses: { db: ['sql'] } },
      db: { serves: { sql: 'tcp' } },
    });
    expect(keys(services, ['web'], ['api'])).toEqual([
      'db#lifecycle',
      'db#runner',
      'web#lifecycle',
      'web#runner',
    ]);
  });

  test('R-1 a job is asked for its lifecycle alone, never for its endpoints', () => {
    const services = sketch({
      api: { uses: { migrate: { endpoints: ['http'], wait: 'completed' } } },
      migrate: { kind: 'job', serves: { http: 'http' } },
    });
    expect(keys(services, ['migrate'])).toEqual([
      'migrate#lifecycle',
      'migrate#runner',
      'api#lifecycle',
      'api#runner',
    ]);
  });

  test('R-1 a declared probe command is required of its service', () => {
    expect(keys(sketch({ db: { probeCommand: 'pg_isready' } }), ['db'])).toEqual([
      'db#lifecycle',
      'db#runner',
      'db#command',
    ]);
  });

  test('W-9 a build edge makes nothing required', () => {
    const services = sketch({
      api: { uses: { tool: { endpoints: ['http'], kind: 'build' } } },
      tool: { serves: { http: 'http' } },
    });
    expect(keys(services, ['api'])).toEqual(['api#lifecycle', 'api#runner', 'tool#lifecycle', 'tool#runner']);
    expect(gateKeys(services)).toEqual([]);
  });

  test('producers come first in any order of declaration, each once, also 10,000 in one chain', () => {
    const chain = Array.from(
      { length: 10_000 },
      (_, index) => [`s${index}`, { uses: { [`s${index + 1}`]: [] } }] as const,
    );
    const services = sketch(Object.fromEntries(chain));
    expect(keys(services, ['s0']).slice(0, 2)).toEqual(['s9999#lifecycle', 's9999#runner']);
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...sketch(Object.fromEntries(chain.slice(0, 8)))], { minLength: 8 }),
        (shuffled) => {
          const order = plan(shuffled, []).requirements.filter(({ predicate }) => predicate === 'lifecycle');
          expect(order.map(({ service }) => service)).toEqual(
            Array.from({ length: 8 }, (_, index) => id(`s${7 - index}`)),
          );
        },
      ),
    );
  });
});

test('R-4 liveness and startup are no requirements', () => {
  const probe = { command: 'check', timing: {} };
  const [db] = sketch({ db: {} });
  const services = db === undefined ? [] : [{ ...db, health: { liveness: probe, startup: probe } }];
  expect(keys(services, ['db'])).toEqual(['db#lifecycle', 'db#runner']);
});

describe('which predicate an endpoint has', () => {
  test.each([
    ['grpc', undefined, 'grpc-health'],
    ['http', undefined, 'tcp-connect'],
    ['http', health, 'http-status'],
    ['rest', undefined, 'tcp-connect'],
    ['rest', health, 'http-status'],
    ['connect', undefined, 'tcp-connect'],
    ['tcp', undefined, 'tcp-connect'],
    ['udp', undefined, undefined],
  ] as const)('R-3 %s with health %o: %s', (api, declared, predicate) => {
    expect(transportPredicate({ api, ...(declared && { health: declared }) })).toBe(predicate);
  });

  test('R-3 UDP: an address is required, and nothing is probed', () => {
    expect(keys(sketch({ dns: { serves: { udp: 'udp' } } }), ['dns'])).toEqual([
      'dns#lifecycle',
      'dns#runner',
      'dns/udp#endpoint-mapping',
    ]);
  });
});

describe('what a Start waits for', () => {
  const services = sketch({
    db: { serves: { sql: 'tcp', admin: 'http' }, probeCommand: 'pg_isready' },
    log: { serves: { grpc: 'grpc' } },
    migrate: { kind: 'job', uses: { db: ['sql'] } },
    api: {
      uses: {
        db: ['sql'],
        log: { endpoints: ['grpc'], wait: 'started' },
        migrate: { endpoints: [], wait: 'completed' },
      },
    },
  });

  test('R-5 `ready`: all consumed endpoints of that dependency; `started` and `completed`: its lifecycle', () => {
    const ready = 'db#lifecycle db#runner db/sql#endpoint-mapping db/sql#tcp-connect db#command';
    expect(gateKeys(services)).toEqual([
      `migrate ready db: ${ready}`,
      `api ready db: ${ready}`,
      'api started log: log#lifecycle',
      'api completed migrate: migrate#lifecycle',
    ]);
  });

  test('W-14 nobody waits for an excluded service, nor for one that is not in the run', () => {
    expect(gateKeys(services, ['log'])).toHaveLength(3);
    expect(gateKeys(services.slice(3))).toEqual([]);
  });
});
