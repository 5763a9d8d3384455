/** The plan gate and the resolution, on one workspace: what the gate lets through resolves, what it refuses never does. */
import { describe, expect, test } from 'vitest';
import { faultsOf, SkeinError } from '../errors/index.ts';
import type { Access, NetworkMapping } from '../network/index.ts';
import type {
  Api,
  DependencyKind,
  Endpoint,
  EndpointId,
  Port,
  Service,
  ServiceId,
  Visibility,
  Workspace,
} from '../workspace/index.ts';
import type { Sources } from './carriers.ts';
import { checkReferences, referencedProducers } from './check.ts';
import type { ExposedConfiguration } from './exposed.ts';
import { type EnvironmentSources, resolveEnvironment, resolveTemplate } from './resolve.ts';

const place = { file: '/shop/workspace.skein.yaml', line: 1, column: 1 };

interface Written {
  readonly endpoints?: Record<string, readonly [Api, Visibility?]>;
  readonly dependencies?: Record<string, DependencyKind>;
  readonly environment?: Record<string, string>;
}

function workspaceOf(services: Record<string, Written>): Workspace {
  const endpointsOf = (id: string): Endpoint[] =>
    Object.entries(services[id]?.endpoints ?? {}).map(([name, [api, visibility = 'internal']]) => ({
      id: `${id}/${name}` as EndpointId,
      name,
      api,
      visibility,
      secured: false,
      grpcServices: [],
      place,
    }));
  const built = Object.entries(services).map(([id, written]): [ServiceId, Service] => {
    const [module = '', name = ''] = id.split('/');
    return [
      id as ServiceId,
      {
        id: id as ServiceId,
        module,
        name,
        kind: 'service',
        agent: { kind: 'name', publisher: 'skein', name: 'process', place },
        directory: '/shop',
        endpoints: endpointsOf(id),
        dependencies: Object.entries(written.dependencies ?? {}).map(([service, kind]) => ({
          service: service as ServiceId,
          endpoints: endpointsOf(service).map((endpoint) => endpoint.id),
          kind,
          wait: 'ready',
          place,
        })),
        configurationGroups: [],
        environment: new Map(
          Object.entries(written.environment ?? {}).map(([key, text]) => [key, { text, place }]),
        ),
        restart: { policy: 'on-failure', attempts: 10, backoffMs: 0 as Service['restart']['backoffMs'] },
        isolate: false,
        spec: {},
        specPlace: () => place,
        place,
      },
    ];
  });
  return { name: 'shop', root: '/shop', file: place.file, modules: [], services: new Map(built) };
}

const base: Record<string, Written> = {
  'data/db': { endpoints: { sql: ['tcp'], admin: ['http', 'private'], stats: ['http', 'public'] } },
  'data/cache': { endpoints: { main: ['tcp'] } },
  'shop/web': { endpoints: { grpc: ['grpc'], first: ['rest'], second: ['rest'] } },
};

/** The workspace with one more service, `shop/api`. */
function consumerWith(
  environment: Record<string, string>,
  dependencies: Written['dependencies'] = { 'data/db': 'runtime' },
) {
  const workspace = workspaceOf({
    ...base,
    'shop/api': { endpoints: { http: ['http'] }, dependencies, environment },
  });
  const service = workspace.services.get('shop/api' as ServiceId);
  if (service === undefined) throw new Error('no consumer');
  return { workspace, service };
}

const mappingsOf = (workspace: Workspace, id: string): NetworkMapping[] =>
  (workspace.services.get(id as ServiceId)?.endpoints ?? []).map((endpoint, index) => ({
    endpoint: endpoint.id,
    instances: [
      { access: 'native', host: '127.0.0.1', port: (5000 + index) as Port },
      { access: 'container', host: id.replace('/', '-'), port: (80 + index) as Port },
    ],
  }));

const configurations: ExposedConfiguration[] = [
  { group: 'connection', values: [{ key: 'value', value: 'postgres://u:p@127.0.0.1:5000', secret: true }] },
  {
    group: 'limits/pool',
    values: [
      { key: 'max-size', value: '10', secret: false },
      { key: 'min', value: '1', secret: false },
    ],
  },
];

