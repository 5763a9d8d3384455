import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { complaintsOf, workspaceFolder } from '../../tests/support/workspace-files.ts';
import { faultsOf, isFilePlace, SkeinError, SkeinFaults } from '../errors/index.ts';
import { loadWorkspace } from './load.ts';

const service = (name: string, more = ''): string => `name: ${name}\nagent: process\n${more}`;

test('W-1 an inline workspace is one module named as the workspace', async () => {
  using folder = workspaceFolder({
    'workspace.skein.yaml': `name: shop
services:
  - name: db
    agent: acme/postgres:17
    endpoints: [{ name: sql, api: tcp, port: 5432 }]
  - name: api
    agent: process
    restart: { attempts: 3, backoff: 250ms }
    isolate: true
    health: { command: [curl, -f, localhost], timeout: 2s }
    test: [{ name: unit }]
    workspace-configuration-dependencies: [flags, auth/frontend]
    endpoints:
      - { name: http, visibility: public, exposure: none, health: { path: /up, statuses: [204, 300-302], headers: { X-A: 1 }, interval: 1s } }
      - { name: rpc, api: grpc, secured: true, health: { services: [shop.v1.Orders] } }
    service-dependencies: [{ name: db }]
    environment: { PORT: 0x10, ON: true, TEXT: "\${self:http|port}" }
    spec: { command: node server.js, list: [1, { a: b }] }
`,
  });
  const workspace = await loadWorkspace(folder.root);
  expect(workspace).toMatchObject({
    name: 'shop',
    root: folder.root,
    file: join(folder.root, 'workspace.skein.yaml'),
  });
  expect(workspace.modules).toEqual([{ name: 'shop', root: folder.root, services: ['shop/db', 'shop/api'] }]);
  const [db, api] = [...workspace.services.values()];
  expect(db).toMatchObject({
    id: 'shop/db',
    kind: 'service',
    agent: { kind: 'name', publisher: 'acme', name: 'postgres', version: '17' },
    restart: { policy: 'on-failure', attempts: 10, backoffMs: 1000 },
    endpoints: [{ id: 'shop/db/sql', api: 'tcp', port: 5432, visibility: 'private', secured: false }],
  });
  expect(api).toMatchObject({
    agent: { publisher: 'skein', name: 'process' },
    isolate: true,
    health: { readiness: { command: ['curl', '-f', 'localhost'], timing: { timeoutMs: 2000 } } },
    restart: { policy: 'on-failure', attempts: 3, backoffMs: 250 },
    configurationGroups: ['flags', 'auth/frontend'],
    test: [{ name: 'unit' }],
    spec: { command: 'node server.js', list: [1, { a: 'b' }] },
    dependencies: [{ service: 'shop/db', endpoints: ['shop/db/sql'], kind: 'runtime', wait: 'ready' }],
  });
  expect(api?.endpoints[0]).toMatchObject({
    api: 'http',
    exposure: 'none',
    health: {
      readiness: {
        http: {
          path: '/up',
          method: 'HEAD',
          statuses: [
            [204, 204],
            [300, 302],
          ],
          headers: new Map([['X-A', '1']]),
        },
        timing: { intervalMs: 1000 },
      },
    },
  });
  expect(api?.endpoints[1]).toMatchObject({ grpcServices: ['shop.v1.Orders'], secured: true });
  expect([...(api?.environment ?? [])].map(([name, { text }]) => [name, text])).toEqual([
    ['PORT', '0x10'],
    ['ON', 'true'],
    ['TEXT', '${self:http|port}'],
  ]);
  expect(api?.environment.get('TEXT')?.place).toMatchObject({ line: 17, column: 49 });
  expect(api?.specPlace('/list/1/a')).toMatchObject({ line: 18, column: 53 });
  expect(api?.specPlace('')).toMatchObject({ line: 18, column: 11 });
});

test('R-4 each probe has what is asked and when; the flat keys are the readiness probe', async () => {
  using folder = workspaceFolder({
    'workspace.skein.yaml': `
name: shop
services:
  - name: api
    agent: process
    health:
      command: check
      interval: 2s
      liveness: { command: [check, alive], failure-threshold: 5 }
    endpoints:
      - name: http
        health:
          readiness: { path: /ready, success-threshold: 2, initial-delay: 0s }
          liveness: { timeout: 1s }
          startup: { path: /up, body-contains: started, interval: 250ms, failure-threshold: 40 }
      - name: grpc
        health: { services: [a.B], liveness: { services: [a.C] }, failure-threshold: 1 }
`,
  });
  const api = (await loadWorkspace(folder.root)).services.get('shop/api' as never);
  expect(api?.health).toEqual({
    readiness: { command: 'check', timing: { intervalMs: 2_000 } },
    liveness: { command: ['check', 'alive'], timing: { failureThreshold: 5 } },
  });
  const [http, grpc] = api?.endpoints ?? [];
  const asked = { headers: new Map(), statuses: [[200, 399]] };
  expect(http?.health).toEqual({
    readiness: {
      http: { ...asked, path: '/ready', method: 'HEAD' },
      grpcServices: [],
      timing: { successThreshold: 2, initialDelayMs: 0 },
    },
    liveness: { grpcServices: [], timing: { timeoutMs: 1_000 } },
    startup: {
      http: { ...asked, path: '/up', method: 'GET', bodyContains: 'started' },
      grpcServices: [],
      timing: { intervalMs: 250, failureThreshold: 40 },
    },
  });
  expect(grpc).toMatchObject({ grpcServices: ['a.B'], health: { liveness: { grpcServices: ['a.C'] } } });
});

