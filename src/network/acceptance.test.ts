import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultsOf, SkeinError } from '../errors/index.ts';
import type { EndpointId, Port, ServiceId } from '../workspace/index.ts';
import { type AnsweredInstance, type AnsweredMapping, accept } from './acceptance.ts';
import type { Access, NetworkInstance, NetworkMapping } from './mapping.ts';
import { hashMappings } from './mapping-hash.ts';
import { proposeAgain } from './proposal.ts';

const service = 'shop/api' as ServiceId;
const at = (access: Access, host: string, port: number): NetworkInstance => ({
  access,
  host,
  port: port as Port,
});
const mapping = (name: string, ...instances: NetworkInstance[]): NetworkMapping => ({
  endpoint: `${service}/${name}` as EndpointId,
  instances,
});
const answer = (name: string, ...instances: AnsweredInstance[]): AnsweredMapping => ({
  endpoint: name,
  instances,
});
const echo = (mappings: readonly NetworkMapping[]): AnsweredMapping[] =>
  mappings.map(({ endpoint, instances }) => ({ endpoint: endpoint.slice(service.length + 1), instances }));

const native = at('native', '127.0.0.1', 14_180);
const container = at('container', 'host.docker.internal', 14_180);
const open = at('public', 'shop.example.com', 443);
const grpc = at('native', '127.0.0.1', 14_181);
const proposed = [mapping('http', native, container, open), mapping('grpc', grpc)];

function refusal(
  answered: readonly AnsweredMapping[],
  on: readonly NetworkMapping[] = proposed,
): readonly SkeinError[] {
  try {
    accept({ service, proposed: on, answered });
  } catch (error) {
    if (error instanceof SkeinError) return faultsOf(error);
    throw error;
  }
  return [];
}

describe('N-6 what stands', () => {
  test.each<[string, AnsweredMapping[], NetworkMapping[]]>([
    ['an echo', echo(proposed), proposed],
    [
      'a view dropped',
      [answer('http', native, open), answer('grpc', grpc)],
      [mapping('http', native, open), mapping('grpc', grpc)],
    ],
    [
      'another port',
      [answer('http', { ...native, port: 9000 }, container), answer('grpc', grpc)],
      [mapping('http', at('native', '127.0.0.1', 9000), container), mapping('grpc', grpc)],
    ],
    [
      'a container address moved to the container network',
      [answer('http', native, { ...container, host: 'shop-api', port: 80 }), answer('grpc', grpc)],
      [mapping('http', native, at('container', 'shop-api', 80)), mapping('grpc', grpc)],
    ],
    [
      'the views of one endpoint answered apart',
      [answer('http', native), answer('grpc', grpc), answer('http', container)],
      [mapping('http', native, container), mapping('grpc', grpc)],
    ],
  ])('%s', (_, answered, mappings) => {
    expect(accept({ service, proposed, answered })).toEqual({ mappings, warnings: [] });
  });

  test('an echo stands as it is, even where an altered address of that shape would not', () => {
    const odd = [mapping('http', at('native', '', 0), at('container', 'localhost', 14_180))];
    expect(accept({ service, proposed: odd, answered: echo(odd) }).mappings).toEqual(odd);
  });

  test('a view that was dropped before may be added again where skein would propose it', () => {
    const kept = [mapping('http', native), mapping('grpc', grpc)];
    const answered = [answer('http', native, container), answer('grpc', grpc)];
    expect(
      accept({ service, proposed: kept, proposable: proposed, answered }).mappings[0]?.instances,
    ).toEqual([native, container]);
    expect(refusal(answered, kept).map((fault) => fault.code)).toEqual(['SK1222']);
  });

  test('a public view that was dropped may be added again at the address that skein would propose, and no other', () => {
    const kept = [mapping('http', native)];
    const proposable = [mapping('http', native, open)];
    const answered = (instance: AnsweredInstance): AnsweredMapping[] => [answer('http', native, instance)];
    const accepted = accept({ service, proposed: kept, proposable, answered: answered(open) });
    expect(accepted.mappings).toEqual(proposable);
    expect(() =>
      accept({ service, proposed: kept, proposable, answered: answered({ ...open, port: 1 }) }),
    ).toThrow('the public view: proposed shop.example.com:443 (public), answered shop.example.com:1');
  });
});