function sources(
  environment: Record<string, string>,
  over: Partial<EnvironmentSources> & { readonly dependencies?: Written['dependencies'] } = {},
): EnvironmentSources {
  const { dependencies, ...rest } = over;
  const { workspace, service } = consumerWith(environment, dependencies);
  return {
    workspace,
    service,
    access: 'native',
    selfMappings: mappingsOf(workspace, service.id),
    mappingsOf: (producer) => mappingsOf(workspace, producer),
    configurationsOf: (producer) => (producer === 'data/db' ? configurations : []),
    run: { environment: 'local', runtimeContext: 'native' },
    ...rest,
  };
}

function faultsFrom(work: () => unknown): readonly SkeinError[] {
  try {
    work();
  } catch (error) {
    if (error instanceof SkeinError) return faultsOf(error);
    throw error;
  }
  return [];
}

const gate = (from: EnvironmentSources) => checkReferences(from.workspace, [from.service]);
const variableOf = (from: EnvironmentSources, name: string) =>
  resolveEnvironment(from).variables.find((variable) => variable.name === name);

describe('C-7 C-12 what a reference becomes', () => {
  test.each<[string, string, string]>([
    ['${self:http}', 'http://127.0.0.1:5000', 'http://shop-api:80'],
    ['${self:http|port}', '5000', '80'],
    ['${endpoint:data/db/sql}', '127.0.0.1:5000', 'data-db:80'],
    ['${endpoint:data/db/sql|host}', '127.0.0.1', 'data-db'],
    ['${endpoint:data/db/sql|authority}', '127.0.0.1:5000', 'data-db:80'],
    ['${endpoint:data/db/sql|url}', 'tcp://127.0.0.1:5000', 'tcp://data-db:80'],
    ['${endpoint:data/db/stats}', 'http://127.0.0.1:5002', 'http://data-db:82'],
    ['${endpoint:data/db/http}', 'http://127.0.0.1:5002', 'http://data-db:82'],
    ['${endpoint:data/cache/tcp}', '127.0.0.1:5000', 'data-cache:80'],
    ['${endpoint:shop/web/grpc}', '127.0.0.1:5000', 'shop-web:80'],
    ['${endpoint:shop/api/http|host}', '127.0.0.1', 'shop-api'],
    ['${configuration:data/db/limits/pool/max-size}', '10', '10'],
    ['a ${self:http|port} $$ ${self:http|port}$', 'a 5000 $ 5000$', 'a 80 $ 80$'],
  ])('%s', (text, native, container) => {
    const from = sources({ X: text });
    expect(gate(from)).toEqual([]);
    expect(variableOf(from, 'X')).toEqual({ name: 'X', value: native, secret: false });
    const contained: Access = 'container';
    expect(variableOf({ ...from, access: contained }, 'X')?.value).toBe(container);
  });

  test('C-2 a secret value makes the variable secret, and so do its name and a password in it', () => {
    const from = sources({
      DATABASE_URL: '${configuration:data/db/connection}',
      PART: 'x=${configuration:data/db/connection/value}',
      API_TOKEN: 'plain',
      CACHE: 'redis://:pw@${endpoint:data/cache/main|authority}',
      OPEN: '${endpoint:data/cache/main}',
    });
    const secrets = ['DATABASE_URL', 'PART', 'API_TOKEN', 'CACHE', 'OPEN'].map(
      (name) => variableOf(from, name)?.secret,
    );
    expect(secrets).toEqual([true, true, true, true, false]);
  });
});

