/** What a flow makes of agents that die, and of what they answer. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { EndpointId, ServiceId } from '../../src/workspace/index.ts';
import { needs, shellJob, shellService, staying, tcpService } from '../support/declared-services.ts';
import { type FlowUnderTest, startFlow } from '../support/flows.ts';
import { isAlive } from '../support/process-scan.ts';

const api = 'site/api' as ServiceId;
const db = 'site/db' as ServiceId;

/** The one process of an agent that this test has started. */
function agentPid(program: string): number {
  const pids = execFileSync('pgrep', ['-P', String(process.pid), '-f', program], { encoding: 'utf8' });
  expect(pids.trim().split('\n')).toHaveLength(1);
  return Number(pids);
}

describe('an agent that dies', () => {
  test('A-12 F-8 has what it served come back on a fresh one; a job that has completed does not run again', async () => {
    await using run = await startFlow([shellJob('db', 'echo ran >> ran'), tcpService('api', needs('db'))]);
    await run.flow.waitReady();
    const before = run.flow.snapshot().services.get(api)?.pid ?? 0;
    process.kill(agentPid('dist/agents.js'), 'SIGKILL');
    expect((await run.state(api, 'failed')).cause).toContain('was ended by SIGKILL');
    await run.happening('process-started', (it) => it.service === api && it.restart);
    await run.flow.waitReady();
    expect(isAlive(before)).toBe(false);
    expect(readFileSync(run.path('ran'), 'utf8')).toBe('ran\n');
    expect(run.flow.snapshot().services.get(db)).toMatchObject({ state: 'completed', restarts: 0 });
  });

  test('A-12 F-9 while its service backs off takes it back to Load', async () => {
    await using run = await startFlow([
      shellService('api', 'test -e ok || { touch ok; exit 4; }; exec sleep 600'),
    ]);
    await run.state(api, 'failed');
    process.kill(agentPid('dist/agents.js'), 'SIGKILL');
    await run.state(api, 'running');
    await run.flow.waitReady();
    expect(run.flow.snapshot().services.get(api)).toMatchObject({ state: 'running', ready: true });
  });
});

/** The argument vector of an agent of the tests, relative to this folder. */
function testAgent(file: string, ...words: readonly string[]): readonly string[] {
  return [process.execPath, fileURLToPath(new URL(file, import.meta.url)), ...words];
}

describe('what an agent answers at Load', () => {
  test('F-8 F-13 about its endpoints is published, and dependents repeat their phases when it changes', async () => {
    await using run = await startFlow(
      [
        { name: 'db', agent: './agent', endpoints: [{ name: 'http', api: 'http' }] },
        shellService('api', 'echo "db is at $DB"; exec sleep 600', {
          ...needs({ name: 'db', wait: 'started' }),
          environment: { DB: '${endpoint:site/db/http}' },
        }),
      ],
      { programs: { agent: testAgent('agents/endpoints.mjs') } },
    );
    expect(await run.line(api, 'db is at')).toMatch(/^db is at http:/);
    writeFileSync(run.path('secured'), '');
    process.kill(agentPid('agents/endpoints.mjs'), 'SIGKILL');
    const line = await run.line(api, 'db is at https:');
    expect(line).toBe(`db is at ${run.flow.address('site/db/http' as EndpointId)}`);
  });
});

describe('what an agent answers at Init', () => {
  /** With an agent for `db` that answers so. */
  function startAnswered(variant: string): Promise<FlowUnderTest> {
    return startFlow(
      [
        { name: 'db', agent: './agent', endpoints: [{ name: 'tcp', api: 'tcp' }] },
        shellService('api', staying(), needs('db')),
      ],
      { programs: { agent: testAgent('../agents/hostile/mappings.mjs', variant) } },
    );
  }

  test.each([
    ['unknown-endpoint', 'SK1220'],
    ['unnamed', 'SK1220'],
    ['twice', 'SK1222'],
    ['no-instances', 'SK1223'],
    ['port-zero', 'SK1221'],
    ['port-too-high', 'SK1221'],
    ['no-access', 'SK1221'],
    ['added-access', 'SK1222'],
  ])('N-6 %s is refused with %s before a value is published', async (variant, code) => {
    await using run = await startAnswered(variant);
    const { failure } = await run.state(db, 'failed');
    expect(failure?.code).toBe(code);
    expect(run.happenings.filter((it) => it.type === 'addresses' && it.service === db)).toEqual([]);
  });

  test('N-8 nothing accepts the proposal, with a warning that names the assumed addresses', async () => {
    await using run = await startAnswered('empty');
    const { message } = await run.happening('warning', (it) => it.service === db && it.phase === 'init');
    const { addresses } = await run.happening('addresses', (it) => it.service === db);
    expect(addresses).toHaveLength(1);
    expect(message).toContain(addresses[0]?.address);
  });
});
