/** The SDK's side of the launch, the channel and the life-line, on real agents. */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { callableClient } from '../../src/agents/wire/index.ts';
import { HealthCheckResponse_ServingStatus } from '../../src/gen/grpc/health/v1/health_pb.js';
import { AgentService } from '../../src/gen/skein/agent/v1/agent_pb.js';
import { Status_State } from '../../src/gen/skein/base/v1/status_pb.js';
import { InstanceState, RuntimeService } from '../../src/gen/skein/runtime/v1/runtime_pb.js';
import { bundle, environment, isAlive, type LaunchedAgent, launch, loadRequest, mappings } from './launch.ts';

let files: Awaited<ReturnType<typeof bundle>>;
let unruly: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  files = await bundle('tests/sdk/agents/files.ts');
  unruly = await bundle('tests/sdk/agents/unruly.ts');
});
afterAll(() => {
  files.dispose();
  unruly.dispose();
});

const instance = 'shop/api';

async function prepare(agent: LaunchedAgent, spec: Record<string, unknown>, name = instance): Promise<void> {
  await agent.runtime.load(loadRequest(agent.folder, spec, { instance: name }));
  await agent.runtime.init({ instance: name, proposedNetworkMappings: mappings });
}

/** @returns the process group of the service */
async function start(agent: LaunchedAgent, name = instance): Promise<number> {
  const { processGroups } = await agent.runtime.start({
    instance: name,
    environment,
    networkMappings: mappings,
  });
  return processGroups[0]?.pgid ?? 0;
}

describe('the launch', () => {
  test('A-7 without a host an agent says what it is and exits 2', () => {
    const { status: exit, stderr } = spawnSync(process.execPath, [files.file], { encoding: 'utf8', env: {} });
    expect(exit).toBe(2);
    expect(stderr).toContain('acme/files 1.0.0 is an agent of skein');
  });

  test.each([
    ['nothing', ''],
    ['text', 'hello\n'],
    ['a short token', '{"token":"ab","socket":"/tmp/x","protocols":[1]}\n'],
    ['another protocol', `{"token":"${'a'.repeat(64)}","socket":"/tmp/x","protocols":[9]}\n`],
    [
      'a path that the kernel would cut',
      `{"token":"${'a'.repeat(64)}","socket":"/${'x'.repeat(100)}","protocols":[1]}\n`,
    ],
  ])('A-7 a bootstrap line of %s is refused with exit status 1', (_what, line) => {
    const { status: exit, stderr } = spawnSync(process.execPath, [files.file], {
      encoding: 'utf8',
      env: { SKEIN_AGENT: '1' },
      input: line,
    });
    expect(exit).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ level: 'error' });
  });

  test('A-7 the socket is for this user alone, and what the author prints does not break the handshake', async () => {
    await using agent = await launch(unruly.file);
    expect(statSync(agent.socket).mode & 0o777).toBe(0o600);
    expect(agent.stdout).toContain('a word before the handshake');
    expect(agent.stdout).toContain('and one without an end');
  });
});

