/** Several agents in one process, by the SDK; the built-in ones are. */
import { readFileSync } from 'node:fs';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Status_State } from '../../src/gen/skein/base/v1/status_pb.js';
import { bundle, type LaunchedAgent, launch, loadRequest } from './launch.ts';

let lazy: Awaited<ReturnType<typeof bundle>>;
let builtIn: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  lazy = await bundle('tests/sdk/agents/lazy.ts');
  builtIn = await bundle('src/agents/builtin/main.ts');
});
afterAll(() => {
  lazy.dispose();
  builtIn.dispose();
});

async function nameOf(agent: LaunchedAgent, asked: string): Promise<string> {
  return (await agent.agent.getAgentInformation({ agent: asked })).name;
}

describe('a process of several agents', () => {
  test('A-12 answers for the one that is asked about, and without a name for the first', async () => {
    await using agent = await launch(lazy.file);
    expect(await nameOf(agent, '')).toBe('acme/first');
    expect(await nameOf(agent, 'acme/second')).toBe('acme/second');
    const { contract } = await agent.agent.getAgentInformation({ agent: 'acme/first' });
    expect(contract?.capabilities).toContain('multi-agent/v1');
    await expect(nameOf(agent, 'acme/third')).rejects.toMatchObject({
      code: status.NOT_FOUND,
      details: 'there is no agent acme/third here; there are acme/first, acme/second',
    });
  });

  test('A-12 loads an agent when it is needed, and once', async () => {
    await using agent = await launch(lazy.file);
    await agent.runtime.load(loadRequest(agent.folder, {}, { agent: 'acme/first' }));
    expect(agent.stdout).not.toContain('second is loaded');
    const load = (instance: string): Promise<unknown> =>
      agent.runtime.load(loadRequest(agent.folder, {}, { instance, agent: 'acme/second' }));
    await Promise.all([load('shop/b'), load('shop/c'), nameOf(agent, 'acme/second')]);
    await vi.waitFor(() => expect(agent.stdout).toContain('second is loaded'));
    await agent.agent.shutdown({});
    await agent.exited;
    expect(agent.stdout.filter((line) => line === 'second is loaded')).toHaveLength(1);
  });

  test('A-5 Load for an agent that is not there, or of an instance of another, is a failure', async () => {
    await using agent = await launch(lazy.file);
    const load = async (asked: string) =>
      (await agent.runtime.load(loadRequest(agent.folder, {}, { agent: asked }))).status;
    expect((await load('acme/third'))?.failure?.code).toBe('AGENT_UNKNOWN');
    expect((await load('acme/first'))?.state).toBe(Status_State.OK);
    expect((await load('acme/second'))?.failure?.code).toBe('INSTANCE_TAKEN');
    await agent.runtime.destroy({ instance: 'shop/api' });
    expect((await load('acme/second'))?.state).toBe(Status_State.OK);
  });
});

describe('the built-in agents', () => {
  test('A-17 are one process, of the version of the package', async () => {
    await using agent = await launch(builtIn.file);
    const names = ['skein/process', 'skein/postgres'];
    const told = await Promise.all(names.map((name) => agent.agent.getAgentInformation({ agent: name })));
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    expect(told.map(({ name, version }) => `${name} ${version}`)).toEqual(
      names.map((name) => `${name} ${version}`),
    );
    expect(told.map(({ specSchema }) => specSchema?.['type'])).toEqual(['object', 'object']);
  });
});
