/** A program that is several agents, as the host meets it. */
import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { AgentsHost } from '../../src/agents/host/index.ts';
import type { Service } from '../../src/workspace/index.ts';
import { makeService, named, Workplace } from './support.ts';

const { signal } = new AbortController();

/** `test/one` and `test/two` are one program, `test/other` is another. */
function makeHost(place: Workplace, variant = ''): AgentsHost {
  const many = { command: place.command(`many ${variant}`.trim()) };
  return new AgentsHost({
    workspaceRoot: place.folder,
    agentPaths: [],
    builtIns: new Map([
      ['test/one', many],
      ['test/two', many],
      ['test/other', { command: place.command('well-behaved') }],
    ]),
    environment: place.environment,
  });
}

const serviceOf = (id: string, agent: string, range?: string): Service =>
  makeService(id, { ...named('test', agent), ...(range !== undefined && { version: range }) });

function launches(place: Workplace): number {
  return readFileSync(place.pidsFile, 'utf8').trim().split('\n').length;
}

describe('a program with multi-agent/v1', () => {
  test('A-12 is one process for all of its agents, each with what it says of itself', async () => {
    await using place = new Workplace();
    await using host = makeHost(place);
    const [one, two, again] = await Promise.all([
      host.acquire(serviceOf('shop/a', 'one'), { signal }),
      host.acquire(serviceOf('shop/b', 'two'), { signal }),
      host.acquire(serviceOf('shop/c', 'two'), { signal }),
    ]);
    expect([two.process.pid, again.process.pid]).toEqual([one.process.pid, one.process.pid]);
    expect(launches(place)).toBe(1);
    expect([one, two].map(({ information }) => information.documentation)).toEqual([
      'about test/one',
      'about test/two',
    ]);
    expect([one, two].map(({ process }) => process.name)).toEqual(['test/one', 'test/two']);
    expect((await two.load({}, { signal })).status?.message).toBe('test/two');
    expect((await one.load({}, { signal })).status?.message).toBe('test/one');
    await host.close();
    await place.expectNothingLeft();
  });

  test('A-12 can be started before it is known which of its agents are needed', async () => {
    await using place = new Workplace();
    await using host = makeHost(place);
    host.adopt(await place.started('many'));
    const two = await host.acquire(serviceOf('shop/b', 'two'), { signal });
    const one = await host.acquire(serviceOf('shop/a', 'one'), { signal });
    expect(two.process.pid).toBe(one.process.pid);
    expect(launches(place)).toBe(1);
  });

  test('A-12 that crashes fails exactly the services of its agents', async () => {
    await using place = new Workplace();
    await using host = makeHost(place);
    const [crash, two, other] = await Promise.all([
      host.acquire(serviceOf('shop/crash', 'one'), { signal }),
      host.acquire(serviceOf('shop/b', 'two'), { signal }),
      host.acquire(serviceOf('shop/other', 'other'), { signal }),
    ]);
    await expect(crash.load({}, { signal })).rejects.toMatchObject({ code: 'SK1320' });
    await vi.waitFor(() => expect([crash.lost.aborted, two.lost.aborted]).toEqual([true, true]));
    expect((two.lost.reason as Error).message).toBe('agent test/two exited with status 70; it served shop/b');
    expect(other.lost.aborted).toBe(false);
    const fresh = await host.acquire(serviceOf('shop/b', 'two'), { signal });
    expect(fresh.process.pid).not.toBe(two.process.pid);
  });

  test('A-6 is refused for an agent that it is not, and goes on as the one that it is', async () => {
    await using place = new Workplace();
    await using host = makeHost(place, 'liar');
    const one = await host.acquire(serviceOf('shop/a', 'one'), { signal });
    await expect(host.acquire(serviceOf('shop/b', 'two'), { signal })).rejects.toMatchObject({
      code: 'SK1318',
    });
    expect((await one.load({}, { signal })).status?.state).toBe(1);
    expect(launches(place)).toBe(1);
  });

  test('A-6 that is refused for the first who needs it serves the next all the same', async () => {
    await using place = new Workplace();
    await using host = makeHost(place);
    const [refused, two] = await Promise.allSettled([
      host.acquire(serviceOf('shop/a', 'one', '^9.0.0'), { signal }),
      host.acquire(serviceOf('shop/b', 'two'), { signal }),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'SK1306' } });
    expect(two.status).toBe('fulfilled');
    await host.close();
    await place.expectNothingLeft();
  });

  test('A-6 that is refused for the only one who needs it is ended', async () => {
    await using place = new Workplace();
    await using host = makeHost(place);
    await expect(host.acquire(serviceOf('shop/a', 'one', '^9.0.0'), { signal })).rejects.toMatchObject({
      code: 'SK1306',
    });
    await place.expectNothingLeft();
  });
});

test('A-12 a program that does not say that it is several agents gets a process for each', async () => {
  await using place = new Workplace();
  await using host = makeHost(place, 'silent');
  const [one, two, again] = await Promise.all([
    host.acquire(serviceOf('shop/a', 'one'), { signal }),
    host.acquire(serviceOf('shop/b', 'two'), { signal }),
    host.acquire(serviceOf('shop/c', 'two'), { signal }),
  ]);
  expect(two.process.pid).not.toBe(one.process.pid);
  expect(again.process.pid).toBe(two.process.pid);
  expect(launches(place)).toBe(2);
});