describe('the channel', () => {
  test('A-8 health needs no token; every other call does', async () => {
    await using agent = await launch(files.file);
    expect((await agent.health.check({})).status).toBe(HealthCheckResponse_ServingStatus.SERVING);
    for (const token of ['', 'f'.repeat(64), agent.token.slice(1)]) {
      const stranger = callableClient(AgentService, agent.channel, token);
      await expect(stranger.getAgentInformation({})).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
      await expect(stranger.shutdown({})).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    }
    const watcher = callableClient(RuntimeService, agent.channel, '');
    await expect(collected(watcher.watch({}))).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    expect((await agent.agent.getAgentInformation({})).name).toBe('acme/files');
  });

  test('A-15 an agent that runs a command is a dozen lines', async () => {
    await using agent = await launch(files.file);
    await prepare(agent, { folder: 'public' });
    await start(agent);
    for await (const { chunks } of agent.runtime.logs({})) {
      expect(chunks[0]?.text).toBe('serving public 14180');
      break;
    }
  });

  test('A-5 what a handler throws is an answer with a failure, never a transport error', async () => {
    await using agent = await launch(unruly.file);
    await agent.runtime.load(loadRequest(agent.folder, { init: 'fails' }));
    expect((await agent.runtime.init({ instance })).status).toMatchObject({
      state: Status_State.FAILED,
      failure: { code: 'OUT_OF_PAPER', retryable: true, remedy: 'Add paper.' },
    });
    await agent.runtime.load(loadRequest(agent.folder, { init: 'throws' }));
    expect((await agent.runtime.init({ instance })).status?.failure).toMatchObject({
      code: 'INTERNAL',
      message: 'a bug of the author',
    });
    await vi.waitFor(() => expect(agent.stderr()).toContain('TypeError: a bug of the author'), {
      timeout: 10_000,
    });
  });

  test('A-1 an enum value that is not known is refused with its number', async () => {
    await using agent = await launch(unruly.file);
    const { status: answer } = await agent.runtime.load(loadRequest(agent.folder, {}, { kind: 99 as never }));
    expect(answer?.failure).toMatchObject({
      code: 'UNKNOWN_VALUE',
      message: expect.stringContaining('99') as string,
    });
  });

  test('C-2 a failure holds no secret', async () => {
    await using agent = await launch(files.file);
    await prepare(agent, { folder: 'public' });
    const secret = { name: 'TOKEN', value: 'hunter2hunter2', secret: true };
    const folder = { ...loadRequest(join(agent.folder, 'hunter2hunter2'), { folder: 'x' }), logFile: '' };
    await agent.runtime.start({ instance, environment: [secret], networkMappings: mappings });
    await agent.runtime.load(folder);
    await agent.runtime.init({ instance, proposedNetworkMappings: mappings });
    const { status: answer } = await agent.runtime.start({
      instance,
      environment: [secret],
      networkMappings: mappings,
    });
    expect(answer?.failure?.code).toBe('SK1603');
    expect(JSON.stringify(answer?.failure)).not.toContain('hunter2');
    expect(answer?.failure?.message).toContain('***');
  });

  test('a Stop during Start interrupts it and leaves nothing', async () => {
    await using agent = await launch(unruly.file);
    await prepare(agent, { start: 'hangs' });
    const starting = agent.runtime.start({ instance, environment });
    const pid = await firstPid(agent);
    await agent.runtime.stop({ instance });
    expect((await starting).status?.failure?.code).toBe('INTERRUPTED');
    expect(isAlive(pid)).toBe(false);
  });

  test('A-12 a cancelled Start ends what it had begun, for its instance alone', async () => {
    await using agent = await launch(unruly.file);
    await prepare(agent, {}, 'shop/other');
    const other = await start(agent, 'shop/other');
    await prepare(agent, { start: 'hangs' });
    const cancel = new AbortController();
    const starting = agent.runtime.start({ instance, environment }, { signal: cancel.signal });
    starting.catch(() => undefined);
    const pid = await firstPid(agent);
    cancel.abort();
    await expect(starting).rejects.toThrow();
    for await (const { events } of agent.runtime.watch({ instances: [instance] }))
      if (events.some(({ event }) => event.case === 'state' && event.value.state === InstanceState.STOPPED))
        break;
    expect(isAlive(pid)).toBe(false);
    expect(isAlive(other)).toBe(true);
  });

  test('a lower round is superseded by a higher one', async () => {
    await using agent = await launch(unruly.file);
    await agent.runtime.load(loadRequest(agent.folder));
    await agent.runtime.init({ instance, round: 3 });
    expect((await agent.runtime.init({ instance, round: 2 })).status?.failure?.code).toBe('SUPERSEDED');
  });
});

describe('the end', () => {
  test('A-9 Shutdown answers when every service is gone, and then the agent ends', async () => {
    await using agent = await launch(unruly.file);
    await prepare(agent, {});
    const group = await start(agent);
    const watching = collected(agent.runtime.watch({}));
    await agent.agent.shutdown({});
    expect(isAlive(group)).toBe(false);
    const states = (await watching).flatMap(({ events }) => events.map(({ event }) => event.value));
    expect(states.at(-1)).toMatchObject({ state: InstanceState.STOPPED });
    expect(await agent.exited).toBe(0);
    expect(existsSync(agent.socket)).toBe(false);
  });

  test.each([
    ['T-11 its host is gone', (agent: LaunchedAgent) => agent.child.stdin?.end()],
    ['it gets SIGTERM', (agent: LaunchedAgent) => agent.child.kill('SIGTERM')],
  ])('an agent stops its services and ends when %s', async (_when, end) => {
    await using agent = await launch(unruly.file);
    await prepare(agent, {});
    await prepare(agent, {}, 'shop/other');
    const groups = [await start(agent), await start(agent, 'shop/other')];
    end(agent);
    expect(await agent.exited).toBe(0);
    expect(groups.filter(isAlive)).toEqual([]);
  });

  test('T-11 an agent whose pipes are all closed still stops its services', async () => {
    await using agent = await launch(unruly.file);
    await prepare(agent, {});
    const group = await start(agent);
    agent.child.stdout?.destroy();
    agent.child.stderr?.destroy();
    agent.channel.close();
    agent.child.stdin?.end();
    await agent.exited;
    expect(isAlive(group)).toBe(false);
  });

  test('an agent that crashes says why and takes its services along', async () => {
    await using agent = await launch(unruly.file);
    await prepare(agent, { start: 'crashes' });
    const starting = agent.runtime.start({ instance, environment });
    starting.catch(() => undefined);
    expect(await agent.exited).toBe(1);
    const crash =
      agent
        .stderr()
        .split('\n')
        .find((line) => line.includes('crash beside')) ?? '';
    const { level, stack } = JSON.parse(crash) as { level: string; stack: string };
    expect(level).toBe('error');
    expect(stack).toContain('unruly');
    expect(isAlive(Number(/crash beside (\d+)/.exec(stack)?.[1]))).toBe(false);
  });
});

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function firstPid(agent: LaunchedAgent): Promise<number> {
  for await (const { chunks } of agent.runtime.logs({ instances: [instance] }))
    for (const { text } of chunks) {
      const pid = /^pid (\d+)$/m.exec(text)?.[1];
      if (pid !== undefined) return Number(pid);
    }
  return 0;
}
