/** Services of an agent without the SDK, which puts nothing on record: the host does it (T-7, T-8). */
import { describe, expect, test } from 'vitest';
import { isAlive } from '../support/process-scan.ts';
import { installPythonAgent, pythonLacks } from '../support/python-agent.ts';
import { Site } from '../support/site.ts';
import { killTogether } from './crash.ts';

if (pythonLacks !== undefined) console.warn(`tests of a foreign agent are skipped: ${pythonLacks}`);

describe.skipIf(pythonLacks !== undefined)('T-7 an agent in Python (needs python3-grpcio)', () => {
  test('T-8 killed together with the supervisor, leaves nothing that a stop does not find', async () => {
    await using site = new Site();
    const agent = await installPythonAgent(site.root);
    const command = "trap 'echo told >> order; exit 0' TERM; while :; do sleep 600 & wait; done";
    site.declare('foreign', [{ name: 'a', agent, spec: { command } }]);
    expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
    const { pid: supervisor } = await site.json('status');
    const service = Number((await site.service('foreign/a'))['pid']);
    const agents = site.processes().filter(({ command: line }) => /agents\.js$|agent\.py /.test(line));
    await killTogether([...agents.map(({ pid }) => pid), Number(supervisor)]);
    expect(isAlive(service)).toBe(true);
    expect(await site.json('stop')).toMatchObject({ resources: [{ id: 'foreign/a', outcome: 'stopped' }] });
    expect(site.lines('order')).toEqual(['told']);
    expect(site.processes()).toEqual([]);
    expect(site.records()).toEqual([]);
  });

  test('ends in order with its run, and no record remains', async () => {
    await using site = new Site();
    const agent = await installPythonAgent(site.root);
    site.declare('foreign', [{ name: 'a', agent, spec: { command: 'exec sleep 600' } }]);
    expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
    expect((await site.skein('restart', 'a')).status).toBe(0);
    expect((await site.skein('stop')).status).toBe(0);
    site.expectNothingLeft();
  });
});
