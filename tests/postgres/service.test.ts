/** The built-in postgres agent, launched and called as a host does it, on servers of both engines. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nativeInstallations } from '../../src/agents/builtin/postgres/installation/index.ts';
import { Api, Visibility } from '../../src/gen/skein/base/v1/network_pb.js';
import { Status_State } from '../../src/gen/skein/base/v1/status_pb.js';
import { StopResponse_Outcome } from '../../src/gen/skein/runtime/v1/runtime_pb.js';
import { bundle, type LaunchedAgent, launch, loadRequest } from '../sdk/launch.ts';
import { connect, Database, expectNothingIn, isRoot, processesIn, query, Workspace } from './database.ts';

let entry: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  entry = await bundle('src/agents/builtin/main.ts');
});
afterAll(() => entry.dispose());

const postgresAgent = (): Promise<LaunchedAgent> => launch(entry.file);
const natives = await nativeInstallations(process.env['PATH'] ?? ['/usr/bin', '/bin'].join(delimiter));

describe.each(['embedded', 'native'] as const)('the engine %s', (engine) => {
  test('A-17 makes a database, exposes its URL, keeps its data between runs and leaves nothing running', async (context) => {
    context.skip(
      engine === 'native' && natives.length === 0,
      'no server of PostgreSQL is installed on this machine',
    );
    using workspace = new Workspace();
    const spec = { engine, database: 'Shop "one"', user: 'keeper of wool', settings: { work_mem: '5MB' } };
    {
      await using agent = await postgresAgent();
      const database = new Database(agent, workspace, { spec, disposable: false });
      await database.run();
      expect(new URL(database.url)).toMatchObject({
        protocol: 'postgres:',
        hostname: '127.0.0.1',
        port: String(database.port),
      });
      const [row] = await query(
        database.url,
        `select current_database() as database, current_user as who, current_setting('work_mem') as memory,
           current_setting('server_encoding') as encoding, upper('ä') as upper, current_setting('listen_addresses') as hosts`,
      );
      expect(row).toEqual({
        database: 'Shop "one"',
        who: 'keeper of wool',
        memory: '5MB',
        encoding: 'UTF8',
        upper: 'Ä',
        hosts: '127.0.0.1',
      });
      await query(database.url, "create table kept as select 'wool' as thing");
      expect(await database.stop()).toMatchObject({ outcome: StopResponse_Outcome.STOPPED });
      expect(processesIn(database.cluster)).toEqual([]);
    }
    await using agent = await postgresAgent();
    const database = new Database(agent, workspace, { spec, disposable: false });
    await database.run();
    expect(await query(database.url, 'select thing from kept')).toEqual([{ thing: 'wool' }]);
    await database.stop();
    await expectNothingIn(workspace.folder);
  });
});

describe('the postgres agent', () => {
  test('A-2 says what its spec looks like', async () => {
    await using agent = await postgresAgent();
    const information = await agent.agent.getAgentInformation({ agent: 'skein/postgres' });
    expect(information.name).toBe('skein/postgres');
    expect(information.specSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(information.specSchema).not.toHaveProperty('required');
  });

  test.each([
    ['no endpoint', []],
    ['two endpoints', [Api.TCP, Api.TCP]],
    ['an http endpoint', [Api.HTTP]],
  ])('%s is refused: it serves exactly one tcp endpoint', async (_what, apis) => {
    using workspace = new Workspace();
    await using agent = await postgresAgent();
    const endpoints = apis.map((api, at) => ({ name: `e${at}`, api, visibility: Visibility.INTERNAL }));
    const { status } = await agent.runtime.load(
      loadRequest(workspace.folder, {}, { agent: 'skein/postgres', endpoints }),
    );
    expect(status?.failure?.code).toBe('POSTGRES_ENDPOINT');
  });

  test('W-6 a wrong spec is refused with every violation by its pointer', async () => {
    using workspace = new Workspace();
    await using agent = await postgresAgent();
    const spec = {
      engine: 'sqlite',
      version: 9,
      database: 'a\nb',
      user: 'pg_monitor',
      settings: { port: 1 },
      'initdb-arguments': ['-D/tmp'],
      'stop-timeout': 'soon',
    };
    const { status } = await new Database(agent, workspace, { spec }).load();
    expect(status?.failure?.violations.map(({ pointer }) => pointer).sort()).toEqual([
      '/database',
      '/engine',
      '/initdb-arguments/0',
      '/settings/port',
      '/stop-timeout',
      '/user',
      '/version',
    ]);
  });

  test('C-2 the generated password is kept for this user alone, needed to connect, and masked in every log', async () => {
    using workspace = new Workspace();
    await using agent = await postgresAgent();
    const database = new Database(agent, workspace, { spec: { settings: { log_statement: 'all' } } });
    await database.load();
    const { configurations } = await database.init();
    expect(configurations).toMatchObject([{ group: 'connection', values: [{ key: 'url', secret: true }] }]);
    const pid = (await database.start()).processGroups[0]?.pgid;
    const file = join(database.data, 'password');
    const { password } = new URL(database.url);
    expect(readFileSync(file, 'utf8')).toBe(password);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await query(database.url, `select '${password}' as told`);
    await expect(connect(database.url.replace(password, 'guessed'))).rejects.toThrow(
      /password authentication failed/,
    );
    await database.stop();
    expect(database.log()).toMatch(/select '\*\*\*' as told/);
    expect(database.log() + agent.stderr()).not.toContain(password);
    if (process.platform === 'linux') expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  test('another user, password or database in the spec is brought about at the next start', async () => {
    using workspace = new Workspace();
    await using agent = await postgresAgent();
    const before = new Database(agent, workspace);
    await before.run();
    await query(before.url, 'create table kept as select 1 as one');
    const spec = { user: 'other', password: 'with space & umlaut ü', database: 'second' };
    const after = new Database(agent, workspace, { spec });
    await after.run();
    expect(await query(after.url, 'select current_user as who, current_database() as database')).toEqual([
      { who: 'other', database: 'second' },
    ]);
    const first = new URL(before.url);
    first.port = String(after.port);
    expect(await query(first.href, 'select one from kept')).toEqual([{ one: 1 }]);
    await after.stop();
    expect(after.log()).not.toContain('umlaut');
  });

  test('A-12 two services in one agent process have servers and data of their own', async () => {
    using workspace = new Workspace();
    await using agent = await postgresAgent();
    const both = ['db', 'orders-db'].map((name) => new Database(agent, workspace, { name }));
    await Promise.all(both.map((database) => database.run()));
    const names = await Promise.all(both.map(({ url }) => query(url, 'select current_database() as name')));
    expect(names.flat()).toEqual([{ name: 'db' }, { name: 'orders_db' }]);
    await both[0]?.stop();
    expect(await query(both[1]?.url ?? '', 'select 1 as one')).toEqual([{ one: 1 }]);
    await both[1]?.stop();
    await expectNothingIn(workspace.folder);
  });

  test('T-4 Stop does not wait for clients, nor for one that is at work', async () => {
    using workspace = new Workspace();
    await using agent = await postgresAgent();
    const database = new Database(agent, workspace);
    await database.run();
    const client = await connect(database.url);
    const working = client.query('select pg_sleep(60)').catch((error: unknown) => error);
    expect(await database.stop()).toMatchObject({ outcome: StopResponse_Outcome.STOPPED });
    expect(await working).toBeInstanceOf(Error);
    await expectNothingIn(workspace.folder);
  });

  test('destroy keeps the data unless they are to be deleted', async () => {
    using workspace = new Workspace();
    await using agent = await postgresAgent();
    const database = new Database(agent, workspace, { disposable: false });
    await database.run();
    await agent.runtime.destroy({ instance: database.instance });
    expect(existsSync(join(database.cluster, 'PG_VERSION'))).toBe(true);
    await database.load();
    const { status } = await agent.runtime.destroy({ instance: database.instance, deleteData: true });
    expect(status?.state).toBe(Status_State.OK);
    expect(existsSync(database.cluster)).toBe(false);
    expect(existsSync(join(database.data, 'password'))).toBe(false);
  });

  test('as root the server is an unprivileged user, and so is the owner of the data', async (context) => {
    context.skip(!isRoot, 'only root has to change users');
    using workspace = new Workspace();
    await using agent = await postgresAgent();
    const database = new Database(agent, workspace);
    const pid = await database.run();
    const { uid, mode } = statSync(database.cluster);
    expect(uid).not.toBe(0);
    expect(mode & 0o777).toBe(0o700);
    if (process.platform === 'linux') expect(statSync(`/proc/${pid}`).uid).toBe(uid);
    await database.stop();
  });

  test('as root in a folder that the server cannot enter, the data lies in the state folder, and a pointer says where', async (context) => {
    context.skip(!isRoot, 'only root has to change users');
    using workspace = new Workspace('private');
    await using agent = await postgresAgent();
    const database = new Database(agent, workspace, { disposable: false });
    await database.run();
    const pointer = join(database.data, 'location.json');
    const { home } = JSON.parse(readFileSync(pointer, 'utf8')) as { home: string };
    expect(home.startsWith(workspace.folder)).toBe(false);
    expect(statSync(join(home, 'cluster')).uid).not.toBe(0);
    expect(database.log()).toContain(home);
    await query(database.url, 'create table kept as select 1 as one');
    await database.run();
    expect(await query(database.url, 'select one from kept')).toEqual([{ one: 1 }]);
    await agent.runtime.destroy({ instance: database.instance, deleteData: true });
    expect([home, pointer].filter(existsSync)).toEqual([]);
  });
});