test('W-1 flat and modules folders are found by convention, and the layouts mix', async () => {
  using folder = workspaceFolder({
    'workspace.skein.yaml': 'name: shop\n',
    'services/web/service.skein.yaml': service('web'),
    'services/notes/readme.md': '',
    'modules/data/module.skein.yaml':
      'name: data\nservices:\n  - services/db\n  - name: cache\n    agent: redis\n',
    'modules/data/services/db/service.skein.yaml': service('db'),
    'modules/bus/module.skein.yaml': 'name: bus\n',
    'modules/bus/services/queue/service.skein.yaml': 'agent: process\n',
  });
  const workspace = await loadWorkspace(folder.root);
  expect([...workspace.services.keys()]).toEqual(['shop/web', 'bus/queue', 'data/db', 'data/cache']);
  expect(workspace.modules.map((module) => module.name)).toEqual(['shop', 'bus', 'data']);
  expect(workspace.services.get('data/db' as never)?.directory).toBe(
    join(folder.root, 'modules/data/services/db'),
  );
  expect(workspace.services.get('data/cache' as never)?.directory).toBe(join(folder.root, 'modules/data'));
});

test('W-1 a written list replaces the convention; inline modules, paths to folders and to files mix', async () => {
  using folder = workspaceFolder({
    'workspace.skein.yaml': `name: shop
services: [services/a, services/b/service.skein.yaml, { name: c, agent: process }]
modules: [{ name: inline, services: [{ name: d, agent: process }, elsewhere/e] }, parts/m]
`,
    'services/a/service.skein.yaml': service('a'),
    'services/b/service.skein.yaml': service('b'),
    'services/unlisted/service.skein.yaml': service('unlisted'),
    'elsewhere/e/service.skein.yaml': service('e'),
    'parts/m/module.skein.yaml': 'name: m\n',
    'modules/unlisted/module.skein.yaml': 'name: unlisted\n',
  });
  expect([...(await loadWorkspace(folder.root)).services.keys()]).toEqual([
    'shop/a',
    'shop/b',
    'shop/c',
    'inline/d',
    'inline/e',
  ]);
});

test('W-1 a module folder of services without its file is not passed over in silence', async () => {
  using folder = workspaceFolder({
    'workspace.skein.yaml': 'name: shop\n',
    'modules/data/services/db/service.skein.yaml': service('db'),
  });
  expect(await complaintsOf(folder.root)).toEqual([
    'SK1021 modules/data:1:1 modules/data holds services but no module.skein.yaml',
  ]);
});

test('W-2 names declared twice are refused with both places', async () => {
  using folder = workspaceFolder({
    'workspace.skein.yaml': `name: shop
services: [{ name: a, agent: process, endpoints: [{ name: http }, { name: http }] }, { name: a, agent: process }]
modules: [{ name: m, services: [] }, { name: m, services: [] }]
`,
  });
  expect(await complaintsOf(folder.root)).toEqual([
    'SK1030 workspace.skein.yaml:2:75 endpoint `shop/a/http` is declared twice: here and at workspace.skein.yaml:2:59',
    'SK1030 workspace.skein.yaml:2:94 service `shop/a` is declared twice: here and at workspace.skein.yaml:2:20',
    'SK1030 workspace.skein.yaml:3:46 module `m` is declared twice: here and at workspace.skein.yaml:3:19',
  ]);
});