describe('N-6 what is refused', () => {
  test.each<[string, AnsweredMapping[], string, string]>([
    [
      'an endpoint more',
      [...echo(proposed), answer('admin', native)],
      'SK1220',
      'shop/api/admin: the endpoint: proposed http, grpc, answered admin',
    ],
    [
      'an endpoint less',
      [answer('http', native)],
      'SK1220',
      'shop/api/grpc: the endpoint: proposed 127.0.0.1:14181 (native), answered nothing',
    ],
    [
      'a mapping that does not say which endpoint it is for',
      [...echo(proposed), answer('', native)],
      'SK1220',
      'proposed a name for each mapping, answered 127.0.0.1:14180 (native) without one',
    ],
    [
      'one view twice',
      [answer('http', native, native), answer('grpc', grpc)],
      'SK1222',
      'shop/api/http: the native view: proposed at most one address, answered another one, 127.0.0.1:14180',
    ],
    [
      'no address left',
      [answer('http'), answer('grpc', grpc)],
      'SK1223',
      'shop/api/http: the addresses: proposed 127.0.0.1:14180 (native), host.docker.internal:14180 (container), ' +
        'shop.example.com:443 (public), answered none',
    ],
    [
      'a public address that skein would not propose',
      [answer('http', native), answer('grpc', grpc, open)],
      'SK1222',
      'shop/api/grpc: the public view: proposed native, answered shop.example.com:443',
    ],
    ...(
      [
        ['another host', 'evil.example', 443],
        ['another port', 'shop.example.com', 1],
        ['another address', 'evil.example', 1],
      ] as const
    ).map(([title, host, port]): [string, AnsweredMapping[], string, string] => [
      `${title} in the public view`,
      [answer('http', native, { access: 'public', host, port }), answer('grpc', grpc)],
      'SK1222',
      `shop/api/http: the public view: proposed shop.example.com:443 (public), answered ${host}:${port}`,
    ]),
    [
      'a view that skein would not propose',
      [answer('http', native), answer('grpc', grpc, container)],
      'SK1222',
      'shop/api/grpc: the container view: proposed native, answered host.docker.internal:14180',
    ],
    [
      'no view named',
      [answer('http', { access: undefined, host: '127.0.0.1', port: 1 }), answer('grpc', grpc)],
      'SK1221',
      'shop/api/http: the view: proposed native, container, public, answered none for 127.0.0.1:1',
    ],
    [
      'a blank host',
      [answer('http', { ...native, host: '' }), answer('grpc', grpc)],
      'SK1221',
      'shop/api/http: host of the native view: proposed 127.0.0.1, answered "", which is blank',
    ],
    [
      'a blank port',
      [answer('http', { ...native, port: 0 }), answer('grpc', grpc)],
      'SK1221',
      'shop/api/http: port of the native view: proposed 14180, answered 0, which is blank',
    ],
    [
      'no port at all',
      [answer('http', { ...native, port: 65_536 }), answer('grpc', grpc)],
      'SK1221',
      'answered 65536, which is no port from 1 to 65535',
    ],
    [
      'a host that is none',
      [answer('http', { ...native, host: 'http://127.0.0.1' }), answer('grpc', grpc)],
      'SK1221',
      'which is no host name or IP address',
    ],
    ...[
      'localhost',
      'LOCALHOST',
      'api.localhost',
      '127.0.0.1',
      '127.8.9.1',
      '127.1',
      '0x7f000001',
      '::1',
      '0:0::1',
      '::',
      '0.0.0.0',
      '::ffff:127.0.0.1',
    ].map((host): [string, AnsweredMapping[], string, string] => [
      `a container address moved onto loopback as ${host}`,
      [answer('http', { ...container, host }), answer('grpc', grpc)],
      'SK1221',
      `shop/api/http: host of the container view: proposed host.docker.internal, answered "${host}", which inside`,
    ]),
  ])('%s', (_, answered, code, reason) => {
    const faults = refusal(answered);
    expect(faults.map((fault) => fault.code)).toEqual([code]);
    expect(faults[0]?.message).toContain(reason);
    expect(faults[0]?.place).toMatchObject({ service, phase: 'init' });
  });

  test('everything that is wrong is named at once', () => {
    const answered = [
      answer('http', { ...native, host: '', port: 0 }, { ...container, host: 'localhost' }),
      answer('x', native),
    ];
    expect(refusal(answered).map((fault) => fault.code)).toEqual([
      'SK1220',
      'SK1221',
      'SK1221',
      'SK1221',
      'SK1220',
    ]);
  });
});

describe('N-8 no answer', () => {
  test('accepts the proposal, with a warning that names the assumed addresses', () => {
    expect(accept({ service, proposed: [mapping('http', native, container)], answered: [] })).toEqual({
      mappings: [mapping('http', native, container)],
      warnings: [
        'the agent of shop/api answered no addresses; assuming those proposed: ' +
          'http at 127.0.0.1:14180 (native), host.docker.internal:14180 (container)',
      ],
    });
  });

  test('says nothing where nothing was proposed', () => {
    expect(accept({ service, proposed: [], answered: [] })).toEqual({ mappings: [], warnings: [] });
  });

  test('a partial answer is never filled in', () => {
    expect(refusal([answer('grpc', grpc)]).map((fault) => fault.code)).toEqual(['SK1220']);
  });
});

