/** A whole flow on real agents and real processes, driven through its programmatic face. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { SkeinError } from '../../src/errors/index.ts';
import type { Happening } from '../../src/orchestration/events.ts';
import type { ServiceId } from '../../src/workspace/index.ts';
import { startFlow } from '../support/flows.ts';
import { isAlive } from '../support/process-scan.ts';
import { workspaceFolder } from '../support/workspace-files.ts';

const hostile = fileURLToPath(new URL('../agents/hostile/', import.meta.url));

const api = 'site/api' as ServiceId;
const db = 'site/db' as ServiceId;

/** Listens on $PORT as soon as it runs. */
const listener =
  "require('node:net').createServer((s) => s.end()).listen(process.env.PORT, '127.0.0.1', () => console.log('up'))";

function service(name: string, more = ''): string {
  return `
  - name: ${name}
    agent: process
    endpoints: [{ name: tcp, api: tcp }]
    environment: { PORT: "\${self:tcp|port}" }
    spec: { command: [node, -e, "${listener}"] }
${more}`;
}

const isState =
  (id: ServiceId, state: string) =>
  (happening: Happening): boolean =>
    happening.type === 'service-state' && happening.service === id && happening.state === state;

const isRunState =
  (state: string) =>
  (happening: Happening): boolean =>
    happening.type === 'run-state' && happening.state === state;

describe('a flow', () => {
  test('F-1 two flows live side by side in one process', async () => {
    using one = workspaceFolder({ 'workspace.skein.yaml': `name: site\nservices:${service('api')}` });
    using two = workspaceFolder({ 'workspace.skein.yaml': `name: site\nservices:${service('api')}` });
    await using first = await startFlow(one.root);
    await using second = await startFlow(two.root);
    await Promise.all([first.flow.waitReady(), second.flow.waitReady()]);
    await first.flow.stop();
    expect(second.flow.snapshot().state).toBe('ready');
    expect(second.flow.snapshot().services.get(api)?.pid).toBeGreaterThan(0);
  });

  test('F-6 R-5 a dependent starts when its dependency is ready, and an independent one does not wait', async () => {
    using folder = workspaceFolder({
      'workspace.skein.yaml': `name: site
services:${service('db')}${service('api', '    service-dependencies: [{ name: db }]')}${service('other')}`,
    });
    await using run = await startFlow(folder.root);
    await run.flow.waitReady();
    const order = run.events.map(({ happening }) => happening);
    const dbReady = order.findIndex((it) => it.type === 'service-readiness' && it.service === db && it.ready);
    const apiStarts = order.findIndex(isState(api, 'starting'));
    expect(dbReady).toBeGreaterThan(-1);
    expect(apiStarts).toBeGreaterThan(dbReady);
  });

  test('F-9 a failing service is tried again by itself; the rest of the run goes on', async () => {
    using folder = workspaceFolder({
      'workspace.skein.yaml': `name: site
services:${service('db')}
  - name: api
    agent: process
    spec: { command: "test -e ok || { touch ok; echo not yet >&2; exit 4; }; exec sleep 600" }
`,
    });
    await using run = await startFlow(folder.root);
    const failed = await run.happening(isState(api, 'failed'));
    expect(failed).toMatchObject({ failure: { exit: { kind: 'exited', code: 4 }, lastLines: ['not yet'] } });
    await run.flow.waitReady();
    const snapshot = run.flow.snapshot();
    expect(snapshot.services.get(api)).toMatchObject({ state: 'running', restarts: 1 });
    expect(snapshot.services.get(db)).toMatchObject({ state: 'running', restarts: 0 });
  });

  test('F-4 F-9 with fail-fast the run ends with the words of the service that failed, not of the origin', async () => {
    using folder = workspaceFolder({
      'workspace.skein.yaml': `name: site
services:
  - name: api
    agent: process
    service-dependencies: [{ name: db }]
    spec: { command: [sleep, "600"] }
  - name: db
    agent: process
    endpoints: [{ name: tcp, api: tcp }]
    spec: { command: "echo the disk is broken; exit 3" }
`,
    });
    await using run = await startFlow(folder.root, { failFast: true });
    const error: unknown = await run.flow.waitReady().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SkeinError);
    expect((error as SkeinError).message).toBe('site/db exited with status 3');
    expect((error as SkeinError).lastLines).toEqual(['the disk is broken']);
    await run.flow.ended;
    expect(run.events.some(({ happening }) => isState(api, 'starting')(happening))).toBe(false);
    expect(run.flow.snapshot()).toMatchObject({ state: 'stopped', failure: { service: db } });
  });

  test('R-1 readiness is revoked when a process dies, and regained when it is up again', async () => {
    using folder = workspaceFolder({ 'workspace.skein.yaml': `name: site\nservices:${service('api')}` });
    await using run = await startFlow(folder.root);
    await run.flow.waitReady();
    const pid = run.flow.snapshot().services.get(api)?.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    await run.happening(isRunState('degraded'));
    await run.happening(
      (it) => it.type === 'process-started' && it.restart && it.service === api && it.pid !== pid,
    );
    await run.flow.waitReady();
    expect(run.flow.snapshot().services.get(api)).toMatchObject({
      state: 'running',
      ready: true,
      restarts: 1,
    });
  });

  test('F-8 R-5 what waits for the completion of a job starts after it, and not when the job fails', async () => {
    using folder = workspaceFolder({
      'workspace.skein.yaml': `name: site
services:
  - name: db
    kind: job
    agent: process
    spec: { command: "echo migrated > done" }
  - name: api
    agent: process
    service-dependencies: [{ name: db }]
    spec: { command: "cat done; exec sleep 600" }
`,
    });
    await using run = await startFlow(folder.root);
    await run.flow.waitReady();
    expect(run.flow.snapshot().services.get(db)).toMatchObject({ state: 'completed', ready: true });
    expect(readFileSync(join(folder.root, 'done'), 'utf8')).toBe('migrated\n');
  });

  test('T-6 T-1 a run that is stopped while it starts takes down what exists, consumers first', async () => {
    using folder = workspaceFolder({
      'workspace.skein.yaml': `name: site
services:${service('db')}
  - name: api
    agent: process
    service-dependencies: [{ name: db, wait: started }]
    spec: { command: [sleep, "600"], build: [sleep, "600"] }
`,
    });
    await using run = await startFlow(folder.root);
    await run.happening(isState(api, 'initializing'));
    await run.happening(isState(db, 'running'));
    const receipt = await run.flow.stop();
    expect(receipt.resources.map(({ id, layer, outcome }) => [id, layer, outcome])).toEqual([
      [api, 0, 'stopped'],
      [db, 1, 'stopped'],
    ]);
  });

  test('F-10 a cancelled Init ends the work that the agent does for it', async () => {
    using folder = workspaceFolder({
      'workspace.skein.yaml': `name: site
services:
  - name: api
    agent: process
    spec: { command: [sleep, "600"], build: "echo $$ > pid; exec sleep 600" }
`,
    });
    const run = await startFlow(folder.root);
    await run.happening(isState(api, 'initializing'));
    const pid = await writtenPid(join(folder.root, 'pid'));
    await run.flow.stop();
    expect(isAlive(pid)).toBe(false);
  });
});