test('W-3 a path stays inside its root, before and after links are resolved', async () => {
  using outside = workspaceFolder({
    'service.skein.yaml': service('stolen'),
    'm/module.skein.yaml': 'name: m\n',
  });
  using folder = workspaceFolder({
    'workspace.skein.yaml':
      'name: shop\nservices: [../up, linked, filelink, nowhere, empty]\nmodules: [modules/data, outer]\n',
    'empty/x': '',
    'filelink/x': '',
    'aside/service.skein.yaml': service('aside'),
    'modules/data/module.skein.yaml': 'name: data\nservices: [../../aside, back]\n',
  });
  symlinkSync(outside.root, join(folder.root, 'linked'));
  symlinkSync(join(outside.root, 'm'), join(folder.root, 'outer'));
  symlinkSync(join(outside.root, 'service.skein.yaml'), join(folder.root, 'filelink/service.skein.yaml'));
  symlinkSync(join(folder.root, 'aside'), join(folder.root, 'modules/data/back'));
  const heads = (await complaintsOf(folder.root)).map((line) => line.split(' ').slice(0, 2).join(' '));
  expect(heads).toEqual([
    'SK1020 workspace.skein.yaml:2:12',
    'SK1020 workspace.skein.yaml:2:19',
    'SK1020 workspace.skein.yaml:2:27',
    'SK1021 workspace.skein.yaml:2:37',
    'SK1021 workspace.skein.yaml:2:46',
    'SK1020 workspace.skein.yaml:3:25',
    'SK1020 modules/data/module.skein.yaml:2:12',
    'SK1020 modules/data/module.skein.yaml:2:25',
  ]);
});

test('W-3 a link that stays inside, and links that go round, are told apart', async () => {
  using folder = workspaceFolder({
    'workspace.skein.yaml': 'name: shop\nservices: [good, round]\n',
    'real/service.skein.yaml': service('real'),
  });
  symlinkSync('real', join(folder.root, 'good'));
  symlinkSync('round', join(folder.root, 'round'));
  expect(await complaintsOf(folder.root)).toEqual(['SK1002 workspace.skein.yaml:2:18 round cannot be read']);
});

test('W-4 all faults of a workspace are reported at once, each at its place, causes only', async () => {
  using folder = workspaceFolder({
    'workspace.skein.yaml': `name: shop
servces: []
services:
  - name: Api
    agent: process
  - name: web
    restart: sometimes
    endpoints:
      - { name: http, visibility: interal }
    service-dependencies:
      - { name: nobody }
  - services/bad
modules:
  - modules/data
`,
    'services/bad/service.skein.yaml': 'name: bad\n\tagent: x\n',
    'modules/data/module.skein.yaml': 'name: data\n',
    'modules/data/services/db/service.skein.yaml': service(
      'db',
      'service-dependencies:\n  - { name: web, module: shop, endpoints: [http] }\n  - { name: dc }\nkidn: job\n',
    ),
  });
  expect(await complaintsOf(folder.root)).toEqual([
    'SK1010 workspace.skein.yaml:2:1 unknown key `servces`; did you mean `services`?',
    'SK1013 workspace.skein.yaml:4:11 `name` must be a name: a lower-case letter, then lower-case letters, digits and single dashes, 63 characters at most; found `Api`',
    'SK1012 workspace.skein.yaml:6:5 `agent` is missing; it must be an agent: `name`, `publisher/name`, `publisher/name:version` or a path such as `./agents/x`',
    'SK1011 workspace.skein.yaml:7:14 `restart` must be `on-failure`, `always` or `never`; found `sometimes`',
    'SK1011 workspace.skein.yaml:9:35 `visibility` must be `private`, `internal` or `public`; found `interal`; did you mean `internal`?',
    'SK1005 services/bad/service.skein.yaml:2:1 a tab is used for indentation; YAML takes spaces only',
    'SK1050 modules/data/services/db/service.skein.yaml:5:13 data/db depends on data/dc, but module `data` has no service `dc`; did you mean `db`?',
    'SK1010 modules/data/services/db/service.skein.yaml:6:1 unknown key `kidn`; did you mean `kind`?',
  ]);
});

test('W-4 a fault carries the source line, and the thrown error is SkeinFaults', async () => {
  using folder = workspaceFolder({ 'workspace.skein.yaml': '\uFEFFname: shop\r\nservces: []\r\n' });
  try {
    await loadWorkspace(folder.root);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(SkeinFaults);
    const [fault] = error instanceof SkeinError ? faultsOf(error) : [];
    expect(fault?.place && isFilePlace(fault.place) && fault.place).toEqual({
      file: join(folder.root, 'workspace.skein.yaml'),
      line: 2,
      column: 1,
      source: 'servces: []',
    });
  }
});

test('W-17 a thousand services in a hundred modules load, each file once', async () => {
  using folder = workspaceFolder({ 'workspace.skein.yaml': 'name: big\n' });
  for (let m = 0; m < 100; m++) {
    folder.write({ [`modules/m${m}/module.skein.yaml`]: `name: m${m}\n` });
    for (let s = 0; s < 10; s++)
      folder.write({
        [`modules/m${m}/services/s${s}/service.skein.yaml`]: service(
          `s${s}`,
          s > 0 ? `service-dependencies: [{ name: s${s - 1} }]\n` : '',
        ),
      });
  }
  const workspace = await loadWorkspace(folder.root);
  expect(workspace.services.size).toBe(1000);
  expect(workspace.modules).toHaveLength(100);
});
