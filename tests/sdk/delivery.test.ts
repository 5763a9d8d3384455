/** What services printed last arrives, however soon after it they, or the whole run, are ended. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentsHost, type AgentTimeouts } from '../../src/agents/host/index.ts';
import { InstanceState } from '../../src/gen/skein/runtime/v1/runtime_pb.js';
import { makeService, named, Workplace } from '../agents/support.ts';
import { bundle, environment, loadRequest } from './launch.ts';

let entry: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  entry = await bundle('src/agents/builtin/main.ts');
});
afterAll(() => entry.dispose());

const { signal } = new AbortController();
const lines = 200_000;

function hostOf(place: Workplace, timeouts: Partial<AgentTimeouts> = {}): AgentsHost {
  return new AgentsHost({
    workspaceRoot: place.folder,
    agentPaths: [],
    builtIns: new Map([['skein/process', { command: [realpathSync(process.execPath), entry.file] }]]),
    environment: place.environment,
    timeouts,
  });
}

interface Printed {
  /** Numbers at the beginning of the lines, in order of arrival. */
  readonly numbers: number[];
  lost: number;
  /** The service's end was told. */
  readonly ended: Promise<void>;
}

/** Starts `command` as `id`; `slowMs` is what each chunk costs its listener. */
async function start(
  host: AgentsHost,
  place: Workplace,
  id: string,
  command: string,
  options: { readonly slowMs?: number; readonly isolate?: boolean } = {},
): Promise<Printed & { readonly session: Awaited<ReturnType<AgentsHost['acquire']>> }> {
  const { slowMs = 0, isolate = false } = options;
  const session = await host.acquire(makeService(id, named('skein', 'process'), { isolate }), { signal });
  const numbers: number[] = [];
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const printed = { session, numbers, lost: 0, ended };
  session.onLog(async (chunk) => {
    if (slowMs > 0) await wait(slowMs);
    printed.lost += Number(chunk.lost);
    for (const line of chunk.text.split('\n')) numbers.push(Number.parseInt(line, 10));
  });
  session.onEvent(({ event }) => {
    if (event.case === 'state' && event.value.state >= InstanceState.COMPLETED) end();
  });
  const logFile = join(place.folder, `${id.replaceAll('/', '-')}.log`);
  await session.load(loadRequest(place.folder, { command: ['/bin/sh', '-c', command] }, { logFile }), {
    signal,
  });
  await session.init({}, { signal });
  await session.start({ environment }, { signal });
  return printed;
}

function count(from: number, to: number): string {
  return `exec seq -f '%.0f ${'x'.repeat(60)}' ${from} ${to}`;
}

/** Whether these are 1, 2, 3, … and how many. */
function judged({ numbers, lost }: Printed): { count: number; lost: number; inOrder: boolean } {
  return { count: numbers.length, lost, inOrder: numbers.every((number, at) => number === at + 1) };
}

const whole = { count: lines, lost: 0, inOrder: true };

describe('A-10 every line arrives once and in order', () => {
  test.each([
    ['of two jobs, when the run ends with them', 0],
    ['with a listener that is slower than the agent', 8],
  ])('%s', async (_what, slowMs) => {
    await using place = new Workplace();
    await using host = hostOf(place, { shutdownMs: 60_000 });
    const jobs = await Promise.all(
      ['shop/a', 'shop/b'].map((id) => start(host, place, id, count(1, lines), { slowMs })),
    );
    await Promise.all(jobs.map(({ ended }) => ended));
    await host.close();
    expect(jobs.map(judged)).toEqual([whole, whole]);
  });

  test('of what a service says to its Stop, through its Destroy', async () => {
    await using place = new Workplace();
    await using host = hostOf(place, { shutdownMs: 60_000 });
    // The shell itself has a word to say of the `sleep` that the signal ends.
    const last = `exec 2>/dev/null; trap '${count(2, lines).replaceAll("'", '"')}' TERM; echo 1; while :; do sleep 0.05; done`;
    const printed = await start(host, place, 'shop/a', last, { slowMs: 2 });
    await printed.session.stop({}, { signal });
    await printed.session.destroy({}, { signal });
    await host.close();
    expect(judged(printed)).toEqual(whole);
  });

  test('of a service with a process of its own, when its session ends', async () => {
    await using place = new Workplace();
    await using host = hostOf(place, { shutdownMs: 60_000 });
    const job = await start(host, place, 'shop/a', count(1, lines), { slowMs: 2, isolate: true });
    await job.ended;
    await job.session[Symbol.asyncDispose]();
    expect(judged(job)).toEqual(whole);
  });
});

describe('an end that is not waited for', () => {
  test('A-9 an aborted close takes no more output, even of a listener that is never done', async () => {
    await using place = new Workplace();
    await using host = hostOf(place);
    const session = await host.acquire(makeService('shop/a', named('skein', 'process')), { signal });
    let heard: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      heard = resolve;
    });
    session.onLog(() => {
      heard();
      return new Promise(() => undefined);
    });
    const spec = { command: ['/bin/sh', '-c', count(1, lines)] };
    await session.load(loadRequest(place.folder, spec), { signal });
    await session.init({}, { signal });
    await session.start({ environment }, { signal });
    await first;
    const abort = new AbortController();
    const closed = host.close({ signal: abort.signal });
    abort.abort();
    await closed;
    await place.expectNothingLeft();
  });

  test('A-9 a listener that is never done holds up the end for the budget of Shutdown, and no longer', async () => {
    await using place = new Workplace();
    await using host = hostOf(place, { shutdownMs: 300, exitMs: 2_000 });
    const session = await host.acquire(makeService('shop/a', named('skein', 'process')), { signal });
    let heard: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      heard = resolve;
    });
    session.onLog(() => {
      heard();
      return new Promise(() => undefined);
    });
    await session.load(loadRequest(place.folder, { command: ['/bin/sh', '-c', count(1, lines)] }), {
      signal,
    });
    await session.init({}, { signal });
    await session.start({ environment }, { signal });
    await first;
    await host.close();
    await place.expectNothingLeft();
  });
});
