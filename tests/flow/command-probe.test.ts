/** Declared probe commands as real processes. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { SkeinError } from '../../src/errors/index.ts';
import { probeCommands } from '../../src/orchestration/command-probe.ts';
import { PROCESS_GROUP_VARIABLE, Registrar, registryFolder } from '../../src/processes/index.ts';
import type { ServiceId } from '../../src/workspace/index.ts';

const state = mkdtempSync(join(tmpdir(), 'probes-'));
afterAll(() => rmSync(state, { recursive: true }));
const records = registryFolder({ XDG_STATE_HOME: state });
const spawn = probeCommands(new Registrar(records), { workspaceRoot: '/', workspace: 'shop', run: 'r1' });

const environment = new Map([['PATH', process.env['PATH'] ?? '']]);
const run = (command: string, signal: AbortSignal = new AbortController().signal) =>
  spawn({ service: 'shop/api' as ServiceId, command, directory: '/', environment, signal });

afterEach(() => vi.restoreAllMocks());

test('how it ended, and the last line of either stream', async () => {
  expect(await run('echo one; echo two; exit 3')).toEqual({
    end: { kind: 'exited', code: 3 },
    lastLine: 'two',
  });
  expect(await run('printf said >&2')).toEqual({ end: { kind: 'exited', code: 0 }, lastLine: 'said' });
});

test('T-7 it is on record while it runs, and no longer', async () => {
  const { lastLine } = await run(`cat '${records}'/$${PROCESS_GROUP_VARIABLE} | head -n 1`);
  expect(JSON.parse(lastLine)).toMatchObject({
    purpose: { kind: 'service', workspace: 'shop', run: 'r1', service: 'shop/api' },
    stopTimeoutMs: 0,
    registrar: { pid: process.pid },
  });
  await run('sleep 600', AbortSignal.abort());
  expect(readdirSync(records)).toEqual([]);
});

test('what the command leaves behind is ended with it', async () => {
  // It holds the output open, so that its end is waited for.
  expect(await run('sleep 600 & echo up')).toEqual({ end: { kind: 'exited', code: 0 }, lastLine: 'up' });
});

test('an abort kills it', async () => {
  expect(await run('sleep 600', AbortSignal.abort())).toMatchObject({
    end: { kind: 'signalled', signal: 'SIGKILL' },
  });
});

test('one that may not be killed is the failure of this probe, and is waited for no longer', async () => {
  const send = process.kill.bind(process);
  let pid = 0;
  // The system refuses nothing to its superuser, who may be running this.
  vi.spyOn(process, 'kill').mockImplementation((target, signal) => {
    if (signal !== 'SIGKILL') return send(target, signal);
    pid = -target;
    throw Object.assign(new Error('kill EINVAL'), { code: 'EINVAL' });
  });
  const refused = await run('sleep 600', AbortSignal.abort()).catch((error: unknown) => error);
  vi.restoreAllMocks();
  process.kill(-pid, 'SIGKILL');
  expect(refused).toBeInstanceOf(SkeinError);
  expect(refused).toMatchObject({
    code: 'SK1609',
    message: expect.stringContaining('may not be sent SIGKILL'),
  });
});
