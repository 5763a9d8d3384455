import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { AgentsHost, type AgentsHostOptions } from '../../src/agents/host/index.ts';
import type { SkeinError } from '../../src/errors/index.ts';
import type { InstanceEvent } from '../../src/gen/skein/runtime/v1/runtime_pb.js';
import { makeService, named, Workplace } from './support.ts';

const { signal } = new AbortController();

/** A host whose built-in agents are hostile ones, by the names `test/<their words with dashes>`. */
function makeHost(
  place: Workplace,
  agents: readonly string[],
  options: Partial<AgentsHostOptions> = {},
): AgentsHost {
  return new AgentsHost({
    workspaceRoot: place.folder,
    agentPaths: [],
    builtIns: new Map(
      agents.map((words) => [`test/${words.replaceAll(' ', '-')}`, { command: place.command(words) }]),
    ),
    environment: place.environment,
    timeouts: { exitMs: 500, shutdownMs: 500, stopGraceMs: 500 },
    ...options,
  });
}

const service = (id: string, words: string, changes: Parameters<typeof makeService>[2] = {}) =>
  makeService(id, named('test', words.replaceAll(' ', '-')), changes);

describe('one process for many', () => {
  test('A-12 concurrent acquires share one launch, and one process serves them all', async () => {
    await using place = new Workplace();
    await using host = makeHost(place, ['well-behaved']);
    const ids = Array.from({ length: 50 }, (_, index) => `shop/s${index}`);
    const sessions = await Promise.all(
      ids.map((id) => host.acquire(service(id, 'well-behaved'), { signal })),
    );
    expect(new Set(sessions.map(({ process }) => process.pid)).size).toBe(1);
    await Promise.all(sessions.map((session) => session.load({}, { signal })));
    // A session that ends leaves the process to the others.
    await sessions[0]?.[Symbol.asyncDispose]();
    expect((await sessions[1]?.init({}, { signal }))?.status?.state).toBe(1);
    await host.close();
    await place.expectNothingLeft();
  });

  test('A-12 `isolate` gives a process of its own, which ends with its session', async () => {
    await using place = new Workplace();
    await using host = makeHost(place, ['well-behaved']);
    const [shared, alone] = await Promise.all([
      host.acquire(service('shop/a', 'well-behaved'), { signal }),
      host.acquire(service('shop/b', 'well-behaved', { isolate: true }), { signal }),
    ]);
    expect(alone.process.pid).not.toBe(shared.process.pid);
    await alone[Symbol.asyncDispose]();
    expect(alone.process.exit).toMatchObject({ kind: 'exited', code: 0 });
    expect(alone.lost.aborted).toBe(false);
    expect(shared.process.exit).toBeUndefined();
  });

  test('A-12 an agent without multi-service/v1 gets one process for each service', async () => {
    await using place = new Workplace();
    await using host = makeHost(place, ['single']);
    const sessions = await Promise.all(
      ['shop/a', 'shop/b', 'shop/c'].map((id) => host.acquire(service(id, 'single'), { signal })),
    );
    expect(new Set(sessions.map(({ process }) => process.pid)).size).toBe(3);
    const pids = readFileSync(place.pidsFile, 'utf8').trim().split('\n');
    expect(pids).toHaveLength(3);
  });

  test('A-12 an agent started early is the one that services get', async () => {
    await using place = new Workplace();
    await using host = makeHost(place, ['well-behaved']);
    host.adopt(await place.started('well-behaved'));
    const session = await host.acquire(service('shop/a', 'well-behaved'), { signal });
    expect(readFileSync(place.pidsFile, 'utf8').trim()).toBe(String(session.process.pid));
  });

  test('A-12 an early start that fails is told to the service that needs it', async () => {
    await using place = new Workplace();
    await using host = makeHost(place, ['exits-early']);
    host.adopt(await place.started('exits-early'));
    await expect(host.acquire(service('shop/a', 'exits-early'), { signal })).rejects.toMatchObject({
      code: 'SK1311',
    });
    await host.close();
    await place.expectNothingLeft();
  });

  test('A-12 a crash of a shared process fails exactly its services, and the next acquire gets a fresh one', async () => {
    await using place = new Workplace();
    await using host = makeHost(place, ['crashes load', 'well-behaved']);
    const [a, b, other] = await Promise.all([
      host.acquire(service('shop/a', 'crashes load'), { signal }),
      host.acquire(service('shop/b', 'crashes load'), { signal }),
      host.acquire(service('shop/other', 'well-behaved'), { signal }),
    ]);
    await expect(a.load({}, { signal })).rejects.toMatchObject({
      code: 'SK1320',
      place: { service: 'shop/a', phase: 'load' },
    });
    await vi.waitFor(() => expect([a.lost.aborted, b.lost.aborted]).toEqual([true, true]));
    expect((b.lost.reason as SkeinError).message).toMatch(
      /agent test\/crashes-load exited with status 70; it served shop\/b/,
    );
    expect(other.lost.aborted).toBe(false);
    const again = await host.acquire(service('shop/b', 'crashes load'), { signal });
    expect(again.process.pid).not.toBe(b.process.pid);
    expect((await again.init({}, { signal })).status?.state).toBe(1);
    await host.close();
    await place.expectNothingLeft();
  });

  test('A-12 an acquire that is given up leaves the launch to the others', async () => {
    await using place = new Workplace();
    await using host = makeHost(place, ['well-behaved']);
    const abort = new AbortController();
    const reason = new Error('not any more');
    const given = host.acquire(service('shop/a', 'well-behaved'), { signal: abort.signal });
    const kept = host.acquire(service('shop/b', 'well-behaved'), { signal });
    abort.abort(reason);
    await expect(given).rejects.toBe(reason);
    expect((await (await kept).load({}, { signal })).status?.state).toBe(1);
  });

  test('A-9 closing while a launch is under way leaves nothing', async () => {
    await using place = new Workplace();
    const host = makeHost(place, ['no-handshake']);
    const acquired = host.acquire(service('shop/a', 'no-handshake'), { signal });
    const rejected = expect(acquired).rejects.toMatchObject({ code: 'SK1329' });
    await vi.waitFor(() => readFileSync(place.pidsFile), { timeout: 10_000 });
    await host.close();
    await rejected;
    await place.expectNothingLeft();
    await expect(host.acquire(service('shop/b', 'no-handshake'), { signal })).rejects.toMatchObject({
      code: 'SK1329',
    });
  });

  test('A-6 an agent that cannot run services is refused at Load, not before', async () => {
    await using place = new Workplace();
    await using host = makeHost(place, ['builder-only']);
    const session = await host.acquire(service('shop/a', 'builder-only'), { signal });
    await expect(session.load({}, { signal })).rejects.toMatchObject({ code: 'SK1319' });
  });
});