describe('an agent that dies', () => {
  /** The one process of the built-in agents that this test has started. */
  function agentPid(): number {
    const pids = execFileSync('pgrep', ['-P', String(process.pid), '-f', 'dist/agents.js'], {
      encoding: 'utf8',
    });
    expect(pids.trim().split('\n')).toHaveLength(1);
    return Number(pids);
  }

  test('A-12 F-8 what it served comes back on a fresh one; a job that has completed does not run again', async () => {
    using folder = workspaceFolder({
      'workspace.skein.yaml': `name: site
services:
  - name: db
    kind: job
    agent: process
    spec: { command: "echo ran >> ran" }
${service('api').slice(1)}    service-dependencies: [{ name: db }]
`,
    });
    await using run = await startFlow(folder.root);
    await run.flow.waitReady();
    const before = run.flow.snapshot().services.get(api)?.pid;
    process.kill(agentPid(), 'SIGKILL');
    const failed = await run.happening(isState(api, 'failed'));
    expect(failed.type === 'service-state' ? failed.cause : '').toContain('was ended by SIGKILL');
    await run.happening((it) => it.type === 'process-started' && it.service === api && it.restart);
    await run.flow.waitReady();
    expect(isAlive(before ?? 0)).toBe(false);
    expect(readFileSync(join(folder.root, 'ran'), 'utf8')).toBe('ran\n');
    expect(run.flow.snapshot().services.get(db)).toMatchObject({ state: 'completed', restarts: 0 });
  });

  test('A-12 F-9 one that dies while its service backs off takes it back to Load', async () => {
    using folder = workspaceFolder({
      'workspace.skein.yaml': `name: site
services:
  - name: api
    agent: process
    spec: { command: "test -e ok || { touch ok; exit 4; }; exec sleep 600" }
`,
    });
    await using run = await startFlow(folder.root);
    await run.happening(isState(api, 'failed'));
    process.kill(agentPid(), 'SIGKILL');
    await run.happening(isState(api, 'running'));
    await run.flow.waitReady();
    expect(run.flow.snapshot().services.get(api)).toMatchObject({ state: 'running', ready: true });
  });
});

