import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SkeinError } from '../errors/index.ts';
import { workspaceLayers } from '../orchestration/index.ts';
import type { RegistryEntry, Settlement } from '../processes/index.ts';
import type { Service, ServiceDependency, ServiceId, Workspace } from '../workspace/index.ts';
import {
  leftoverFaults,
  leftoverLayers,
  leftoverReceipt,
  nameLeftovers,
  ownerOf,
  type SettledLeftover,
} from './leftovers.ts';

type Reservation = NonNullable<RegistryEntry['record']['reservation']>;

const identity = (pid: number) => ({ pid, start: '500', boot: 'b' });

/** A record whose secret is `name`, made by the process `registrar`. */
function recorded(
  name: string,
  purpose: Reservation['purpose'],
  rest: Partial<Reservation> = {},
): RegistryEntry {
  const reservation: Reservation = {
    ...{ secret: name, workspaceRoot: '/w', purpose, commandLine: 'x' },
    ...{ stopSignal: 'SIGTERM', stopTimeoutMs: null, socket: null },
    ...{ reservedAt: 1, registrar: identity(10), parent: null, machine: 'm', ...rest },
  };
  const record = { is: 'registered', reservation, leader: identity(4242) } as const;
  return { file: `/r/${name}`, secret: name, record };
}

const service = (id: string, name = id, rest: Partial<Reservation> = {}): RegistryEntry =>
  recorded(name, { kind: 'service', workspace: 'shop', run: 'r1', service: id }, rest);
const agent = (name: string, rest: Partial<Reservation> = {}): RegistryEntry =>
  recorded(name, { kind: 'agent', agent: 'skein/process' }, rest);
const unreadable: RegistryEntry = {
  file: '/r/dd',
  secret: 'dd',
  record: { is: 'damaged', why: 'its first line cannot be read', reservation: undefined },
};

/** `a → b`: a depends on b. */
function workspaceOf(edges: Readonly<Record<string, readonly string[]>>): Pick<Workspace, 'services'> {
  const services = Object.entries(edges).map(([id, producers]) => {
    const dependencies = producers.map(
      (producer) => ({ service: producer, kind: 'runtime' }) as unknown as ServiceDependency,
    );
    return [id as ServiceId, { id, dependencies } as unknown as Service] as const;
  });
  return { services: new Map(services) };
}

describe('ownerOf', () => {
  const nested = agent('outer', { registrar: identity(1) });
  test.each<[string, RegistryEntry, number | undefined]>([
    ['the supervisor for an agent', agent('a', { registrar: identity(20) }), 20],
    ['its own supervisor for an agent of a run inside a service', agent('a', { parent: 'outer' }), 10],
    ['the supervisor for what an agent has started', service('s/a', 'x', { parent: 'outer' }), 1],
    ['the registrar where its own record is gone', service('s/a', 'x', { parent: 'none' }), 10],
    ['the registrar where it runs in no agent', service('s/a', 'x', { parent: 'service' }), 10],
    ['nobody where the record does not say', unreadable, undefined],
  ])('is %s', (_title, entry, pid) => {
    const entries = [nested, service('s/outer', 'service', { registrar: identity(2) }), entry];
    expect(ownerOf(entry, entries)?.pid).toBe(pid);
  });
});