describe('news and output', () => {
  test('A-12 pieces about instances that nobody asked for reach nobody, and are told once', async () => {
    await using place = new Workplace();
    const strays: string[] = [];
    await using host = makeHost(place, ['unknown-instances'], {
      onStray: (agent, instance) => strays.push(`${agent} ${instance}`),
    });
    const session = await host.acquire(service('shop/api', 'unknown-instances'), { signal });
    const events: InstanceEvent[] = [];
    const texts: string[] = [];
    session.onEvent((event) => events.push(event));
    session.onLog(({ text }) => void texts.push(text));
    await vi.waitFor(() => expect([events.length, texts]).toEqual([1, ['of shop/api']]), { timeout: 5_000 });
    expect(strays.sort()).toEqual(['test/unknown-instances ', 'test/unknown-instances shop/ghost']);
  });

  test('A-1 an event with an unknown number is refused alone; the next one arrives', async () => {
    await using place = new Workplace();
    await using host = makeHost(place, ['unknown-enum']);
    const session = await host.acquire(service('shop/api', 'unknown-enum'), { signal });
    const faults: string[] = [];
    const events: InstanceEvent[] = [];
    session.onFault((fault) => faults.push(fault.message));
    session.onEvent((event) => events.push(event));
    await vi.waitFor(() => expect(events).toHaveLength(1), { timeout: 5_000 });
    expect(faults).toEqual([expect.stringMatching(/InstanceEvent with state\.state = 99/)]);
  });

  test('A-3 a Watch that breaks off is said and opened again', async () => {
    await using place = new Workplace();
    await using host = makeHost(place, ['breaks-streams']);
    const session = await host.acquire(service('shop/api', 'breaks-streams'), { signal });
    const faults: string[] = [];
    let ready = 0;
    session.onFault(({ code }) => faults.push(code));
    session.onEvent(({ event }) => void (event.case === 'ready' && ready++));
    await vi.waitFor(() => expect(ready).toBeGreaterThan(2), { timeout: 10_000 });
    expect(new Set(faults)).toEqual(new Set(['SK1334']));
  });

  test('A-9 streams that end because the agent was told to end are no fault', async () => {
    await using place = new Workplace();
    await using host = makeHost(place, ['ends-streams']);
    const session = await host.acquire(service('shop/api', 'ends-streams'), { signal });
    const faults: string[] = [];
    const open = new Set<string>();
    session.onFault(({ message }) => faults.push(message));
    session.onEvent(() => void open.add('Watch'));
    session.onLog(() => void open.add('Logs'));
    await vi.waitFor(() => expect(open.size).toBe(2), { timeout: 5_000 });
    await host.close();
    expect(faults).toEqual([]);
  });

  test('A-3 an agent without watch/v1 is asked, and changes are told as events', async () => {
    await using place = new Workplace();
    await using host = makeHost(place, ['single']);
    const session = await host.acquire(service('shop/api', 'single'), { signal });
    const states: unknown[] = [];
    session.onEvent(({ event }) => states.push(event.case === 'state' && event.value.state));
    await session.load({}, { signal });
    await vi.waitFor(() => expect(states).toEqual([1, 3]), { timeout: 10_000 });
  });

  test('A-10 a listener that is not done keeps the flood with the agent', async () => {
    await using place = new Workplace();
    await using host = makeHost(place, ['floods-logs']);
    const session = await host.acquire(service('shop/api', 'floods-logs'), { signal });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let taken = 0;
    session.onLog(() => {
      taken += 1;
      return held;
    });
    await vi.waitFor(() => expect(taken).toBe(1), { timeout: 5_000 });
    for (let round = 0; round < 20; round++) await session.state({ signal });
    expect(taken).toBe(1);
    expect((await session.state({ signal })).generation).toBeLessThan(1_000n);
    release();
    await vi.waitFor(() => expect(taken).toBeGreaterThan(1_000), { timeout: 20_000 });
  });
});

