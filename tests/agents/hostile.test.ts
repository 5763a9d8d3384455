import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { AgentProcess, AgentTimeouts } from '../../src/agents/host/index.ts';
import { launchAgent, ServiceFailure } from '../../src/agents/host/index.ts';
import { SkeinError } from '../../src/errors/index.ts';
import { Workplace } from './support.ts';

/** What was thrown, which has to be an error of the product. */
async function faultOf(promise: Promise<unknown>): Promise<SkeinError> {
  const error: unknown = await promise.then(
    () => expect.unreachable('it was to fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SkeinError)) throw error;
  return error;
}

const instance = 'shop/api';

describe('a launch that fails leaves nothing behind', () => {
  const cases: readonly { agent: string; code: string; says: RegExp; timeouts?: Partial<AgentTimeouts> }[] = [
    {
      agent: 'no-handshake',
      code: 'SK1310',
      says: /printed no handshake within 700 ms/,
      timeouts: { handshakeMs: 700 },
    },
    { agent: 'exits-early', code: 'SK1311', says: /exited with status 3/ },
    { agent: 'broken-handshake', code: 'SK1312', says: /skein\|one\|/ },
    { agent: 'protocol-2', code: 'SK1313', says: /speaks protocol 2; this skein speaks 1/ },
    { agent: 'foreign-socket', code: 'SK1314', says: /somebody-else\.sock, but it was told to listen on/ },
    { agent: 'open-socket', code: 'SK1314', says: /its mode is 666, it must be 600/ },
    {
      agent: 'never-serving',
      code: 'SK1315',
      says: /its health is NOT_SERVING/,
      timeouts: { handshakeMs: 5_000 },
    },
    { agent: 'contract missing', code: 'SK1316', says: /sent no contract/ },
    { agent: 'contract zero', code: 'SK1317', says: /protocol 0/ },
    { agent: 'contract two', code: 'SK1317', says: /protocol 2/ },
    { agent: 'contract nameless', code: 'SK1318', says: /does not say its name/ },
    {
      agent: 'hangs getAgentInformation',
      code: 'SK1321',
      says: /GetAgentInformation within 300 ms/,
      timeouts: { informationMs: 300 },
    },
    { agent: 'crashes getAgentInformation', code: 'SK1320', says: /exited with status 70/ },
    { agent: 'rejects-token', code: 'SK1323', says: /refused the token/ },
  ];
  test.each(cases)('A-6 A-7 A-8 $agent: $code', async ({ agent, code, says, timeouts }) => {
    await using place = new Workplace();
    const fault = await faultOf(place.launch(agent, timeouts));
    expect(fault.code).toBe(code);
    expect(fault.message).toMatch(says);
    expect(fault.message).toContain('test/agent');
    await place.expectNothingLeft();
  });

  test('A-10 the error of an agent that ended early shows its last lines', async () => {
    await using place = new Workplace();
    expect((await faultOf(place.launch('exits-early'))).lastLines).toContain('no licence found');
  });

  test('A-8 an aborted launch rejects with the reason and leaves nothing', async () => {
    await using place = new Workplace();
    const abort = new AbortController();
    const reason = new Error('changed my mind');
    const launch = launchAgent(place.resolved('no-handshake'), {
      signal: abort.signal,
      environment: place.environment,
      directory: place.folder,
      onLog: () => abort.abort(reason),
    });
    await expect(launch).rejects.toBe(reason);
    await place.expectNothingLeft();
  });
});

describe('a tolerant launch', () => {
  test('A-7 stdout lines before and after the handshake are log, JSON or not', async () => {
    await using place = new Workplace();
    const agent = await place.launch('garbage');
    expect(agent.lastLines()).toEqual(expect.arrayContaining(['starting up…', 'json on stdout']));
    expect((await agent.close()).faults).toEqual([]);
    await place.expectNothingLeft();
  });

  test('A-6 unknown capabilities are ignored; one that is needed is asked for by name', async () => {
    await using place = new Workplace();
    const agent = await place.launch('single');
    expect(agent.capabilities.has('unheard-of/v9')).toBe(true);
    expect(() => agent.require('builder/v1', 'build shop/api')).toThrow(
      /does not advertise `builder\/v1`, which it needs to build shop\/api/,
    );
  });

  test('A-7 an agent that is not launched by a host says what it is and ends with 2', async () => {
    await using place = new Workplace();
    const [program, ...words] = place.command('well-behaved');
    expect(spawnSync(program, words, { input: '', env: { PATH: process.env['PATH'] } }).status).toBe(2);
  });
});

const phases = {
  load: (agent: AgentProcess) => agent.runtime.load({ instance }),
  init: (agent: AgentProcess) => agent.runtime.init({ instance }),
  start: (agent: AgentProcess) => agent.runtime.start({ instance }),
  stop: (agent: AgentProcess) => agent.runtime.stop({ instance, timeoutMs: 100 }),
  destroy: (agent: AgentProcess) => agent.runtime.destroy({ instance }),
  information: (agent: AgentProcess) => agent.runtime.information({ instance }),
} satisfies Record<string, (agent: AgentProcess) => Promise<unknown>>;

const short: Partial<AgentTimeouts> = {
  loadMs: 300,
  initMs: 300,
  startMs: 300,
  stopMs: 100,
  stopGraceMs: 200,
  exitMs: 300,
};

describe.each(Object.entries(phases))('%s', (name, call) => {
  test('A-8 a hanging call ends with its deadline, which the error names, and the agent can be ended', async () => {
    await using place = new Workplace();
    const agent = await place.launch(`hangs ${name}`, { ...short, informationMs: 3_000 });
    const fault = await faultOf(call(agent));
    expect(fault.code).toBe('SK1321');
    expect(fault.message).toMatch(
      new RegExp(`agent test/agent did not answer ${name} of shop/api within (300 ms|3 s)`, 'i'),
    );
    expect(fault.place).toEqual({ service: instance, phase: name });
    await agent.close();
    await place.expectNothingLeft();
  });

  test('A-9 a call that dies with the agent tells the exit and the last lines, not a gRPC status', async () => {
    await using place = new Workplace();
    const agent = await place.launch(`crashes ${name}`);
    const fault = await faultOf(call(agent));
    expect(fault.code).toBe('SK1320');
    expect(fault.message).toMatch(/agent test\/agent exited with status 70/);
    expect(fault.lastLines).toContain(`fatal: ${name} is too much for me`);
    // So does every later call, at once.
    expect((await faultOf(agent.runtime.load({ instance }))).code).toBe('SK1320');
    expect(await agent.exited).toMatchObject({ kind: 'exited', code: 70 });
    expect((await agent.close()).by).toBe('itself');
    await place.expectNothingLeft();
  });
});

describe('answers', () => {
  test('A-1 an unknown number is refused with its number and its place, however deep', async () => {
    await using place = new Workplace();
    const agent = await place.launch('unknown-enum');
    const load = await faultOf(agent.runtime.load({ instance }));
    expect(load.code).toBe('SK1326');
    expect(load.message).toMatch(/status\.state = 42, which skein\.base\.v1\.Status\.State does not have/);
    const init = await faultOf(agent.runtime.init({ instance }));
    expect(init.message).toMatch(/network_mappings\.instances\.access = 77/);
    expect((await faultOf(agent.runtime.stop({ instance }))).message).toMatch(/outcome = 9/);
  });

  test('A-5 an answer without a status, or with one that says nothing, is refused', async () => {
    await using place = new Workplace();
    const agent = await place.launch('missing-status');
    expect((await faultOf(agent.runtime.load({ instance }))).message).toMatch(
      /answered Load of shop\/api without `status`/,
    );
    const init = await faultOf(agent.runtime.init({ instance }));
    expect(init.code).toBe('SK1325');
    expect(init.message).toMatch(/UNSPECIFIED/);
  });

  test('A-5 a failure keeps everything that the agent said', async () => {
    await using place = new Workplace();
    const agent = await place.launch('fails');
    const fault = await faultOf(agent.runtime.init({ instance }));
    if (!(fault instanceof ServiceFailure)) throw fault;
    expect(fault).toMatchObject({
      code: 'SK1327',
      failureCode: 'BUILD_FAILED',
      retryable: true,
      remedy: 'Install a compiler.',
      lastLines: ['cc: error', 'make: *** [all] Error 1'],
      violations: [{ pointer: '/watch/0', message: 'names no file' }],
      place: { service: instance, phase: 'init' },
    });
    expect(fault.message).toBe(
      'Init of shop/api failed (BUILD_FAILED): the build failed; the process exited with status 2; /watch/0: names no file',
    );
    expect((fault.cause as Error).message).toBe('cc is not installed');
    expect((await agent.runtime.start({ instance })).status?.message).toBe('the image is still being pulled');
    expect((await faultOf(agent.runtime.stop({ instance }))).message).toBe(
      'Stop of shop/api failed: the agent says no more',
    );
  });

  test('A-8 an answer of 100 MB is refused with the limit, and the agent goes on', async () => {
    await using place = new Workplace();
    const agent = await place.launch('huge-answer');
    const fault = await faultOf(agent.runtime.load({ instance }));
    expect(fault.code).toBe('SK1324');
    expect(fault.message).toMatch(
      /a message of Load of shop\/api with agent test\/agent is larger than 16 MiB/,
    );
    expect((await agent.runtime.init({ instance })).status?.state).toBe(1);
  });

  test('A-2 a method that the agent does not have is named', async () => {
    await using place = new Workplace();
    const agent = await place.launch('well-behaved');
    const fault = await faultOf(agent.runtime.lint({ instance }));
    expect(fault.code).toBe('SK1328');
    expect(fault.message).toContain('skein.runtime.v1.RuntimeService.Lint');
  });

  test('A-12 a cancelled call ends alone, with the reason of its signal', async () => {
    await using place = new Workplace();
    const agent = await place.launch('hangs start');
    const abort = new AbortController();
    const reason = new Error('never mind');
    const start = agent.runtime.start({ instance }, { signal: abort.signal });
    const other = agent.runtime.load({ instance: 'shop/db' });
    abort.abort(reason);
    await expect(start).rejects.toBe(reason);
    expect((await other).status?.state).toBe(1);
  });
});

describe('the end of an agent', () => {
  test('A-9 Shutdown is answered and the agent ends by itself', async () => {
    await using place = new Workplace();
    const agent = await place.launch('well-behaved');
    expect(await agent.close()).toMatchObject({
      by: 'itself',
      exit: { kind: 'exited', code: 0 },
      faults: [],
    });
    await place.expectNothingLeft();
  });

  test('A-9 an agent that hangs in Shutdown gets SIGTERM, and the fault is told', async () => {
    await using place = new Workplace();
    const agent = await place.launch('hangs shutdown', { shutdownMs: 200, stopGraceMs: 100 });
    const end = await agent.close();
    expect(end).toMatchObject({ by: 'SIGTERM', exit: { kind: 'signalled', signal: 'SIGTERM' } });
    expect(end.faults.map(({ code }) => code)).toEqual(['SK1321']);
    await place.expectNothingLeft();
  });

  test('A-9 an agent that crashes in Shutdown is gone all the same', async () => {
    await using place = new Workplace();
    const agent = await place.launch('crashes shutdown');
    const end = await agent.close();
    expect(end).toMatchObject({ by: 'itself', exit: { kind: 'exited', code: 70 } });
    expect(end.faults.map(({ code }) => code)).toEqual(['SK1320']);
    await place.expectNothingLeft();
  });

  test('A-9 an agent that heeds neither Shutdown nor SIGTERM is killed', async () => {
    await using place = new Workplace();
    const agent = await place.launch('ignores-ending', { shutdownMs: 100, stopGraceMs: 100, exitMs: 300 });
    expect(await agent.close()).toMatchObject({
      by: 'SIGKILL',
      exit: { kind: 'signalled', signal: 'SIGKILL' },
    });
    await place.expectNothingLeft();
  });

  test('A-9 an aborted close does not wait for manners', async () => {
    await using place = new Workplace();
    const agent = await place.launch('ignores-ending');
    const abort = new AbortController();
    const end = agent.close({ signal: abort.signal });
    abort.abort();
    expect((await end).by).toBe('SIGKILL');
    await place.expectNothingLeft();
  });

  test.each(['leaves-child stay', 'leaves-child crash'])(
    'A-9 %s: a child that holds the pipes goes with its agent',
    async (words) => {
      await using place = new Workplace();
      const agent = await place.launch(words);
      await agent.runtime.load({ instance }).catch(() => undefined);
      await agent.close();
      await place.expectNothingLeft();
    },
  );
});

describe('an agent that says too much', () => {
  test('A-10 a flood of stderr without a newline is kept short', async () => {
    await using place = new Workplace();
    const agent = await place.launch('floods-stderr');
    let bytes = 0;
    agent.onLog(({ text }) => {
      bytes += text.length;
    });
    const fault = await faultOf(agent.runtime.load({ instance }));
    expect(fault.message).toMatch(/exited with status 9/);
    expect(bytes).toBeGreaterThan(20_000_000);
    expect(fault.lastLines.join('').length).toBeLessThan(64 * 1024);
    expect(fault.lastLines.at(-1)).toBe('the end');
  });

  test('A-10 output that nobody takes stays with the agent', async () => {
    await using place = new Workplace();
    const agent = await place.launch('floods-logs');
    const abort = new AbortController();
    let taken = 0;
    for await (const { chunks } of agent.runtime.logs({}, { signal: abort.signal })) {
      taken += chunks.length;
      if (taken < 50) continue;
      // Answers travel on the same channel: twenty of them, and what was sent meanwhile would be here.
      for (let round = 0; round < 20; round++) await agent.runtime.information({ instance });
      break;
    }
    const { generation: before } = await agent.runtime.information({ instance });
    expect(before).toBeLessThan(1_000n);
  });
});