describe('T-1 leftoverLayers', () => {
  const shop = workspaceOf({ 's/db': [], 's/api': ['s/db'], 's/web': ['s/api'], 's/job': ['s/db'] });
  const secrets = (layers: readonly (readonly RegistryEntry[])[]) =>
    layers.map((layer) => layer.map(({ secret }) => secret));

  test.each<[string, RegistryEntry[], typeof shop | undefined, string[][]]>([
    ['nothing left has no layers', [], shop, []],
    [
      'consumers come first, what the workspace does not have follows, agents and the unreadable are last',
      [agent('agent'), unreadable, service('s/gone'), service('s/db'), service('s/web'), service('s/api')],
      shop,
      [['s/web'], ['s/api'], ['s/db'], ['s/gone'], ['agent', 'dd']],
    ],
    [
      'a service between two that is not left orders them all the same',
      [service('s/db'), service('s/web')],
      shop,
      [['s/web'], ['s/db']],
    ],
    [
      'all groups of a service go with it',
      [service('s/db'), service('s/api', 'build'), service('s/api', 'main')],
      shop,
      [['build', 'main'], ['s/db']],
    ],
    [
      'without a workspace services are one layer',
      [agent('agent'), service('s/db'), service('s/api')],
      undefined,
      [['s/db', 's/api'], ['agent']],
    ],
  ])('%s', (_title, leftovers, workspace, layers) => {
    expect(secrets(leftoverLayers(leftovers, workspace ? workspaceLayers(workspace) : []))).toEqual(layers);
  });

  test('each leftover is in one layer, and none is empty', () => {
    const any = fc.oneof(
      fc.constantFrom('s/db', 's/api', 's/web', 's/job', 't/gone').map((id) => service(id)),
      fc.constant(unreadable).map((entry) => ({ ...entry })),
      fc.constant('agent').map((name) => agent(name)),
    );
    fc.assert(
      fc.property(fc.array(any), fc.boolean(), (leftovers, loads) => {
        const layers = leftoverLayers(leftovers, loads ? workspaceLayers(shop) : []);
        expect(layers.every((layer) => layer.length > 0)).toBe(true);
        expect(layers.flat()).toHaveLength(leftovers.length);
        expect(new Set(layers.flat())).toEqual(new Set(leftovers));
      }),
    );
  });
});

describe('nameLeftovers', () => {
  const shop = workspaceOf({ 's/db': [], 's/api': [], 't/api': [] });
  const left = [service('s/db'), service('u/old'), agent('agent')];

  test.each([
    ['s/db', 's/db'],
    ['db', 's/db'],
    ['old', 'u/old'],
    ['t/api', 't/api'],
  ])('%s is %s', (written, id) => {
    expect(nameLeftovers([written], left, shop)).toEqual([id]);
  });

  test('a record is enough where the workspace cannot be read', () => {
    expect(nameLeftovers(['old'], left, undefined)).toEqual(['u/old']);
  });

  test.each([
    ['api', 'SK1032', 's/api, t/api'],
    ['none', 'SK1031', '`none`'],
    ['agent', 'SK1031', '`agent`'],
  ])('%s is refused with %s', (written, code, words) => {
    expect(() => nameLeftovers([written], left, shop)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(words) }),
    );
  });
});

describe('T-3 leftoverReceipt', () => {
  const ended = (settlement: Settlement, layer: number, durationMs = 1.4): SettledLeftover => ({
    settlement,
    layer,
    durationMs,
  });

  test('has a line for each service, with the worst of its groups, layers without gaps, and not what was gone', () => {
    const error = new SkeinError('SK1609', 'not yours');
    const settled = [
      ended({ entry: service('s/was'), outcome: 'gone' }, 0),
      ended({ entry: service('s/web'), outcome: 'stopped' }, 1, 2.6),
      ended({ entry: service('s/web', 'build'), outcome: 'forced' }, 1, 7),
      ended({ entry: service('s/api'), outcome: 'unproven', why: 'another-boot', groups: [4242] }, 3),
      ended({ entry: service('s/db'), outcome: 'failed', error }, 4),
      ended({ entry: unreadable, outcome: 'unproven', why: 'damaged', groups: [] }, 5),
      ended({ entry: agent('agent'), outcome: 'timed-out', group: 7, survivors: [] }, 5),
      ended({ entry: service('s/late'), outcome: 'starting' }, 5),
    ];
    const { operation, layers, resources } = leftoverReceipt(settled);
    expect({ operation, layers }).toEqual({ operation: 'stop', layers: 4 });
    expect(
      resources.map(({ id, layer, outcome, durationMs, error }) => [id, layer, outcome, durationMs, error]),
    ).toEqual([
      ['s/web', 0, 'forced', 7, 'it did not stop by itself, and was killed'],
      ['s/api', 1, 'failed', 1, expect.stringContaining('in another boot')],
      ['s/db', 2, 'failed', 1, 'not yours'],
      ['agent skein/process', 3, 'timed-out', 1, expect.stringContaining('outlived SIGKILL')],
      ['s/late', 3, 'failed', 1, 'a process that lives is about to start it'],
    ]);
    expect(leftoverFaults(settled).map(({ code }) => code)).toEqual(['SK1617', 'SK1609', 'SK1616', 'SK1620']);
  });

  test('of what had ended before has nothing in it', () => {
    expect(leftoverReceipt([ended({ entry: service('s/a'), outcome: 'gone' }, 0)])).toMatchObject({
      layers: 0,
      resources: [],
    });
  });
});
