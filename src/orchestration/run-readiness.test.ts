import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SkeinError } from '../errors/index.ts';
import type { NetworkMapping } from '../network/index.ts';
import type { ListenerOwnership, ProcessIdentity } from '../processes/index.ts';
import type {
  DurationMs,
  EndpointProbe,
  Health,
  ProbeTiming,
  Service,
  ServiceId,
} from '../workspace/index.ts';
import { ManualClock } from './manual-clock.ts';
import { runRequirements, whyChain, whyText } from './readiness/index.ts';
import { id, sketch } from './readiness/service-fixture.ts';
import type { ProbeTarget } from './readiness/target.ts';
import { RunReadiness } from './run-readiness.ts';

const answers = { ok: true } as const;
const refuses = { ok: false, error: 'connection refused' } as const;
const leader: ProcessIdentity = { pid: 100, start: '1', boot: 'b' };

function mappings({ endpoints }: Service): readonly NetworkMapping[] {
  return endpoints.map(({ id: endpoint }, index) => ({
    endpoint,
    instances: [{ access: 'native', host: '127.0.0.1', port: 14_000 + index }],
  })) as unknown as readonly NetworkMapping[];
}

/** Readiness of services whose probes are scripted. */
class Scene implements Disposable {
  readonly clock = new ManualClock();
  readonly told: string[] = [];
  readonly warnings: SkeinError[] = [];
  readonly services: ReadonlyMap<ServiceId, Service>;
  readonly readiness: RunReadiness;
  /** What a probe with this aim finds; by path for HTTP, else by predicate. Default: it answers. */
  readonly finds = new Map<string, typeof answers | typeof refuses>();
  readonly probed: string[] = [];
  ownership: ListenerOwnership = { kind: 'own', sockets: '1' };

  constructor(services: readonly Service[], roots: readonly string[]) {
    this.services = new Map(services.map((service) => [service.id, service]));
    this.readiness = new RunReadiness({
      clock: this.clock,
      plan: runRequirements({ services, roots: new Set(roots.map(id)), excluded: new Set() }),
      probe: async (target) => {
        const aim = aimOf(target);
        this.probed.push(aim);
        return this.finds.get(aim) ?? answers;
      },
      askOwnership: async () => this.ownership,
      addresses: () => [],
      onGate: (dependent, dependency, open) =>
        void this.told.push(`${dependent} on ${dependency}: ${open ? 'open' : 'closed'}`),
      onEndpoint: () => undefined,
      onService: (service, ready) => void this.told.push(`${service} ${ready ? 'ready' : 'not ready'}`),
      onRun: (ready) => void this.told.push(ready ? 'run ready' : 'run not ready'),
      onWarning: (warning) => void this.warnings.push(warning),
      onUnhealthy: (service, why) => void this.told.push(`unhealthy ${service}: ${why}`),
    });
  }

  service(name: string): Service {
    const service = this.services.get(id(name));
    if (service === undefined) throw new Error(name);
    return service;
  }

  start(name: string, groups: readonly ProcessIdentity[] = [leader]): void {
    const service = this.service(name);
    this.readiness.addressed(service, mappings(service));
    this.readiness.starting(service);
    this.readiness.started(service, mappings(service), [], groups);
  }

  why(name: string): readonly string[] {
    const chain = whyChain(id(name), {
      stateOf: (key) => this.readiness.stateOf(key),
      gatesOf: (service) => this.readiness.gatesOf(service),
      requirementsOf: (service) => this.readiness.requirementsOf(service),
      failureOf: () => null,
    });
    return whyText(chain, this.clock.now());
  }

  /** What was told since the last look. */
  news(): string[] {
    return this.told.splice(0);
  }

  [Symbol.dispose](): void {
    this.readiness[Symbol.dispose]();
  }
}

function aimOf(target: ProbeTarget): string {
  return target.predicate === 'http-status' ? target.health.path : target.predicate;
}

function probe(path: string, timing: ProbeTiming = {}): EndpointProbe {
  const http = { path, method: 'HEAD', statuses: [[200, 399]], headers: new Map() } as const;
  return { http, grpcServices: [], timing };
}

const everySecond = { intervalMs: 1_000 as DurationMs };
const withHealth = (health: Health<EndpointProbe>): readonly Service[] =>
  sketch({
    web: { serves: { tcp: 'tcp' }, uses: { api: ['http'] } },
    api: { serves: { http: 'http' }, health },
  });

