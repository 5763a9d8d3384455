/** Services that print more than anybody takes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InstanceState } from '../../src/gen/skein/runtime/v1/runtime_pb.js';
import { bundle, environment, type LaunchedAgent, launch, loadRequest } from './launch.ts';

let entry: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  entry = await bundle('src/agents/builtin/main.ts');
});
afterAll(() => entry.dispose());

const instance = 'shop/api';
const lines = 500_000;
const padding = 'x'.repeat(80);

async function flood(agent: LaunchedAgent, logFile: string): Promise<void> {
  const spec = { command: ['/usr/bin/env', 'seq', '-f', `%.0f ${padding}`, String(lines)] };
  await agent.runtime.load(loadRequest(agent.folder, spec, { logFile }));
  await agent.runtime.init({ instance });
  await agent.runtime.start({ instance, environment });
}

async function completed(agent: LaunchedAgent): Promise<void> {
  for await (const { events } of agent.runtime.watch({}))
    if (events.some(({ event }) => event.case === 'state' && event.value.state === InstanceState.COMPLETED))
      return;
}

/** Numbers of the lines in order of arrival, and how many were lost, until all are accounted for. */
async function taken(agent: LaunchedAgent): Promise<{ numbers: number[]; lost: number }> {
  const numbers: number[] = [];
  let lost = 0;
  for await (const { chunks } of agent.runtime.logs({}))
    for (const chunk of chunks) {
      lost += Number(chunk.lost);
      for (const line of chunk.text.split('\n')) numbers.push(Number.parseInt(line, 10));
      if (numbers.length + lost >= lines) return { numbers, lost };
    }
  return { numbers, lost };
}

function inOrder(numbers: readonly number[]): boolean {
  return numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0));
}

describe('A-10 half a million lines', () => {
  test('flow to a host that takes them: none is lost, none is repeated', async () => {
    await using agent = await launch(entry.file);
    await flood(agent, join(agent.folder, 'api.log'));
    const { numbers, lost } = await taken(agent);
    expect({ lost, count: numbers.length, ordered: inOrder(numbers) }).toEqual({
      lost: 0,
      count: lines,
      ordered: true,
    });
    await agent.runtime.stop({ instance });
    const kept = readFileSync(join(agent.folder, 'api.log'), 'utf8').split('\n');
    expect(kept.length - 1).toBe(lines);
  });

  test('do not block the service when nobody takes them, and are all handed over later', async () => {
    await using agent = await launch(entry.file);
    await flood(agent, join(agent.folder, 'api.log'));
    await completed(agent);
    const { numbers, lost } = await taken(agent);
    expect({ lost, count: numbers.length, ordered: inOrder(numbers) }).toEqual({
      lost: 0,
      count: lines,
      ordered: true,
    });
  });

  test('without a log file, cost the oldest ones and not the memory, and what was lost is counted', async () => {
    await using agent = await launch(entry.file);
    await flood(agent, '');
    await completed(agent);
    const { numbers, lost } = await taken(agent);
    expect(lost).toBeGreaterThan(0);
    expect(lost + numbers.length).toBe(lines);
    expect(numbers.at(-1)).toBe(lines);
  });
});