describe('C-9 the gate and the resolution give one verdict', () => {
  test.each<[string, string, string, Written['dependencies']?]>([
    ['${self:', 'SK1101', 'is not closed'],
    ['${env:HOME}', 'SK1102', 'unknown kind'],
    ['${secret:x}', 'SK1103', 'names a secret'],
    ['${endpoint:data/bd/sql}', 'SK1104', 'workspace shop has no service `data/bd`; did you mean `data/db`?'],
    ['${endpoint:data/db/sqk}', 'SK1105', 'data/db has no endpoint `sqk`; did you mean `sql`?'],
    ['${self:grpc}', 'SK1105', 'shop/api has no endpoint `grpc`; it has http'],
    ['${endpoint:data/db/admin}', 'SK1106', 'data/db/admin is private to module data'],
    ['${endpoint:shop/web/rest}', 'SK1107', 'several endpoints speak rest: shop/web/first, shop/web/second'],
    ['${configuration:data/bd/x}', 'SK1104', 'did you mean `data/db`?'],
    ['${configuration:data/db/connection}', 'SK1108', 'shop/api declares no dependency on it', {}],
    [
      '${configuration:data/db/connection}',
      'SK1108',
      'shop/api depends on it for build alone',
      { 'data/db': 'build' },
    ],
    ['${configuration:shop/api/x}', 'SK1108', 'a service cannot take its own configuration'],
  ])('%s is refused', (text, code, reason, dependencies) => {
    const from = sources({ FINE: 'x', X: text }, dependencies === undefined ? {} : { dependencies });
    const faults = gate(from);
    expect(faults.map((fault) => fault.code)).toEqual([code]);
    expect(faults[0]?.message).toContain(reason);
    expect(faults[0]?.place).toMatchObject({ file: place.file });
    expect(faultsFrom(() => resolveEnvironment(from))).toMatchObject(
      faults.map(({ message }) => ({ code, message })),
    );
  });

  test('every fault of every variable is reported at once, naming consumer, variable and reference', () => {
    const from = sources({ A: '${self:x} ${endpoint:no/no/no}', B: '${self:' });
    expect(gate(from).map((fault) => fault.message)).toEqual([
      'shop/api cannot be given A: ${self:x}: shop/api has no endpoint `x`; it has http',
      'shop/api cannot be given A: ${endpoint:no/no/no}: workspace shop has no service `no/no`',
      'the reference ${self: is not closed: a `}` is missing',
    ]);
    expect(faultsFrom(() => resolveEnvironment(from))).toHaveLength(3);
  });

  test('names of carriers are not the user’s to set', () => {
    const from = sources({ SKEIN__WORKSPACE: 'mine' });
    expect(gate(from).map((fault) => fault.code)).toEqual(['SK1113']);
    expect(faultsFrom(() => resolveEnvironment(from)).map((fault) => fault.code)).toEqual(['SK1113']);
  });

  test('the producers that a service refers to are told, itself and broken references left out', () => {
    const { service } = consumerWith({
      A: '${endpoint:data/cache/main} ${self:http} ${endpoint:shop/api/http}',
      B: '${configuration:data/db/connection}',
      C: '${endpoint:shop/web',
    });
    expect([...referencedProducers(service)]).toEqual(['data/cache', 'data/db']);
  });
});

describe('C-11 what is asked for and cannot be had is an error', () => {
  const missing = (text: string, over: Partial<Sources>): string => {
    const faults = faultsFrom(() => resolveEnvironment(sources({ X: text }, over)));
    expect(faults.map((fault) => fault.code)).toEqual(['SK1110']);
    return faults[0]?.message ?? '';
  };

  test.each<[string, Partial<Sources>, string]>([
    ['${endpoint:data/cache/main}', { mappingsOf: () => undefined }, 'data/cache is not part of this run'],
    ['${endpoint:data/cache/main}', { mappingsOf: () => [] }, 'data/cache/main has no address in this run'],
    ['${self:http}', { selfMappings: [] }, 'shop/api/http has no address in this run'],
    [
      '${self:http}',
      { access: 'public' },
      'shop/api/http has no public address; it is served as native, container',
    ],
    [
      '${configuration:data/db/connection}',
      { configurationsOf: () => undefined },
      'data/db is not part of this run',
    ],
    [
      '${configuration:data/db/nothing}',
      {},
      'of data/db, there is no group `nothing`; exposed are `connection`, `limits/pool`',
    ],
    ['${configuration:data/db/limits/pool}', {}, 'of data/db, the group `limits/pool` has several values'],
  ])('%s', (text, over, reason) => {
    expect(missing(text, over)).toContain(`shop/api cannot be given X: ${text}: ${reason}`);
  });
});