describe('a startup probe', () => {
  const health = {
    startup: probe('/started', { ...everySecond, failureThreshold: 3 }),
    readiness: probe('/ready', { ...everySecond, initialDelayMs: 2_500 as DurationMs }),
    liveness: probe('/alive', { ...everySecond, failureThreshold: 2 }),
  };

  test('R-4 comes before all others, once; their delays count from the Start all the same', async () => {
    using scene = new Scene(withHealth(health), ['web']);
    scene.finds.set('/started', refuses);
    scene.start('api');
    await scene.clock.advance(1_500);
    expect(scene.probed).toEqual(['/started', '/started']);
    scene.finds.delete('/started');
    await scene.clock.advance(900);
    expect(scene.probed.slice(2)).toEqual(['/started', '/alive']);
    await scene.clock.advance(100);
    expect(scene.probed.slice(4)).toEqual(['/ready']);
    await scene.clock.advance(60_000);
    expect(scene.probed.filter((aim) => aim === '/started')).toHaveLength(3);
    expect(scene.news()).toEqual(['shop/web on shop/api: open', 'shop/api ready'].toSorted(inOrder));
  });

  test('R-4 R-8 is what the service lacks until it has succeeded', async () => {
    using scene = new Scene(withHealth(health), ['web']);
    scene.finds.set('/started', refuses);
    scene.start('api');
    await scene.clock.advance(10);
    expect(scene.why('web')).toEqual([
      'shop/web waits for shop/api',
      'shop/api/http: http-status does not hold: startup of shop/api/http has not succeeded yet: connection refused (for 10 ms)',
    ]);
    scene.readiness.ended(scene.service('api'), 'shop/api was stopped', 'runner');
    expect(scene.why('api')).toEqual(['shop/api: runner does not hold: shop/api was stopped (for 0 ms)']);
  });

  test('R-4 that fails past its threshold is told once, and nothing is probed until the next Start', async () => {
    using scene = new Scene(withHealth(health), ['web']);
    scene.finds.set('/started', refuses);
    scene.start('api');
    await scene.clock.advance(60_000);
    const unhealthy =
      'unhealthy shop/api: startup of shop/api/http failed 3 times in a row: connection refused';
    expect(scene.news()).toEqual([unhealthy]);
    expect(scene.probed).toHaveLength(3);
    expect(scene.clock.pending).toBe(0);
    scene.start('api');
    await scene.clock.advance(60_000);
    expect(scene.news()).toEqual([unhealthy]);
    expect(scene.probed).toHaveLength(6);
  });
});

describe('a liveness probe', () => {
  const health = { liveness: probe('/alive', { ...everySecond, failureThreshold: 2 }) };

  test('R-4 run-15 passes, then fails past its threshold: told once, quiet until the next Start', async () => {
    using scene = new Scene(withHealth(health), ['web']);
    scene.start('api');
    await scene.clock.advance(5_000);
    scene.finds.set('/alive', refuses);
    scene.news();
    await scene.clock.advance(60_000);
    expect(scene.news()).toEqual([
      'unhealthy shop/api: liveness of shop/api/http failed 2 times in a row: connection refused',
    ]);
    expect(scene.probed.filter((aim) => aim === '/alive')).toHaveLength(8);
    scene.finds.clear();
    scene.start('api');
    await scene.clock.advance(5_000);
    expect(scene.readiness.isServiceReady(id('api'))).toBe(true);
    scene.finds.set('/alive', refuses);
    await scene.clock.advance(60_000);
    expect(scene.news().filter((text) => text.startsWith('unhealthy'))).toHaveLength(1);
  });

  test('R-1 R-4 says nothing of readiness, nor readiness of it', async () => {
    using scene = new Scene(withHealth(health), ['web']);
    scene.finds.set('tcp-connect', refuses);
    scene.start('api');
    await scene.clock.advance(60_000);
    expect(scene.news()).toEqual([]);
    expect(scene.why('api')).toEqual([
      'shop/api/http: tcp-connect does not hold: connection refused (for 1 min)',
    ]);
  });
});

describe('whose an answer is', () => {
  test('R-9 R-8 a stranger’s is not readiness, and `why` names the stranger', async () => {
    using scene = new Scene(withHealth({}), ['web']);
    scene.ownership = { kind: 'foreign', sockets: '2', pid: 4_242, command: 'node other.js' };
    scene.start('api');
    await scene.clock.advance(10);
    expect(scene.readiness.isServiceReady(id('api'))).toBe(false);
    expect(scene.why('web')[1]).toBe(
      'shop/api/http: tcp-connect does not hold: 127.0.0.1:14000 is answered by pid 4242 (node other.js), which is not of shop/api (for 10 ms)',
    );
  });

  test('R-9 a doubt holds, and is said once', async () => {
    using scene = new Scene(withHealth({}), ['web']);
    scene.ownership = { kind: 'doubtful', sockets: '1', why: 'its agent names no process group' };
    for (let start = 0; start < 3; start++) {
      scene.start('api', []);
      await scene.clock.advance(10_000);
      expect(scene.readiness.isServiceReady(id('api'))).toBe(true);
    }
    expect(scene.warnings.map(({ code, message, place }) => [code, message, place])).toEqual([
      [
        'SK1453',
        'it cannot be told whether shop/api/http is answered by shop/api itself: its agent names no process group',
        { service: 'shop/api', endpoint: 'shop/api/http' },
      ],
    ]);
  });
});

