/** What is refused before anything starts: every fault in one message, each with its place, exit status 2. */
import { readdirSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { describe, expect, test } from 'vitest';
import { httpService, needs, shellService, staying } from '../support/declared-services.ts';
import { Site } from '../support/site.ts';

describe('a workspace', () => {
  test('with an unknown key, a missing dependency, a cycle and a busy port is refused with all of them and their places', async () => {
    await using site = new Site();
    await using holder = createServer();
    const port = await listening(holder);
    site.write(
      'workspace.skein.yaml',
      `name: faulty
services:
  - name: healthy
    agent: process
    spec: { command: "touch started; exec sleep 600" }
  - name: one
    agent: process
    service-dependencies: [{ name: two }]
    spec: { command: "touch started" }
  - name: two
    agent: process
    service-dependencies: [{ name: one }]
    spec: { command: "touch started" }
  - name: three
    agent: process
    service-dependencies: [{ name: helthy }]
    enviroment: { A: b }
    spec: { command: "touch started" }
  - name: busy
    agent: process
    endpoints: [{ name: http, api: http, port: ${port} }]
    spec: { command: "touch started" }
`,
    );
    const { status, stdout, stderr } = await site.skein('run');
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('workspace.skein.yaml:17:5');
    expect(stderr).toMatch(/enviroment[\s\S]*environment/);
    expect(stderr).toMatch(/workspace\.skein\.yaml:16:\d+/);
    expect(stderr).toMatch(/helthy[\s\S]*did you mean `healthy`/);
    expect(stderr).toMatch(/faulty\/one → faulty\/two → faulty\/one|faulty\/two → faulty\/one → faulty\/two/);
    expect(stderr).toMatch(new RegExp(`port ${port} of faulty/busy/http is taken by process ${process.pid}`));
    expect(site.lines('started')).toEqual([]);
    expect(readdirSync(site.root)).toEqual(['workspace.skein.yaml']);
    site.expectNothingLeft();
  });

  test('is judged with the ports of the command line: one that is moved away from a busy port conflicts with nobody', async () => {
    await using site = new Site();
    await using holder = createServer();
    const port = await listening(holder);
    site.write(
      'workspace.skein.yaml',
      `name: faulty
enviroment: {}
services:
  - name: busy
    agent: process
    endpoints: [{ name: http, api: http, port: ${port} }]
    spec: { command: "sleep 600" }
`,
    );
    const moved = await site.skein('run', '--port', 'busy/http=9', '--port', 'unheard/of=1');
    expect(moved.status).toBe(2);
    expect(moved.stderr).toContain('enviroment');
    expect(moved.stderr).not.toContain('is taken');
    expect((await site.skein('run')).stderr).toContain(`port ${port} of faulty/busy/http is taken`);
    site.expectNothingLeft();
  });

  test.each([
    ['two endpoints moved to one port', ['--port', 'a/http=9000', '--port', 'b/http=9000'], 'SK1201', 2],
    ['no service', [], 'SK1403', 0],
  ])('with %s leaves nothing behind', async (_, words, code, services) => {
    await using site = new Site();
    site.declare('refused', [httpService('a'), httpService('b')].slice(0, services));
    const { status, stderr } = await site.skein('run', ...words);
    expect(status).toBe(2);
    expect(stderr).toContain(code);
    site.expectNothingLeft();
  });

  test('is refused with the same faults as data with --json', async () => {
    await using site = new Site();
    site.write('workspace.skein.yaml', 'name: faulty\nservises: []\nservices:\n  - name: A\n');
    const { status, stdout, stderr } = await site.skein('run', '--json');
    expect(status).toBe(2);
    expect(stdout).toBe('');
    const { errors } = JSON.parse(stderr) as { errors: object[] };
    expect(errors.length).toBeGreaterThan(1);
    for (const error of errors)
      expect(error).toMatchObject({
        code: expect.stringMatching(/^SK10\d\d$/),
        message: expect.any(String),
        place: {
          file: site.path('workspace.skein.yaml'),
          line: expect.any(Number),
          column: expect.any(Number),
        },
        remedy: expect.any(String),
      });
  });

  test('with a wrong key in a spec, a broken reference and a busy port is refused with all three', async () => {
    await using site = new Site();
    await using holder = createServer();
    const port = await listening(holder);
    site.declare('faulty', [
      shellService('healthy', 'touch started; exec sleep 600'),
      shellService('typo', 'touch started', { spec: { wach: ['.'] } }),
      shellService('refers', 'touch started', { environment: { URL: '${endpoint:faulty/typo/http}' } }),
      shellService('busy', 'touch started', { endpoints: [{ name: 'http', api: 'http', port }] }),
    ]);
    const { status, stderr } = await site.skein('run');
    expect(status).toBe(2);
    expect(stderr).toMatch(/wach[\s\S]*watch/);
    expect(stderr).toMatch(/workspace\.skein\.yaml:\d+:\d+/);
    expect(stderr).toContain('${endpoint:faulty/typo/http}');
    expect(stderr).toContain(String(port));
    expect(stderr).toContain(`process ${process.pid}`);
    expect(site.lines('started')).toEqual([]);
    site.expectNothingLeft();
  });

  test('whose port is busy is refused, naming the port and who holds it, with status 1', async () => {
    await using site = new Site();
    await using holder = createServer();
    const port = await listening(holder);
    site.declare('busy', [
      shellService('healthy', 'touch started; exec sleep 600'),
      shellService('web', 'touch started', { endpoints: [{ name: 'http', api: 'http', port }] }),
    ]);
    const { status, stderr } = await site.skein('run', '--detach', '--wait');
    expect(status).toBe(1);
    expect(stderr).toContain('busy/web');
    expect(stderr).toContain(String(port));
    expect(site.lines('started')).toEqual([]);
    site.expectNothingLeft();
  });

  test('with an unknown agent is refused', async () => {
    await using site = new Site();
    site.declare('unknown', [
      shellService('healthy', 'touch started; exec sleep 600'),
      { name: 'db', agent: 'proces', spec: { command: 'true' } },
    ]);
    const { status, stderr } = await site.skein('run');
    expect(status).toBe(2);
    expect(stderr).toContain('proces');
    expect(stderr).toMatch(/workspace\.skein\.yaml:\d+:\d+/);
    expect(site.lines('started')).toEqual([]);
    site.expectNothingLeft();
  });

  test('that is not there is said, with where it was looked for', async () => {
    await using site = new Site();
    const { status, stderr } = await site.skein('run');
    expect(status).toBe(2);
    expect(stderr).toContain(site.root);
    expect(stderr).toContain('workspace.skein.yaml');
  });

  test('is refused in the same words when the run would be detached, and leaves no record of a run', async () => {
    await using site = new Site();
    site.declare('faulty', [shellService('a', 'touch started', needs('b'))]);
    const foreground = await site.skein('run');
    const detached = await site.skein('run', '--detach', '--wait');
    expect(detached).toMatchObject({ status: 2, stderr: foreground.stderr });
    expect((await site.json('status'))['last']).toBe(null);
    site.expectNothingLeft();
  });
});

describe('a wrong command line', () => {
  test.each([
    [['rnu'], 'SK1550', /`rnu`.*did you mean run\?/],
    [['run', '--detatch'], 'SK1551', /`--detatch`.*did you mean --detach\?/],
    [['run', 'ap'], 'SK1031', /`ap`.*did you mean `api`\?/],
    [['graph', 'ap'], 'SK1031', /`ap`.*did you mean `api`\?/],
    [['run', '--readiness-timeout', 'soon'], 'SK1552', /soon/],
    [['graph', '--format', 'yaml'], 'SK1552', /yaml.*json, mermaid, dot/],
    [['run', '--port', 'api=1'], 'SK1203', /api=1/],
    [['restart'], 'SK1553', /service/],
    [['logs', '--grep', '('], 'SK1552', /\(/],
  ])('%j ends with 2 and says what is meant', async (words, code, message) => {
    await using site = new Site();
    site.declare('words', [httpService('api')]);
    const { status, stdout, stderr } = await site.skein(...words);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(code);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at .*:\d+:\d+\)?$/m);
    site.expectNothingLeft();
  });

  test.each([['restart'], ['stop'], ['why'], ['logs']])(
    '%s of a service that the run does not have suggests the nearest',
    async (word) => {
      await using site = new Site();
      site.declare('words', [shellService('api', staying())]);
      expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
      const { status, stderr } = await site.skein(word, 'ap');
      expect(status).toBe(2);
      expect(stderr).toMatch(/`ap`.*did you mean `api`\?/);
      expect(await site.service('words/api')).toMatchObject({ state: 'running' });
      expect((await site.skein('stop')).status).toBe(0);
      site.expectNothingLeft();
    },
  );
});

/** The port that a stranger holds from now on. */
function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
