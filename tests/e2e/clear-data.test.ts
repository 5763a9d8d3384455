/** `skein clear --data`: kept data goes by the hands of those who keep it, once a person has said so (T-10). */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { query } from '../postgres/database.ts';
import { shellService, staying } from '../support/declared-services.ts';
import type { Document } from '../support/running-command.ts';
import { Site } from '../support/site.ts';

const keeper = fileURLToPath(new URL('services/keeper.mjs', import.meta.url));
const url = 'postgres://postgres:secret@';
const database = {
  name: 'db',
  agent: 'postgres',
  endpoints: [{ name: 'sql', api: 'tcp' }],
  spec: { engine: 'embedded', password: 'secret' },
};

/** A service that keeps a file in its folder, as the process agent leaves it to its command. */
function noting(name: string): object {
  return shellService(
    name,
    `mkdir -p .skein/data/shop/${name}; echo kept > .skein/data/shop/${name}/note; ${staying()}`,
  );
}

/** Absolute. */
function dataOf(site: Site, name: string): string {
  return join(site.root, '.skein', 'data', 'shop', name);
}

/** As if a service had kept it. */
function keep(site: Site, name: string): void {
  mkdirSync(dataOf(site, name), { recursive: true });
  writeFileSync(join(dataOf(site, name), 'note'), 'kept\n');
}

/** The agent of `keeper.mjs`, as a program in the workspace. */
function installKeeper(site: Site): void {
  site.write('keeper', `#!/bin/sh\nexec '${process.execPath}' '${keeper}'\n`);
  chmodSync(site.path('keeper'), 0o755);
}

async function run(site: Site): Promise<void> {
  const begun = await site.skein('run', '--detach', '--wait', '--temporary-ports');
  expect(begun, begun.stderr).toMatchObject({ status: 0 });
}

async function addressOf(site: Site, id: string): Promise<string> {
  const [endpoint] = (await site.service(id))['endpoints'] as Document[];
  return `${url}${String(endpoint?.['address'])}/db`;
}

test('T-10 the next run has an empty database, and the data of another service is untouched', async () => {
  await using site = new Site();
  site.declare('shop', [database, noting('web')]);
  await run(site);
  await query(await addressOf(site, 'shop/db'), "create table kept as select 'wool' as thing");
  expect((await site.skein('stop')).status).toBe(0);

  await run(site);
  expect(await query(await addressOf(site, 'shop/db'), 'select thing from kept')).toEqual([
    { thing: 'wool' },
  ]);
  expect((await site.skein('stop')).status).toBe(0);
  const place = readLocation(site);

  const cleared = await site.json('clear', '--data', 'db', '--yes');
  expect(cleared).toMatchObject({
    dryRun: false,
    data: [{ service: 'shop/db', path: dataOf(site, 'db'), bytes: expect.any(Number), removed: true }],
  });
  expect([existsSync(dataOf(site, 'db')), existsSync(place)]).toEqual([false, false]);
  expect(readFileSync(join(dataOf(site, 'web'), 'note'), 'utf8')).toBe('kept\n');
  site.expectNothingLeft();

  await run(site);
  expect(await query(await addressOf(site, 'shop/db'), "select to_regclass('kept') as found")).toEqual([
    { found: null },
  ]);
  expect((await site.skein('stop')).status).toBe(0);
  // What root keeps lies outside of this test's ground.
  expect(await site.json('clear', '--data', '--yes')).toMatchObject({
    data: [
      { service: 'shop/db', removed: true },
      { service: 'shop/web', removed: true },
    ],
  });
  expect(readdirSync(site.path('.skein/data'))).toEqual([]);
});

/** The folder of the cluster, which is elsewhere where the server runs as another user. */
function readLocation(site: Site): string {
  const file = join(dataOf(site, 'db'), 'location.json');
  const home = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { home: string }).home
    : dataOf(site, 'db');
  expect(existsSync(join(home, 'cluster'))).toBe(true);
  return home;
}

test('T-10 beside a live run data is not deleted, and can be looked at', async () => {
  await using site = new Site();
  site.declare('shop', [noting('web')]);
  await run(site);
  const refused = await site.skein('clear', '--data', '--yes');
  expect(refused).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('SK1501') });
  expect(await site.json('clear', '--data', '--dry-run')).toMatchObject({
    dryRun: true,
    data: [{ service: 'shop/web', bytes: 5, removed: false }],
  });
  expect(existsSync(dataOf(site, 'web'))).toBe(true);
  expect(await site.service('shop/web')).toMatchObject({ ready: true });
  expect((await site.skein('stop')).status).toBe(0);
});