test('R-8 `why` of a service that lost its readiness says what does not hold, and since when', async () => {
  using scene = new Scene(withHealth({ readiness: probe('/ready', everySecond) }), ['web']);
  scene.start('api');
  scene.start('web');
  await scene.clock.advance(10_000);
  expect(scene.news().at(-1)).toBe('run ready');
  expect(scene.why('web')).toEqual([]);
  scene.finds.set('/ready', refuses);
  await scene.clock.advance(5_000);
  expect(scene.why('api')).toEqual([
    'shop/api/http: http-status does not hold: connection refused (for 3 s)',
  ]);
  expect(scene.news()).toEqual(
    ['shop/web on shop/api: closed', 'shop/api not ready', 'run not ready'].toSorted(inOrder),
  );
  scene.finds.clear();
  await scene.clock.advance(1_000);
  expect(scene.news()).toEqual(
    ['shop/web on shop/api: open', 'shop/api ready', 'run ready'].toSorted(inOrder),
  );
});

/** As they are told: a service, then the gates, then the run. */
function inOrder(a: string, b: string): number {
  const rank = (text: string): number => (text.startsWith('run') ? 2 : text.includes(' on ') ? 1 : 0);
  return rank(a) - rank(b);
}

test('R-1 R-5 whatever happens, what is told of gates, services and the run is what the requirements imply', async () => {
  const services = sketch({
    web: { serves: { tcp: 'tcp' }, uses: { api: ['http'], db: { endpoints: [], wait: 'started' } } },
    api: {
      serves: { http: 'http' },
      uses: { db: ['sql'] },
      health: {
        startup: probe('/started', { failureThreshold: 5 }),
        readiness: probe('/ready', { successThreshold: 2, failureThreshold: 3 }),
        liveness: probe('/alive', everySecond),
      },
    },
    db: { serves: { sql: 'tcp', admin: 'tcp' }, probeCommand: 'pg_isready' },
  });
  const names = ['web', 'api', 'db'] as const;
  const step = fc.oneof(
    fc.record({ kind: fc.constant('start' as const), name: fc.constantFrom(...names) }),
    fc.record({ kind: fc.constant('end' as const), name: fc.constantFrom(...names) }),
    fc.record({ kind: fc.constant('hint' as const), name: fc.constantFrom(...names) }),
    fc.record({
      kind: fc.constant('find' as const),
      aim: fc.constantFrom('/started', '/ready', '/alive', 'tcp-connect', 'command'),
      ok: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(3_000) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      using scene = new Scene(services, ['web']);
      const plan = runRequirements({ services, roots: new Set([id('web')]), excluded: new Set() });
      const told = new Map<string, boolean>();
      const holds = ({ key }: { readonly key: (typeof plan.requirements)[number]['key'] }): boolean =>
        scene.readiness.stateOf(key).kind === 'holding';
      const agrees = (subject: string, implied: boolean): void =>
        expect([subject, told.get(subject) ?? false]).toEqual([subject, implied]);
      for (const it of steps) {
        if (it.kind === 'start') scene.start(it.name);
        else if (it.kind === 'end') scene.readiness.ended(scene.service(it.name), 'it ended', 'runner');
        else if (it.kind === 'hint') scene.readiness.hint(id(it.name));
        else if (it.kind === 'find') scene.finds.set(it.aim, it.ok ? answers : refuses);
        await scene.clock.advance(it.kind === 'pass' ? it.ms : 0);
        for (const text of scene.news()) {
          const [, subject, state] = /^(.*?):? (open|closed|ready|not ready)$/.exec(text) ?? [];
          if (subject !== undefined) told.set(subject, state === 'open' || state === 'ready');
        }
        for (const { dependent, dependency, requirements } of plan.gates)
          agrees(`${dependent} on ${dependency}`, requirements.every(holds));
        for (const service of scene.services.keys())
          agrees(service, plan.requirements.filter((it) => it.service === service).every(holds));
        agrees('run', plan.requirements.every(holds));
        expect(scene.readiness.isReady).toBe(plan.requirements.every(holds));
      }
      for (const name of names) scene.readiness.ended(scene.service(name), 'it ended', 'runner');
      expect(scene.clock.pending).toBe(0);
    }),
    { numRuns: 80 },
  );
});
