/** What agents and their host start is on record, and what an agent leaves that is killed is ended by its host. */
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentSession, AgentsHost } from '../../src/agents/host/index.ts';
import { readRegistry, registryFolder, settle } from '../../src/processes/index.ts';
import { makeService, named, Workplace } from '../agents/support.ts';
import { bundle, environment, type LaunchedAgent, launch, loadRequest, mappings } from '../sdk/launch.ts';
import { isAlive } from '../support/process-scan.ts';

let entry: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  entry = await bundle('src/agents/builtin/main.ts');
});
afterAll(() => entry.dispose());

const instance = 'shop/api';
const lasting = { timeout: 20_000 };

/** Of an agent that is started without a host that names the folder. */
const recordsOf = ({ folder }: LaunchedAgent): string => registryFolder({ HOME: folder });

async function prepare(agent: LaunchedAgent, spec: Record<string, unknown>): Promise<void> {
  await agent.runtime.load(loadRequest(agent.folder, spec));
  await agent.runtime.init({ instance, proposedNetworkMappings: mappings, environment });
}

const started = (agent: LaunchedAgent) =>
  agent.runtime.start({ instance, environment, networkMappings: mappings });

describe('T-7 an agent of the SDK', () => {
  test('has its service on record while it runs, and no longer', async () => {
    await using agent = await launch(entry.file);
    await prepare(agent, { command: ['/bin/sleep', '600'], 'stop-signal': 'INT' });
    const { processGroups } = await started(agent);
    const [group] = processGroups;
    expect(readRegistry(recordsOf(agent)).map(({ record }) => record)).toEqual([
      {
        is: 'registered',
        reservation: expect.objectContaining({
          workspaceRoot: realpathSync(agent.folder),
          purpose: { kind: 'service', workspace: 'shop', run: 'r1', service: instance },
          commandLine: '/bin/sleep 600',
          stopSignal: 'SIGINT',
          registrar: expect.objectContaining({ pid: agent.child.pid }),
          parent: null,
        }),
        leader: { pid: group?.pgid, start: group?.startIdentity, boot: group?.bootIdentity },
      },
    ]);
    await agent.runtime.stop({ instance });
    expect(readdirSync(recordsOf(agent))).toEqual([]);
  });

  test('has the commands of its phases on record too, and nothing of what has ended by itself', async () => {
    await using agent = await launch(entry.file);
    const build = `ls ${recordsOf(agent)} > seen; echo $SKEIN_PROCESS_GROUP > mine`;
    await prepare(agent, { build, command: 'exit 0' });
    const read = (name: string): string => readFileSync(join(agent.folder, name), 'utf8');
    expect(read('seen')).toBe(read('mine'));
    await started(agent);
    await expect.poll(() => readdirSync(recordsOf(agent)), lasting).toEqual([]);
  });

  test('starts nothing where nothing can be registered, and says why', async () => {
    await using agent = await launch(entry.file);
    await prepare(agent, { command: 'touch started; sleep 600' });
    mkdirSync(dirname(recordsOf(agent)), { recursive: true });
    writeFileSync(recordsOf(agent), '');
    const { status } = await started(agent);
    expect(status?.failure).toMatchObject({
      code: 'SK1613',
      message: expect.stringContaining('is not a folder'),
    });
    expect(readdirSync(agent.folder)).not.toContain('started');
    rmSync(recordsOf(agent));
    expect((await started(agent)).status?.failure).toBeUndefined();
  });

  test('leaves a record when it is killed, by which its service is found and stopped', async () => {
    await using agent = await launch(entry.file);
    await prepare(agent, { command: ['/bin/sleep', '600'] });
    const { processGroups } = await started(agent);
    const pid = processGroups[0]?.pgid ?? 0;
    agent.child.kill('SIGKILL');
    await agent.exited;
    expect(isAlive(pid)).toBe(true);
    const settled = await settle([readRegistry(recordsOf(agent))], { timeoutMs: 20_000 });
    expect(settled).toMatchObject([{ outcome: 'stopped' }]);
    expect(isAlive(pid)).toBe(false);
    expect(readdirSync(recordsOf(agent))).toEqual([]);
  });
});

describe('T-7 the host', () => {
  const { signal } = new AbortController();

  function hostOf(place: Workplace): AgentsHost {
    return new AgentsHost({
      workspaceRoot: place.folder,
      agentPaths: [],
      builtIns: new Map([['skein/process', { command: [process.execPath, entry.file] }]]),
      environment: place.environment,
    });
  }

  /** A session of a service that is loaded. */
  async function load(
    host: AgentsHost,
    { folder }: Workplace,
    id: string,
    spec: Record<string, unknown>,
  ): Promise<AgentSession> {
    const session = await host.acquire(makeService(id, named('skein', 'process')), { signal });
    const { instance: _, ...request } = loadRequest(folder, spec);
    await session.load(request, { signal });
    return session;
  }

  test('has its agent on record, above what the agent has started', async () => {
    await using place = new Workplace();
    await using host = hostOf(place);
    const session = await load(host, place, instance, { command: ['/bin/sleep', '600'] });
    await session.init({ environment }, { signal });
    await session.start({ environment }, { signal });
    const reservations = readRegistry(place.records).map(({ record }) => record.reservation);
    const agent = reservations.find((one) => one?.purpose.kind === 'agent');
    const service = reservations.find((one) => one?.purpose.kind === 'service');
    expect(reservations).toHaveLength(2);
    expect(agent).toMatchObject({
      workspaceRoot: place.folder,
      purpose: { kind: 'agent', agent: 'skein/process' },
      registrar: { pid: process.pid },
    });
    expect(service).toMatchObject({ parent: agent?.secret, registrar: { pid: session.process.pid } });
    await host.close();
    await place.expectNothingLeft();
  });

  test('T-13 ends what a killed agent has left, told or not, and no record remains', async () => {
    await using place = new Workplace();
    await using host = hostOf(place);
    const note = (name: string): string => `echo $$ > ${place.folder}/${name}; exec sleep 600`;
    const told = await load(host, place, 'shop/told', { command: note('told') });
    await told.init({ environment }, { signal });
    await told.start({ environment }, { signal });
    const untold = await load(host, place, 'shop/untold', { build: note('untold'), command: 'exit 0' });
    const building = untold.init({ environment }, { signal });
    building.catch(() => undefined);
    const pidIn = (name: string): number => Number(readFileSync(join(place.folder, name), 'utf8'));
    await expect
      .poll(() => readdirSync(place.folder), lasting)
      .toEqual(expect.arrayContaining(['told', 'untold']));
    await expect.poll(() => [pidIn('told'), pidIn('untold')].every(isAlive), lasting).toBe(true);
    process.kill(told.process.pid, 'SIGKILL');
    await expect(building).rejects.toMatchObject({ code: 'SK1320' });
    await expect.poll(() => readdirSync(place.records), lasting).toEqual([]);
    expect([pidIn('told'), pidIn('untold')].filter(isAlive)).toEqual([]);
  });

  test('starts no agent where it cannot register one, and says why', async () => {
    await using place = new Workplace();
    await using host = hostOf(place);
    mkdirSync(dirname(place.records), { recursive: true });
    writeFileSync(place.records, '');
    const acquired = host.acquire(makeService(instance, named('skein', 'process')), { signal });
    await expect(acquired).rejects.toMatchObject({ code: 'SK1613' });
    rmSync(place.records);
    await place.expectNothingLeft();
  });
});
