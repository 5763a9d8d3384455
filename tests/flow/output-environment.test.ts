/** A service's environment in a file (N-13). */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ServiceId } from '../../src/workspace/index.ts';
import { needs, shellJob, shellService, staying } from '../support/declared-services.ts';
import { startFlow } from '../support/flows.ts';

const db = 'site/db' as ServiceId;
const api = 'site/api' as ServiceId;
const agent = fileURLToPath(new URL('agents/endpoints.mjs', import.meta.url));

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-env-'));
  file = join(folder, '.env');
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('N-13 the environment of a service', () => {
  test('is rewritten whole, as a file of its own, when an address changes', async () => {
    await using run = await startFlow(
      [
        { name: 'db', agent: './agent', endpoints: [{ name: 'http', api: 'http' }] },
        shellService('api', staying(), { ...needs('db'), environment: { DB: '${endpoint:site/db/http}' } }),
      ],
      {
        roots: [api],
        part: 'without-root',
        outputEnvironment: { file },
        programs: { agent: [process.execPath, agent] },
      },
    );
    const addressed = (scheme: string) =>
      run.happening(
        'addresses',
        (it) => it.service === db && it.addresses[0]?.url?.startsWith(scheme) === true,
      );
    const url = (await addressed('http:')).addresses[0]?.url;
    const before = statSync(file);
    expect(readFileSync(file, 'utf8').split('\n')).toContain(`DB=${url}`);
    writeFileSync(run.path('secured'), '');
    const [pid] = execFileSync('pgrep', ['-P', String(process.pid), '-f', agent], { encoding: 'utf8' }).split(
      '\n',
    );
    process.kill(Number(pid), 'SIGKILL');
    await addressed('https:');
    const text = readFileSync(file, 'utf8');
    expect(text.split('\n')).toContain(`DB=${url?.replace('http:', 'https:')}`);
    expect(statSync(file).ino).not.toBe(before.ino);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['.env']);
    await run.flow.stop();
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('is not written before all of it is known, and replaces what others may read', async () => {
    writeFileSync(file, 'OLD=1\n', { mode: 0o644 });
    const slow = shellJob('db', 'exit 0', {
      spec: {
        build: 'until [ -e go ]; do sleep 0.02; done',
        'runtime-configuration': { connection: 'here' },
      },
    });
    await using run = await startFlow(
      [
        slow,
        shellService('api', staying(), {
          ...needs('db'),
          environment: { DB: '${configuration:site/db/connection}' },
        }),
      ],
      { outputEnvironment: { file, service: api } },
    );
    await run.state(db, 'initializing');
    expect(readFileSync(file, 'utf8')).toBe('OLD=1\n');
    run.write('go', '');
    await run.flow.waitReady();
    expect(readFileSync(file, 'utf8').split('\n')).toContain('DB=here');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('of a service that takes no part is refused', async () => {
    const refused = startFlow([shellService('db', staying()), shellService('api', staying())], {
      roots: [db],
      outputEnvironment: { file, service: api },
    });
    await expect(refused).rejects.toMatchObject({ code: 'SK1405' });
    expect(existsSync(file)).toBe(false);
  });
});