describe('what a session says', () => {
  test('A-5 a violation has the place of the setting', async () => {
    await using place = new Workplace();
    await using host = makeHost(place, ['fails']);
    const session = await host.acquire(service('shop/api', 'fails'), { signal });
    await expect(session.init({}, { signal })).rejects.toMatchObject({
      code: 'SK1327',
      place: { file: '/w/workspace.skein.yaml', line: 10, column: '/watch/0'.length + 1 },
    });
  });

  test('A-13 the agent goes into skein.lock, and a changed lock file is no reason to write it again', async () => {
    await using place = new Workplace();
    const lockFile = join(place.folder, 'skein.lock');
    {
      await using host = makeHost(place, ['well-behaved'], { lockFile });
      await host.acquire(service('shop/api', 'well-behaved'), { signal });
    }
    const entry = { found: 'built-in', version: '1.0.0' };
    expect(JSON.parse(readFileSync(lockFile, 'utf8'))).toEqual({
      lock: 1,
      agents: { 'test/well-behaved': entry },
    });
    const written = `${readFileSync(lockFile, 'utf8')}\n\n`;
    writeFileSync(lockFile, written);
    await using host = makeHost(place, ['well-behaved'], { lockFile });
    await host.acquire(service('shop/api', 'well-behaved'), { signal });
    expect(readFileSync(lockFile, 'utf8')).toBe(written);
  });

  test('A-13 a changed program under a locked version is refused, and is gone', async () => {
    await using place = new Workplace();
    const lockFile = join(place.folder, 'skein.lock');
    const program = join(place.folder, 'skein-agent-agent');
    const environment = { ...place.environment, PATH: `${place.folder}:${process.env['PATH']}` };
    const service = makeService('shop/api', named('test', 'agent'));
    const write = (comment: string): void => {
      const words = place.command('well-behaved').map((word) => `'${word}'`);
      writeFileSync(program, `#!/bin/sh\n# ${comment}\nexec ${words.join(' ')}\n`, { mode: 0o755 });
    };
    write('one');
    {
      await using host = makeHost(place, [], { lockFile, environment });
      expect((await host.acquire(service, { signal })).information.name).toBe('test/agent');
    }
    const locked = readFileSync(lockFile, 'utf8');
    write('two');
    await using host = makeHost(place, [], { lockFile, environment });
    await expect(host.acquire(service, { signal })).rejects.toMatchObject({ code: 'SK1304' });
    await place.expectNothingLeft();
    expect(readFileSync(lockFile, 'utf8')).toBe(locked);
  });
});
