import { describe, expect, test } from 'vitest';
import type { Service } from '../../workspace/index.ts';
import type { FailureReport } from '../events.ts';
import { type RequirementKey, runRequirements } from './requirements.ts';
import { id, sketch } from './service-fixture.ts';
import type { RequirementState } from './state.ts';
import { type WhyFacts, whyChain, whyText } from './why.ts';

const failing = (lastError: string): RequirementState => ({ kind: 'failing', lastError, sinceMs: 1_000 });

/** Everything that `states` does not name is holding for `holding` services and unknown for the others. */
function facts(
  services: readonly Service[],
  up: readonly string[],
  states: Readonly<Record<string, RequirementState>> = {},
  failures: Readonly<Record<string, FailureReport>> = {},
): WhyFacts {
  const { requirements, gates } = runRequirements({
    services,
    roots: new Set([services[0]?.id ?? id('none')]),
    excluded: new Set(),
  });
  return {
    stateOf: (key: RequirementKey) =>
      states[key.replace('shop/', '')] ??
      (up.some((name) => new RegExp(`^shop/${name}[/#]`).test(key))
        ? { kind: 'holding', sinceMs: 0 }
        : { kind: 'unknown', sinceMs: 0 }),
    gatesOf: (service) => gates.filter(({ dependent }) => dependent === service),
    requirementsOf: (service) => requirements.filter((requirement) => requirement.service === service),
    failureOf: (service) => failures[service] ?? null,
  };
}

const told = (
  services: readonly Service[],
  service: string,
  ...rest: Parameters<typeof facts> extends [unknown, ...infer Rest] ? Rest : never
): readonly string[] => whyText(whyChain(id(service), facts(services, ...rest)), 11_000);

const shop = sketch({
  web: { serves: { http: 'http' }, uses: { api: ['http'] } },
  api: { serves: { http: 'http' }, uses: { cache: ['tcp'], db: ['sql'] } },
  cache: { serves: { tcp: 'tcp' } },
  db: { serves: { sql: 'tcp', admin: 'http' } },
});

describe('whyChain', () => {
  test('R-8 goes along the waits to the requirement that does not hold now', () => {
    expect(
      told(shop, 'web', ['cache'], {
        'db#lifecycle': { kind: 'holding', sinceMs: 0 },
        'db/sql#endpoint-mapping': { kind: 'holding', sinceMs: 0 },
        'db#runner': { kind: 'holding', sinceMs: 0 },
        'db/sql#tcp-connect': failing('connection refused'),
      }),
    ).toEqual([
      'shop/web waits for shop/api',
      'shop/api waits for shop/db',
      'shop/db/sql: tcp-connect does not hold: connection refused (for 10 s)',
    ]);
  });

  test('R-8 each link carries what its service waits for', () => {
    const chain = whyChain(id('web'), facts(shop, ['cache'], { 'db#lifecycle': failing('exit status 1') }));
    expect(
      chain.map(
        ({ service, requirement }) => `${service} ← ${requirement?.service} ${requirement?.predicate}`,
      ),
    ).toEqual([
      'shop/web ← shop/api lifecycle',
      'shop/api ← shop/db lifecycle',
      'shop/db ← shop/db lifecycle',
    ]);
  });

  test('R-8 a root that fails goes before one that is still on its way', () => {
    expect(told(shop, 'api', [], { 'db#lifecycle': failing('exit status 1') }).at(-1)).toContain(
      'shop/db: lifecycle does not hold: exit status 1',
    );
    expect(told(shop, 'api', []).at(-1)).toBe('shop/cache: lifecycle does not hold yet (for 11 s)');
  });

  test('R-8 the words of the culprit are told', () => {
    const failure: FailureReport = {
      code: 'SK1402',
      message: 'exited with status 1',
      service: id('db'),
      phase: 'start',
      remedy: null,
      lastLines: [],
      exit: null,
    };
    expect(told(shop, 'web', ['cache'], {}, { 'shop/db': failure }).at(-1)).toBe(
      'shop/db: lifecycle does not hold yet (for 11 s); shop/db failed: exited with status 1',
    );
  });

  test('R-8 R-4 of a service that its liveness fails it is said once', () => {
    const message =
      'shop/db is not healthy: liveness of shop/db/sql failed 3 times in a row: connection refused';
    const failure: FailureReport = {
      ...{
        code: 'SK1406',
        message,
        service: id('db'),
        phase: 'health',
        remedy: null,
        lastLines: [],
        exit: null,
      },
    };
    const lines = told(shop, 'web', ['cache'], { 'db#runner': failing(message) }, { 'shop/db': failure });
    expect(lines.at(-1)).toBe(`shop/db: runner does not hold: ${message} (for 10 s)`);
  });

  test('R-8 a service that has started is its own reason, whatever its dependencies do', () => {
    expect(
      told(shop, 'web', ['web', 'api'], { 'web/http#tcp-connect': failing('connection refused') }),
    ).toEqual(['shop/web/http: tcp-connect does not hold: connection refused (for 10 s)']);
  });

  test('R-2 an endpoint that the consumer does not use is no reason', () => {
    expect(
      told(shop, 'web', ['web', 'api', 'cache', 'db'], {
        'db/admin#tcp-connect': failing('connection refused'),
      }),
    ).toEqual([]);
  });

  test('R-8 is empty for a service that is ready', () => {
    expect(whyChain(id('db'), facts(shop, ['db']))).toEqual([]);
  });

  test('R-8 a chain of 2,000 is followed to its end', () => {
    const long = sketch(
      Object.fromEntries(
        Array.from({ length: 2_000 }, (_, index) => [`s${index}`, { uses: { [`s${index + 1}`]: [] } }]),
      ),
    );
    const known = facts(long, []);
    const byDependent = new Map(
      runRequirements({ services: long, roots: new Set(), excluded: new Set() }).gates.map((gate) => [
        gate.dependent,
        gate,
      ]),
    );
    const chain = whyChain(id('s0'), {
      ...known,
      gatesOf: (service) => [byDependent.get(service) ?? []].flat(),
    });
    expect(chain).toHaveLength(2_000);
    expect(chain.at(-1)?.service).toBe('shop/s1999');
  });
});
