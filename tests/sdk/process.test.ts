/** The built-in process agent, launched and called as a host does it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ServiceKind } from '../../src/gen/skein/base/v1/service_pb.js';
import { Status_State } from '../../src/gen/skein/base/v1/status_pb.js';
import {
  InstanceState,
  StopResponse_Outcome,
  type WatchResponse,
} from '../../src/gen/skein/runtime/v1/runtime_pb.js';
import { bundle, environment, isAlive, type LaunchedAgent, launch, loadRequest, mappings } from './launch.ts';

let entry: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  entry = await bundle('src/agents/builtin/main.ts');
});
afterAll(() => entry.dispose());

const instance = 'shop/api';
const processAgent = (): Promise<LaunchedAgent> => launch(entry.file);

/** Load, Init, Start; each has to succeed. */
async function begin(
  agent: LaunchedAgent,
  spec: Record<string, unknown>,
  kind = ServiceKind.SERVICE,
): Promise<number> {
  const loaded = await agent.runtime.load(loadRequest(agent.folder, spec, { kind }));
  expect(loaded.status).toMatchObject({ state: Status_State.OK });
  const initialized = await agent.runtime.init({ instance, proposedNetworkMappings: mappings, environment });
  expect(initialized.status).toMatchObject({ state: Status_State.OK });
  const started = await agent.runtime.start({ instance, environment, networkMappings: mappings });
  expect(started.status).toMatchObject({ state: Status_State.OK });
  return started.processGroups[0]?.pgid ?? 0;
}

/** The states of an instance as Watch tells them, until `last`. */
async function statesUntil(agent: LaunchedAgent, last: InstanceState): Promise<WatchResponse['events']> {
  const events: WatchResponse['events'] = [];
  for await (const message of agent.runtime.watch({}))
    for (const event of message.events) {
      events.push(event);
      if (event.event.case === 'state' && event.event.value.state === last) return events;
    }
  return events;
}

async function linesUntil(agent: LaunchedAgent, isLast: (line: string) => boolean): Promise<string[]> {
  const lines: string[] = [];
  for await (const { chunks } of agent.runtime.logs({}))
    for (const { text } of chunks) {
      lines.push(...text.split('\n'));
      if (lines.some(isLast)) return lines;
    }
  return lines;
}

/** Notes its group and fails, and leaves a child behind that ignores SIGTERM. */
const leavesOrphan = 'trap "" TERM; echo $$ >> groups; sleep 67 >/dev/null 2>&1 & exit 3';

/** The groups that commands have noted, oldest first. */
function groupsIn({ folder }: LaunchedAgent): number[] {
  const file = join(folder, 'groups');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').trim().split('\n').map(Number);
}