test('N-9 a reload proposes what was accepted, and what is new afresh', () => {
  const accepted = [mapping('http', at('native', '127.0.0.1', 9000))];
  expect(proposeAgain(proposed, accepted)).toEqual([accepted[0], proposed[1]]);
});

const portNumber = fc.integer({ min: 1, max: 65_535 });
const proposals = fc
  .uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 6 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc
          .record({ port: portNumber, container: fc.boolean(), open: fc.boolean() })
          .map((made) =>
            mapping(
              name,
              at('native', '127.0.0.1', made.port),
              ...(made.container ? [at('container', 'gateway', made.port)] : []),
              ...(made.open ? [at('public', 'shop.example.com', made.port)] : []),
            ),
          ),
      ),
    ),
  );

/** The same answer in any order of endpoints and views. */
function shuffled(mappings: readonly NetworkMapping[]): fc.Arbitrary<AnsweredMapping[]> {
  return fc
    .tuple(
      ...echo(mappings).map((each) =>
        fc
          .shuffledSubarray([...each.instances], { minLength: each.instances.length })
          .map((instances) => ({ ...each, instances })),
      ),
    )
    .chain((all) => fc.shuffledSubarray(all, { minLength: all.length }));
}

describe('N-6 N-7 of any proposal', () => {
  test('N-7 an echo in any order is accepted in the order of the proposal, with the same hash', () => {
    fc.assert(
      fc.property(
        proposals.chain((all) => fc.tuple(fc.constant(all), shuffled(all))),
        ([all, answered]) => {
          const accepted = accept({ service, proposed: all, answered });
          expect(accepted).toEqual({ mappings: all, warnings: [] });
          expect(hashMappings(accepted.mappings)).toBe(hashMappings([...all].reverse()));
        },
      ),
    );
  });

  test('a moved port or a dropped view is accepted, and changes the hash', () => {
    fc.assert(
      fc.property(proposals, portNumber, (all, port) => {
        const [first, ...rest] = all;
        const [view, ...views] = first?.instances ?? [];
        if (first === undefined || view === undefined || view.port === port) return;
        const moved = [{ ...first, instances: [{ ...view, port: port as Port }, ...views] }, ...rest];
        expect(accept({ service, proposed: all, answered: echo(moved) }).mappings).toEqual(moved);
        expect(hashMappings(moved)).not.toBe(hashMappings(all));
        if (views.length === 0) return;
        const dropped = [{ ...first, instances: views }, ...rest];
        expect(accept({ service, proposed: all, answered: echo(dropped) }).mappings).toEqual(dropped);
        expect(hashMappings(dropped)).not.toBe(hashMappings(all));
      }),
    );
  });

  const mutations: Record<string, (all: AnsweredMapping[], index: number) => AnsweredMapping[]> = {
    'an endpoint removed': (all, index) =>
      all.length === 1 ? [answer('other', native)] : all.toSpliced(index, 1),
    'an endpoint invented': (all) => [...all, answer('invented', native)],
    'a view repeated': (all, index) => changed(all, index, (views) => [...views, ...views.slice(0, 1)]),
    'all views removed': (all, index) => changed(all, index, () => []),
    'a host blanked': (all, index) =>
      changed(all, index, ([first, ...rest]) => (first ? [{ ...first, host: '' }, ...rest] : [])),
    'a port blanked': (all, index) =>
      changed(all, index, ([first, ...rest]) => (first ? [{ ...first, port: 0 }, ...rest] : [])),
    'a view blanked': (all, index) =>
      changed(all, index, ([first, ...rest]) => (first ? [{ ...first, access: undefined }, ...rest] : [])),
    'a container address on loopback': (all, index) =>
      changed(all, index, (views) => [
        ...views.filter((view) => view.access !== 'container'),
        { access: 'container', host: '127.0.0.1', port: 1 },
      ]),
  };
  const changed = (
    all: AnsweredMapping[],
    index: number,
    change: (views: readonly AnsweredInstance[]) => AnsweredInstance[],
  ): AnsweredMapping[] =>
    all.map((each, at) => (at === index ? { ...each, instances: change(each.instances) } : each));

  test.each(Object.entries(mutations))('%s is always refused', (_, mutate) => {
    fc.assert(
      fc.property(proposals, fc.nat(), (all, seed) => {
        expect(refusal(mutate(echo(all), seed % all.length), all)).not.toEqual([]);
      }),
    );
  });
});
