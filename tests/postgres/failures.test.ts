/** What goes wrong with a server and its data, and what is said of it: real crashes, real shortages. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Status_State } from '../../src/gen/skein/base/v1/status_pb.js';
import { InstanceState } from '../../src/gen/skein/runtime/v1/runtime_pb.js';
import { bundle, type LaunchedAgent, launch } from '../sdk/launch.ts';
import {
  connect,
  Database,
  expectNothingIn,
  freePort,
  hasSharedMemory,
  isRoot,
  processesIn,
  query,
  Workspace,
} from './database.ts';

let entry: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  entry = await bundle('src/agents/builtin/main.ts');
});
afterAll(() => entry.dispose());

const postgresAgent = (): Promise<LaunchedAgent> => launch(entry.file);

/** Until Watch tells that the instance has failed. */
async function failed(agent: LaunchedAgent): Promise<void> {
  for await (const { events } of agent.runtime.watch({}))
    for (const { event } of events)
      if (event.case === 'state' && event.value.state === InstanceState.FAILED) return;
}

/** A query that keeps its process busy without a pause, once it is at work; it ends with its connection. */
async function busyProcess(url: string): Promise<number> {
  const client = await connect(url);
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const pid = Number(rows[0]?.['pid']);
  client.query('do $$ begin loop perform 1; end loop; end $$').catch(() => undefined);
  const state = async (): Promise<unknown> =>
    (await query(url, `select state from pg_stat_activity where pid = ${pid}`))[0]?.['state'];
  await expect.poll(state, { interval: 10, timeout: 10_000 }).toBe('active');
  return pid;
}