describe('C-15 the carriers', () => {
  const names = (from: EnvironmentSources): Record<string, string> =>
    Object.fromEntries(resolveEnvironment(from).variables.map((variable) => [variable.name, variable.value]));

  test('hold the facts of the run, the own addresses, those of runtime dependencies within reach, and their values', () => {
    const run = { environment: 'local', namingScope: 'ci', runtimeContext: 'native', fixture: 'small' };
    const from = sources({}, { run });
    expect(names(from)).toEqual({
      SKEIN__WORKSPACE: 'shop',
      SKEIN__MODULE: 'shop',
      SKEIN__SERVICE: 'api',
      SKEIN__ENVIRONMENT: 'local',
      SKEIN__NAMING_SCOPE: 'ci',
      SKEIN__RUNTIME_CONTEXT: 'native',
      SKEIN__FIXTURE: 'small',
      SKEIN__SELF__HTTP__HTTP: 'http://127.0.0.1:5000',
      SKEIN__ENDPOINT__DATA__DB__SQL__TCP: '127.0.0.1:5000',
      SKEIN__ENDPOINT__DATA__DB__STATS__HTTP: 'http://127.0.0.1:5002',
      SKEIN__SERVICE_SECRET_CONFIGURATION__DATA__DB__CONNECTION__VALUE: 'postgres://u:p@127.0.0.1:5000',
      SKEIN__SERVICE_CONFIGURATION__DATA__DB__LIMITS__POOL__MAX_SIZE: '10',
      SKEIN__SERVICE_CONFIGURATION__DATA__DB__LIMITS__POOL__MIN: '1',
    });
    const secret = resolveEnvironment(from).variables.filter((variable) => variable.secret);
    expect(secret.map((variable) => variable.name)).toEqual([
      'SKEIN__SERVICE_SECRET_CONFIGURATION__DATA__DB__CONNECTION__VALUE',
    ]);
  });

  test('leave out what the run does not have', () => {
    const from = sources({}, { dependencies: {} });
    expect(Object.keys(names(from))).toEqual([
      'SKEIN__WORKSPACE',
      'SKEIN__MODULE',
      'SKEIN__SERVICE',
      'SKEIN__ENVIRONMENT',
      'SKEIN__RUNTIME_CONTEXT',
      'SKEIN__SELF__HTTP__HTTP',
    ]);
  });

  test.each(['build', 'schema', 'completion', 'external'] as const)(
    'of a %s dependency there are none',
    (kind) => {
      expect(Object.keys(names(sources({}, { dependencies: { 'data/db': kind } }))).join()).not.toContain(
        'DATA',
      );
    },
  );

  test('W-14 C-11 an address that the run does not have is warned of', () => {
    expect(resolveEnvironment(sources({}, { mappingsOf: () => undefined })).warnings).toEqual([
      'shop/api is not given the endpoints of data/db, which is not part of this run',
    ]);
    expect(resolveEnvironment(sources({}, { mappingsOf: () => [], selfMappings: [] })).warnings).toContain(
      'shop/api is not given SKEIN__SELF__HTTP__HTTP: shop/api/http has no native address',
    );
    expect(resolveEnvironment(sources({})).warnings).toEqual([]);
  });

  test('two values for one name are refused, both named', () => {
    const value = (key: string) => ({ key, value: 'x', secret: false });
    const from = sources(
      {},
      { configurationsOf: () => [{ group: 'pool', values: [value('max-size'), value('MAX_SIZE')] }] },
    );
    expect(faultsFrom(() => resolveEnvironment(from)).map((fault) => fault.message)).toEqual([
      'SKEIN__SERVICE_CONFIGURATION__DATA__DB__POOL__MAX_SIZE of shop/api would be both max-size of pool of data/db ' +
        'and MAX_SIZE of pool of data/db',
    ]);
  });
});

test('a name of several sources has the value of the strongest: the caller, the carriers, the map, --set', () => {
  const variable = (name: string, value: string) => ({ name, value, secret: false });
  const from = sources(
    { PATH: 'of the map', BOTH: 'of the map' },
    {
      caller: [
        variable('PATH', 'of the caller'),
        variable('HOME', 'of the caller'),
        variable('SKEIN__WORKSPACE', 'of the caller'),
      ],
      set: [variable('BOTH', '${self:http}'), variable('SKEIN__SERVICE', 'set'), variable('NEW', 'set')],
    },
  );
  const { variables } = resolveEnvironment(from);
  const values = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  expect(values).toMatchObject({
    PATH: 'of the map',
    HOME: 'of the caller',
    SKEIN__WORKSPACE: 'shop',
    BOTH: '${self:http}',
    SKEIN__SERVICE: 'set',
    NEW: 'set',
  });
  expect(Object.keys(values)).toHaveLength(variables.length);
});

test('a single template resolves by itself', () => {
  const template = { text: 'postgres://${self:http|authority}/db', place };
  expect(resolveTemplate(sources({}), 'connection', template)).toEqual({
    value: 'postgres://127.0.0.1:5000/db',
    secret: false,
  });
});