describe('the process agent', () => {
  test('A-2 says who it is, what it can do and what its spec looks like', async () => {
    await using agent = await processAgent();
    const information = await agent.agent.getAgentInformation({});
    expect(information.name).toBe('skein/process');
    expect(information.contract?.protocol).toBe(1);
    expect(information.contract?.capabilities).toContain('multi-service/v1');
    expect(information.specSchema).toMatchObject({
      type: 'object',
      required: ['command'],
      additionalProperties: false,
    });
  });

  test('runs a service: its output goes to the log file and the Logs stream, with secrets masked', async () => {
    await using agent = await processAgent();
    const spec = {
      command: 'echo "key $KEY" && echo problem >&2 && printf "\\033[31mred\\033[0m\\n" && sleep 60',
    };
    await agent.runtime.load(loadRequest(agent.folder, spec));
    await agent.runtime.init({ instance, proposedNetworkMappings: mappings, environment });
    const secret = { name: 'KEY', value: 'hunter2hunter2', secret: true };
    await agent.runtime.start({ instance, environment: [...environment, secret] });
    const lines = await linesUntil(agent, (line) => line.includes('red'));
    expect(lines).toContain('key ***');
    expect(lines).toContain('\u001b[31mred\u001b[0m');
    await agent.runtime.stop({ instance });
    const kept = readFileSync(join(agent.folder, 'api.log'), 'utf8');
    expect(kept).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z stdout key \*\*\*$/m);
    expect(kept).toMatch(/ stderr problem$/m);
    expect(kept).toMatch(/ stdout red$/m);
    expect(kept).not.toContain('hunter2');
  });

  test('F-15 a process that fails is reported at once, with its exit and its last lines', async () => {
    await using agent = await processAgent();
    await begin(agent, { command: 'echo going down; exit 7' });
    const events = await statesUntil(agent, InstanceState.FAILED);
    const { event, generation } = events.at(-1) ?? {};
    expect(generation).toBe(1n);
    expect(event?.value).toMatchObject({
      exit: { cause: { case: 'code', value: 7 } },
      failure: { code: 'PROCESS_FAILED', lastLines: ['going down'], exit: { cause: { value: 7 } } },
    });
    const information = await agent.runtime.information({ instance });
    expect(information).toMatchObject({
      state: InstanceState.FAILED,
      generation: 1n,
      failure: { lastLines: ['going down'] },
    });
  });

  test('a job that ends with exit status 0 has completed', async () => {
    await using agent = await processAgent();
    await begin(agent, { command: ['/bin/sh', '-c', 'exit 0'] }, ServiceKind.JOB);
    const events = await statesUntil(agent, InstanceState.COMPLETED);
    expect(events.at(-1)?.event.value).toMatchObject({ exit: { cause: { case: 'code', value: 0 } } });
  });

  test('T-4 Stop signals the group and waits until it is empty', async () => {
    await using agent = await processAgent();
    const group = await begin(agent, { command: 'sleep 61 & sleep 62' });
    expect(isAlive(group)).toBe(true);
    const stopped = await agent.runtime.stop({ instance });
    expect(stopped).toMatchObject({
      outcome: StopResponse_Outcome.STOPPED,
      status: { state: Status_State.OK },
    });
    expect(isAlive(group)).toBe(false);
    const again = await agent.runtime.stop({ instance });
    expect(again.outcome).toBe(StopResponse_Outcome.STOPPED);
    const never = await agent.runtime.stop({ instance: 'shop/unknown' });
    expect(never.outcome).toBe(StopResponse_Outcome.STOPPED);
  });

  test('T-5 a second, more impatient Stop shortens the wait of the first', async () => {
    await using agent = await processAgent();
    const command = ['/bin/sh', '-c', 'trap "echo no" TERM; echo up; while true; do sleep 0.05; done'];
    const group = await begin(agent, { command, 'stop-timeout': '5m' });
    await linesUntil(agent, (line) => line === 'up');
    const first = agent.runtime.stop({ instance });
    await linesUntil(agent, (line) => line === 'no');
    const second = await agent.runtime.stop({ instance, timeoutMs: 1 });
    expect(second.outcome).toBe(StopResponse_Outcome.FORCED);
    expect((await first).outcome).toBe(StopResponse_Outcome.FORCED);
    expect(isAlive(group)).toBe(false);
  });

  test('a declared stop signal is the one that is sent', async () => {
    await using agent = await processAgent();
    const command = [
      '/bin/sh',
      '-c',
      'trap "echo interrupted; exit 0" INT; echo up; while true; do sleep 0.05; done',
    ];
    await begin(agent, { command, 'stop-signal': 'INT' });
    await linesUntil(agent, (line) => line === 'up');
    const interrupted = linesUntil(agent, (line) => line === 'interrupted');
    await agent.runtime.stop({ instance });
    expect(await interrupted).toContain('interrupted');
  });

  test('a Start replaces what runs, as the next generation', async () => {
    await using agent = await processAgent();
    const group = await begin(agent, { command: 'sleep 63' });
    const second = await agent.runtime.start({ instance, environment });
    expect(second.generation).toBe(2n);
    expect(isAlive(group)).toBe(false);
    expect((await agent.runtime.information({ instance })).state).toBe(InstanceState.RUNNING);
  });

  test('T-5 a Start waits until nothing is left of a generation that ended by itself', async () => {
    await using agent = await processAgent();
    await begin(agent, { command: leavesOrphan });
    await statesUntil(agent, InstanceState.FAILED);
    const [group = 0] = groupsIn(agent);
    expect(isAlive(group)).toBe(true);
    await agent.runtime.start({ instance, environment });
    expect(isAlive(group)).toBe(false);
  });

  test('T-3 a Shutdown in a crash loop leaves nothing of any generation', async () => {
    await using agent = await processAgent();
    await begin(agent, { command: leavesOrphan });
    for (let round = 0; round < 2; round++) {
      await statesUntil(agent, InstanceState.FAILED);
      await agent.runtime.start({ instance, environment });
    }
    await agent.agent.shutdown({ budgetMs: 1 });
    const groups = groupsIn(agent);
    expect(groups).toHaveLength(3);
    expect(groups.filter(isAlive)).toEqual([]);
  });

  test('T-5 a Shutdown that cannot wait ends a build that ignores its signal', async () => {
    await using agent = await processAgent();
    const build = 'trap "" TERM; echo $$ >> groups; sleep 66';
    await agent.runtime.load(loadRequest(agent.folder, { command: 'true', build }));
    agent.runtime.init({ instance, environment }).catch(() => undefined);
    await vi.waitFor(() => expect(groupsIn(agent)).toHaveLength(1), { timeout: 5_000 });
    await agent.agent.shutdown({ budgetMs: 1 });
    expect(groupsIn(agent).filter(isAlive)).toEqual([]);
  });

  test('a build that fails makes Init fail, with its last lines', async () => {
    await using agent = await processAgent();
    await agent.runtime.load(loadRequest(agent.folder, { command: 'true', build: 'echo broken; exit 3' }));
    const { status } = await agent.runtime.init({ instance, environment });
    expect(status).toMatchObject({
      state: Status_State.FAILED,
      failure: { code: 'BUILD_FAILED', exit: { cause: { value: 3 } }, lastLines: ['broken'] },
    });
  });

  test('a cancelled Init ends the build that it had begun', async () => {
    await using agent = await processAgent();
    await agent.runtime.load(loadRequest(agent.folder, { command: 'true', build: 'echo $$; exec sleep 64' }));
    const cancel = new AbortController();
    const init = agent.runtime.init({ instance, environment }, { signal: cancel.signal });
    init.catch(() => undefined);
    const [line = ''] = await linesUntil(agent, (text) => /^\d+$/.test(text));
    cancel.abort();
    await expect(init).rejects.toThrow();
    // The next phase waits for the cancelled one.
    expect((await agent.runtime.start({ instance })).status?.failure?.code).toBe('NOT_INITIALIZED');
    expect(isAlive(Number(line))).toBe(false);
  });

  test('runtime-configuration is exposed with own addresses filled in', async () => {
    await using agent = await processAgent();
    const spec = {
      command: 'true',
      'runtime-configuration': { connection: `http://u:p@\${self:http|authority}/x` },
    };
    await agent.runtime.load(loadRequest(agent.folder, spec));
    const { configurations } = await agent.runtime.init({ instance, proposedNetworkMappings: mappings });
    expect(configurations).toMatchObject([
      {
        group: 'connection',
        values: [{ key: 'value', value: 'http://u:p@127.0.0.1:14180/x', secret: true }],
      },
    ]);
  });

  test('W-6 a wrong spec is refused with every violation by its pointer', async () => {
    await using agent = await processAgent();
    const { status } = await agent.runtime.load(
      loadRequest(agent.folder, { command: 7, 'stop-timeout': 'soon', comand: 'x' }),
    );
    const pointers = status?.failure?.violations.map((violation) => violation.pointer).sort();
    expect(status?.failure?.code).toBe('SPEC_INVALID');
    expect(pointers).toEqual(['/comand', '/command', '/stop-timeout']);
  });

  test.each([
    ['exit-status', 'exit 1', [['exit status', 2]]],
    [
      'tap',
      'printf "1..2\\nok 1 - adds\\nnot ok 2 - divides\\n"; exit 1',
      [
        ['adds', 1],
        ['divides', 2],
      ],
    ],
  ])('a test in the format %s is answered case by case', async (format, command, cases) => {
    await using agent = await processAgent();
    await agent.runtime.load(loadRequest(agent.folder, { command: 'true', test: { command, format } }));
    await agent.runtime.init({ instance });
    const { status, run } = await agent.runtime.test({ instance, environment });
    expect(status?.failure?.code).toBe('TESTS_FAILED');
    expect(run?.suites.flatMap((suite) => suite.cases).map(({ name, outcome }) => [name, outcome])).toEqual(
      cases,
    );
  });

  test('lint and compile run their commands, and are refused where none is declared', async () => {
    await using agent = await processAgent();
    writeFileSync(join(agent.folder, 'sources'), 'x');
    await agent.runtime.load(loadRequest(agent.folder, { command: 'true', lint: 'cat sources' }));
    expect((await agent.runtime.lint({ instance })).status?.state).toBe(Status_State.OK);
    expect((await agent.runtime.compile({ instance })).status?.failure?.code).toBe('NOT_SUPPORTED');
  });

  test('phases out of order are refused by name', async () => {
    await using agent = await processAgent();
    expect((await agent.runtime.start({ instance })).status?.failure?.code).toBe('NOT_LOADED');
    await agent.runtime.load(loadRequest(agent.folder, { command: 'true' }));
    expect((await agent.runtime.start({ instance })).status?.failure?.code).toBe('NOT_INITIALIZED');
    await agent.runtime.destroy({ instance });
    expect((await agent.runtime.init({ instance })).status?.failure?.code).toBe('NOT_LOADED');
  });
});