describe('a crash', () => {
  test('F-15 a server that is killed has failed, its processes go with it, and the next start recovers', async () => {
    using workspace = new Workspace();
    await using agent = await postgresAgent();
    const database = new Database(agent, workspace);
    const pid = await database.run();
    await query(database.url, 'create table kept as select 1 as one');
    const busy = await busyProcess(database.url);
    const lock = join(database.cluster, 'postmaster.pid');
    const marked = readFileSync(lock, 'utf8');
    expect(hasSharedMemory(marked)).toBe(process.platform === 'linux');
    const failure = failed(agent);
    process.kill(pid, 'SIGKILL');
    await failure;
    await expectNothingIn(database.cluster);
    await expect
      .poll(() => database.log(), { interval: 20, timeout: 10_000 })
      .toMatch(new RegExp(`processes .*\\b${busy}\\b.* were left behind`));
    expect(existsSync(lock)).toBe(true);
    await expect.poll(() => hasSharedMemory(marked), { interval: 20, timeout: 10_000 }).toBe(false);
    expect((await database.start()).status?.state).toBe(Status_State.OK);
    expect(await query(database.url, 'select one from kept')).toEqual([{ one: 1 }]);
    expect(database.log()).toContain('automatic recovery in progress');
    await database.stop();
  });

  test('A-9 at the end of its life-line the agent stops the server', async () => {
    using workspace = new Workspace();
    const agent = await postgresAgent();
    const database = new Database(agent, workspace);
    await database.run();
    agent.child.stdin?.end();
    expect(await agent.exited).toBe(0);
    expect(processesIn(database.cluster)).toEqual([]);
    expect(existsSync(join(database.cluster, 'postmaster.pid'))).toBe(false);
    await agent[Symbol.asyncDispose]();
  });

  test('T-7 the server of an agent that was killed is stopped by the next one, which can prove whose it is', async () => {
    using workspace = new Workspace();
    const first = await postgresAgent();
    const before = new Database(first, workspace);
    const orphan = await before.run();
    await query(before.url, 'create table kept as select 1 as one');
    first.child.kill('SIGKILL');
    await first[Symbol.asyncDispose]();
    expect(processesIn(before.cluster)).toContain(orphan);
    await using agent = await postgresAgent();
    const after = new Database(agent, workspace);
    expect(await after.run()).not.toBe(orphan);
    expect(processesIn(after.cluster)).not.toContain(orphan);
    expect(await query(after.url, 'select one from kept')).toEqual([{ one: 1 }]);
    await after.stop();
    await expectNothingIn(workspace.folder);
  });

  test('T-7 a server whose agent lives is left alone, and the second one refused', async () => {
    using workspace = new Workspace();
    await using first = await postgresAgent();
    const running = new Database(first, workspace);
    await running.run();
    await using second = await postgresAgent();
    const refused = new Database(second, workspace);
    await refused.load();
    await refused.init();
    expect((await refused.start()).status?.failure?.code).toBe('POSTGRES_DATA_IN_USE');
    expect(await query(running.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await running.stop();
  });

  test('a lock file whose pid is a stranger’s by now does not keep the server from starting', async () => {
    using workspace = new Workspace();
    await using agent = await postgresAgent();
    const database = new Database(agent, workspace);
    await database.run();
    await database.stop();
    const stranger = spawn('sleep', ['60'], { ...(isRoot && { uid: statSync(database.cluster).uid }) });
    await once(stranger, 'spawn');
    try {
      const lock = join(database.cluster, 'postmaster.pid');
      writeFileSync(lock, `${stranger.pid}\n${database.cluster}\n1\n${database.port}\n\n127.0.0.1\n`, {
        mode: 0o600,
      });
      const { uid, gid } = statSync(database.cluster);
      chownSync(lock, uid, gid);
      expect((await database.start()).status).toMatchObject({ state: Status_State.OK });
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
      await database.stop();
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  test('an agent that is killed while it makes the data leaves no half of it', async () => {
    using workspace = new Workspace();
    const first = await postgresAgent();
    const before = new Database(first, workspace);
    await before.load();
    const init = before.init();
    init.catch(() => undefined);
    await expect
      .poll(() => processesIn(before.data).length, { timeout: 20_000, interval: 5 })
      .toBeGreaterThan(0);
    first.child.kill('SIGKILL');
    await first[Symbol.asyncDispose]();
    expect(existsSync(before.cluster)).toBe(false);
    await using agent = await postgresAgent();
    const after = new Database(agent, workspace);
    await after.run();
    expect(await query(after.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(readdirSync(after.data).filter((name) => name.startsWith('cluster'))).toEqual(['cluster']);
    await after.stop();
    await expectNothingIn(workspace.folder);
  });

  test('a cancelled Init leaves nothing', async () => {
    using workspace = new Workspace();
    await using agent = await postgresAgent();
    const database = new Database(agent, workspace);
    await database.load();
    const init = database.init();
    init.catch(() => undefined);
    await expect
      .poll(() => processesIn(database.data).length, { timeout: 20_000, interval: 5 })
      .toBeGreaterThan(0);
    await database.stop();
    expect((await init).status?.state).toBe(Status_State.FAILED);
    expect(readdirSync(database.data)).toEqual(['password']);
    await expectNothingIn(workspace.folder);
  });
});

describe('data', () => {
  test('made by another version is refused, with what to do about it', async () => {
    using workspace = new Workspace();
    await using agent = await postgresAgent();
    const database = new Database(agent, workspace);
    await database.load();
    await database.init();
    writeFileSync(join(database.cluster, 'PG_VERSION'), '13\n');
    const { status } = await database.init();
    expect(status?.failure).toMatchObject({
      code: 'POSTGRES_VERSION_MISMATCH',
      message: expect.stringContaining('made by PostgreSQL 13'),
      remedy: expect.stringContaining('pg_dumpall'),
    });
  });

  test('whose checkpoint cannot be read is refused as broken, with the words of the server', async () => {
    using workspace = new Workspace();
    await using agent = await postgresAgent();
    const database = new Database(agent, workspace);
    await database.run();
    await database.stop();
    const folder = join(database.cluster, 'pg_wal');
    for (const name of readdirSync(folder).filter((one) => /^[0-9A-F]{24}$/.test(one)))
      writeFileSync(join(folder, name), Buffer.alloc(statSync(join(folder, name)).size));
    const { status } = await database.start();
    expect(status?.failure?.code).toBe('POSTGRES_DATA_BROKEN');
    expect(status?.failure?.lastLines.join('\n')).toContain('checkpoint record');
  });
});

describe('a shortage', () => {
  test('N-3 a port that somebody else holds is named as the reason', async () => {
    using workspace = new Workspace();
    await using agent = await postgresAgent();
    const holder = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => holder.listen(port, '127.0.0.1', resolve));
    try {
      const database = new Database(agent, workspace, { port });
      await database.load();
      await database.init();
      const { status } = await database.start();
      expect(status?.failure).toMatchObject({ code: 'POSTGRES_PORT_IN_USE', exit: { cause: { value: 1 } } });
      expect(status?.failure?.lastLines.join('\n')).toContain('Address already in use');
    } finally {
      holder.close();
    }
  });

  test.each([
    ['shared memory that the machine does not have', { shared_buffers: '8000GB' }, 'POSTGRES_SHARED_MEMORY'],
    ['a setting that does not exist', { work_memory: '5MB' }, 'POSTGRES_SETTING_INVALID'],
    ['a value that a setting cannot have', { work_mem: 'much' }, 'POSTGRES_SETTING_INVALID'],
  ])('%s is named as the reason', async (_what, settings, code) => {
    using workspace = new Workspace();
    await using agent = await postgresAgent();
    const database = new Database(agent, workspace, { spec: { settings } });
    await database.load();
    await database.init();
    expect((await database.start()).status?.failure?.code).toBe(code);
    await expectNothingIn(workspace.folder);
  });

  test('of disk space makes Init fail and leaves nothing half made', async (context) => {
    using workspace = new Workspace();
    const data = join(workspace.folder, 'data');
    mkdirSync(data);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m,mode=755', 'tmpfs', data], { stdio: 'ignore' });
    } catch {
      context.skip('this user may not mount a small disk');
    }
    try {
      await using agent = await postgresAgent();
      const database = new Database(agent, workspace);
      await database.load();
      const { status } = await database.init();
      expect(status?.failure?.code).toBe('POSTGRES_DISK_FULL');
      expect(status?.failure?.lastLines.join('\n')).toContain('No space left on device');
      expect(readdirSync(database.data)).toEqual(['password']);
      expect(readFileSync(join(database.data, 'password'), 'utf8')).not.toBe('');
    } finally {
      execFileSync('umount', [data]);
    }
  });
});
