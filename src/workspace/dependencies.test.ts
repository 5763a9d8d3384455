import { expect, test } from 'vitest';
import { complaintsOf, workspaceFolder } from '../../tests/support/workspace-files.ts';
import { dependencyEdges } from './index.ts';
import { loadWorkspace } from './load.ts';

/** Two modules: `app` holds `web`, `data` holds a service `db` and a job `migrate`; `dependency` is what `web` declares. */
const shop = (...dependencies: string[]): string => `name: shop
modules:
  - name: data
    services:
      - name: db
        agent: postgres
        endpoints: [{ name: sql, api: tcp }, { name: http, visibility: internal }]
      - { name: migrate, kind: job, agent: process }
  - name: app
    services:
      - name: web
        agent: process
        service-dependencies:
${dependencies.map((dependency) => `          - ${dependency}\n`).join('')}`;

test.each<[string, string, string | undefined]>([
  ['all that it may reach when none is named', '{ name: db, module: data }', undefined],
  [
    'an unknown producer, with the module that has it',
    '{ name: db }',
    'SK1050 14:21 app/web depends on app/db, but module `app` has no service `db`; there is data/db (`module: data`)',
  ],
  [
    'an unknown producer, with the nearest',
    '{ name: dbb, module: data }',
    'SK1050 14:21 app/web depends on data/dbb, but module `data` has no service `dbb`; did you mean `db`?',
  ],
  [
    'an unknown module',
    '{ name: db, module: dta }',
    'SK1050 14:33 app/web depends on dta/db, but the workspace has no module `dta`; did you mean `data`?',
  ],
  [
    'an unknown endpoint',
    '{ name: db, module: data, endpoints: [htp] }',
    'SK1051 14:51 app/web depends on endpoint `htp` of data/db, which has no such endpoint among `sql`, `http`; did you mean `http`?',
  ],
  [
    'a private endpoint of another module',
    '{ name: db, module: data, endpoints: [sql] }',
    'SK1052 14:51 app/web may not reach data/db/sql: the endpoint is private, which only services of module `data` reach, and the consumer is of module `app`',
  ],
  [
    'a service that never completes',
    '{ name: db, module: data, wait: completed }',
    'SK1053 14:45 app/web waits for data/db to complete, but data/db is a service, not a job: it never completes',
  ],
  [
    'completion of a service',
    '{ name: db, module: data, kind: completion }',
    'SK1053 14:45 app/web waits for data/db to complete, but data/db is a service, not a job: it never completes',
  ],
  [
    'completion that does not wait for it',
    '{ name: migrate, module: data, kind: completion, wait: started }',
    'SK1054 14:68 app/web asks for the completion of data/migrate and waits for `started`: a completion dependency waits for `completed`',
  ],
  ['itself', '{ name: web }', 'SK1054 14:21 app/web depends on itself'],
])('W-8 a dependency on %s', async (_title, dependency, expected) => {
  using folder = workspaceFolder({ 'workspace.skein.yaml': shop(dependency) });
  const complaints = (await complaintsOf(folder.root)).map((line) =>
    line.replace('workspace.skein.yaml:', ''),
  );
  expect(complaints).toEqual(expected === undefined ? [] : [expected]);
});

test('W-8 defaults: endpoints in reach, kind runtime, ready for a service, completed for a job', async () => {
  using folder = workspaceFolder({
    'workspace.skein.yaml': shop(
      '{ name: db, module: data }',
      '{ name: migrate, module: data }',
      '{ name: db, module: data, kind: build }',
    ),
  });
  const [web] = [...(await loadWorkspace(folder.root)).services.values()].slice(-1);
  expect(web?.dependencies).toMatchObject([
    { service: 'data/db', endpoints: ['data/db/http'], kind: 'runtime', wait: 'ready' },
    { service: 'data/migrate', endpoints: [], kind: 'runtime', wait: 'completed' },
    { service: 'data/db', kind: 'build' },
  ]);
});

test('W-8 one producer twice in one kind is refused with both places', async () => {
  using folder = workspaceFolder({
    'workspace.skein.yaml': shop('{ name: migrate, module: data }', '{ name: migrate, module: data }'),
  });
  expect(await complaintsOf(folder.root)).toEqual([
    'SK1054 workspace.skein.yaml:15:13 app/web declares its runtime dependency on data/migrate twice: here and at workspace.skein.yaml:14:21',
  ]);
});

/** `a>b` makes a depend on b; a third part is the kind. */
function graph(...edges: string[]): string {
  const dependencies = new Map<string, string[]>();
  for (const edge of edges) {
    const [consumer = '', producer = '', kind = 'runtime'] = edge.split('>');
    dependencies.set(producer, dependencies.get(producer) ?? []);
    dependencies.set(consumer, [
      ...(dependencies.get(consumer) ?? []),
      `{ name: ${producer}, kind: ${kind} }`,
    ]);
  }
  const services = [...dependencies]
    .sort()
    .map(
      ([name, list]) => `  - { name: ${name}, agent: process, service-dependencies: [${list.join(', ')}] }\n`,
    );
  return `name: g\nservices:\n${services.join('')}`;
}

test.each<[string, string[], string[]]>([
  ['a chain', ['a>b', 'b>c'], []],
  ['a diamond', ['a>b', 'a>c', 'b>d', 'c>d'], []],
  ['two', ['a>b', 'b>a'], ['runtime dependencies form a cycle: g/a → g/b → g/a']],
  [
    'a shortest one of a knot',
    ['a>b', 'b>c', 'c>a', 'c>d', 'd>b', 'e>a'],
    ['runtime dependencies form a cycle: g/a → g/b → g/c → g/a'],
  ],
  [
    'two knots',
    ['a>b', 'b>a', 'c>d', 'd>c'],
    [
      'runtime dependencies form a cycle: g/a → g/b → g/a',
      'runtime dependencies form a cycle: g/c → g/d → g/c',
    ],
  ],
  [
    'builds, a schema among them',
    ['a>b>build', 'b>a>schema'],
    ['build dependencies form a cycle: g/a → g/b → g/a'],
  ],
  ['build one way and runtime the other', ['a>b>build', 'b>a>runtime'], []],
  ['external edges', ['a>b>external', 'b>a>runtime'], []],
])('W-9 cycles: %s', async (_title, edges, expected) => {
  using folder = workspaceFolder({ 'workspace.skein.yaml': graph(...edges) });
  expect((await complaintsOf(folder.root)).map((line) => line.replace(/^SK1060 \S+ /, ''))).toEqual(expected);
});

test('W-9 a long chain that closes is told whole and costs no stack', async () => {
  const size = 5000;
  const edges = Array.from({ length: size }, (_, i) => `s${i}>s${(i + 1) % size}`);
  using folder = workspaceFolder({ 'workspace.skein.yaml': graph(...edges) });
  const [complaint = '', ...others] = await complaintsOf(folder.root);
  expect(others).toEqual([]);
  expect(complaint.split(' → ')).toHaveLength(size + 1);
});

test('W-9 each stage has its own edges', async () => {
  using folder = workspaceFolder({
    'workspace.skein.yaml': graph('a>b>build', 'a>c>schema', 'b>c>runtime', 'c>a>external'),
  });
  const workspace = await loadWorkspace(folder.root);
  const edges = (stage: 'build' | 'run'): string[] =>
    dependencyEdges(workspace, stage).map(({ consumer, producer }) => `${consumer}>${producer}`);
  expect(edges('build')).toEqual(['g/a>g/b', 'g/a>g/c']);
  expect(edges('run')).toEqual(['g/b>g/c']);
});