test('T-10 without a terminal nothing is deleted without --yes, which is a matter of usage', async () => {
  await using site = new Site();
  site.declare('shop', [noting('web')]);
  keep(site, 'web');
  for (const words of [[], ['web'], ['--json']]) {
    const { status, stderr } = await site.skein('clear', '--data', ...words);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/SK1557[\s\S]*--yes/)]);
  }
  expect(await site.skein('clear', 'web', '--yes')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--data'),
  });
  expect(await site.skein('clear', '--data', 'wep', '--yes')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('did you mean `web`?'),
  });
  expect(existsSync(dataOf(site, 'web'))).toBe(true);
});

test.runIf(process.platform === 'linux' && existsSync('/usr/bin/script'))(
  'T-10 on a terminal a person is asked, and only a yes deletes',
  async () => {
    await using site = new Site();
    site.declare('shop', [noting('web')]);
    keep(site, 'web');
    for (const [answer, isKept] of [
      ['n', true],
      ['', true],
      ['y', false],
    ] as const) {
      const terminal = site.startOnTerminal('clear', '--data');
      expect(await terminal.output('[y/N]')).toContain('data of shop/web, 5 B');
      // A run that begins now is refused, and says why.
      const meanwhile = await site.skein('run', '--detach', '--wait');
      expect(meanwhile).toMatchObject({ status: 1, stderr: expect.stringContaining('SK1518') });
      terminal.type(`${answer}\n`);
      const { status, stdout } = await terminal.ended;
      expect([status, existsSync(dataOf(site, 'web'))], stdout).toEqual([isKept ? 1 : 0, isKept]);
    }
  },
);

test('T-10 data of a service that is declared no more goes when it is named, or with all', async () => {
  await using site = new Site();
  site.declare('shop', [noting('web')]);
  for (const name of ['web', 'gone', 'past']) keep(site, name);
  expect(await site.skein('clear', '--data', 'gone', '--yes')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('not declared any more'),
  });
  expect(['web', 'gone', 'past'].map((name) => existsSync(dataOf(site, name)))).toEqual([true, false, true]);
  expect(await site.json('clear', '--data', '--yes')).toMatchObject({
    data: [
      { service: 'shop/past', removed: true },
      { service: 'shop/web', removed: true },
    ],
  });
  expect(existsSync(dirname(dataOf(site, 'web')))).toBe(false);
});

test('T-10 no symbolic link is followed out of the data', async () => {
  await using site = new Site();
  site.declare('shop', [noting('web'), noting('linked')]);
  keep(site, 'web');
  mkdirSync(site.path('outside'));
  site.write('outside/precious', '');
  symlinkSync(site.path('outside'), join(dataOf(site, 'web'), 'inner'));
  symlinkSync(site.path('outside'), dataOf(site, 'linked'));
  const refused = await site.skein('clear', '--data', '--yes');
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/SK1417.*linked/) });
  expect(existsSync(dataOf(site, 'web'))).toBe(true);
  expect(await site.skein('clear', '--data', 'web', '--yes')).toMatchObject({ status: 0 });
  expect(existsSync(dataOf(site, 'web'))).toBe(false);
  expect(readdirSync(site.path('outside'))).toEqual(['precious']);
});

test('T-10 a deletion that was killed half-way is finished by the next', async () => {
  await using site = new Site();
  installKeeper(site);
  site.declare('shop', [{ name: 'store', agent: './keeper' }]);
  await run(site);
  expect((await site.skein('stop')).status).toBe(0);
  expect(existsSync(site.path('kept-store'))).toBe(true);

  site.write('hang', '');
  const killed = site.start('clear', '--data', '--yes');
  // The agent is in the middle of it.
  await vi.waitFor(() => expect(existsSync(site.path('kept-store'))).toBe(false), {
    timeout: 30_000,
    interval: 20,
  });
  killed.signal('SIGKILL');
  await killed.ended;
  expect(existsSync(join(dataOf(site, 'store'), 'note'))).toBe(true);
  await site.untilNothingRuns();

  rmSync(site.path('hang'));
  expect(await site.json('clear', '--data', '--yes')).toMatchObject({
    data: [{ service: 'shop/store', removed: true }],
  });
  expect(existsSync(dataOf(site, 'store'))).toBe(false);
});

test('T-10 Ctrl-C ends a deletion, and leaves no process', async () => {
  await using site = new Site();
  installKeeper(site);
  site.declare('shop', [{ name: 'store', agent: './keeper' }]);
  site.write('hang', '');
  site.write('kept-store', '');
  keep(site, 'store');
  const interrupted = site.start('clear', '--data', '--yes');
  await vi.waitFor(() => expect(existsSync(site.path('kept-store'))).toBe(false), {
    timeout: 30_000,
    interval: 20,
  });
  interrupted.signal('SIGINT');
  expect(await interrupted.ended).toMatchObject({ status: 130 });
  expect(existsSync(dataOf(site, 'store'))).toBe(true);
  site.expectNothingLeft();
});