describe('a service that is told to stop', () => {
  test('U-9 is not started again by its back-off', async () => {
    using folder = workspaceFolder({
      'workspace.skein.yaml': `name: site
services:${service('db')}
  - name: api
    agent: process
    spec: { command: "exit 4" }
`,
    });
    await using run = await startFlow(folder.root);
    await run.happening(isState(api, 'failed'));
    await run.flow.stopServices([api]);
    const starts = (): number =>
      run.events.filter(({ happening }) => isState(api, 'starting')(happening)).length;
    const before = starts();
    // Something that takes longer than the pause of 1 s: the other service, told to start anew a few times.
    const until = performance.now() + 1_500;
    while (performance.now() < until) await run.flow.restart(db);
    expect(starts()).toBe(before);
    expect(run.flow.snapshot().services.get(api)?.state).toBe('stopped');
  });

  test('T-2 T-4 has all of its stop-timeout, also where that is longer than the usual deadline', async () => {
    using folder = workspaceFolder({
      'workspace.skein.yaml': `name: site
services:
  - name: api
    agent: process
    spec: { command: ["/bin/sh", "-c", "trap 'sleep 16; exit 0' TERM; echo up; while :; do sleep 1; done"], stop-timeout: 25s }
`,
    });
    await using run = await startFlow(folder.root);
    await run.flow.waitReady();
    const { resources } = await run.flow.stop();
    expect(resources).toMatchObject([{ id: api, outcome: 'stopped', error: null }]);
  });
});

describe('what an agent answers at Init', () => {
  async function refusal(variant: string): Promise<readonly [string, boolean]> {
    using folder = workspaceFolder({
      'workspace.skein.yaml': `name: site
services:
  - name: db
    agent: ./agent
    endpoints: [{ name: tcp, api: tcp }]
  - name: api
    agent: process
    service-dependencies: [{ name: db }]
    spec: { command: [sleep, "600"] }
`,
    });
    const agent = join(folder.root, 'agent');
    writeFileSync(agent, `#!/bin/sh\nexec ${process.execPath} ${join(hostile, 'mappings.mjs')} ${variant}\n`);
    chmodSync(agent, 0o755);
    await using run = await startFlow(folder.root);
    const failed = await run.happening(isState(db, 'failed'));
    const published = run.events.some(
      ({ happening }) => happening.type === 'addresses' && happening.service === db,
    );
    return [failed.type === 'service-state' ? (failed.failure?.code ?? '') : '', published];
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
    expect(await refusal(variant)).toEqual([code, false]);
  });

  test('N-8 no answer accepts the proposal, with a warning that names the assumed addresses', async () => {
    using folder = workspaceFolder({
      'workspace.skein.yaml':
        'name: site\nservices:\n  - { name: db, agent: ./agent, endpoints: [{ name: tcp, api: tcp }] }\n',
    });
    const agent = join(folder.root, 'agent');
    writeFileSync(agent, `#!/bin/sh\nexec ${process.execPath} ${join(hostile, 'mappings.mjs')} empty\n`);
    chmodSync(agent, 0o755);
    await using run = await startFlow(folder.root);
    const warning = await run.happening(
      (it) => it.type === 'warning' && it.service === db && it.phase === 'init',
    );
    const addresses = await run.happening((it) => it.type === 'addresses' && it.service === db);
    expect(addresses.type === 'addresses' ? addresses.addresses.length : 0).toBe(1);
    const assumed = addresses.type === 'addresses' ? addresses.addresses[0]?.address : undefined;
    expect(warning.type === 'warning' ? warning.message : '').toContain(assumed);
  });
});

/** The number that a process writes into `file` once it runs. */
async function writtenPid(file: string): Promise<number> {
  const { watch } = await import('node:fs/promises');
  const read = (): number => {
    try {
      return Number(readFileSync(file, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
      throw error;
    }
  };
  const changes = watch(join(file, '..'));
  let pid = read();
  if (pid > 0) return pid;
  for await (const _ of changes) {
    pid = read();
    if (pid > 0) return pid;
  }
  throw new Error(`${file} was never written`);
}
