/** Records of process groups that nobody wrote in earnest: each is kept and named, and keeps no other from its end (T-8). */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { processIdentity, registryFolder } from '../../src/processes/index.ts';
import { shellJob } from '../support/declared-services.ts';
import { Site } from '../support/site.ts';

/** What each of these puts at the path of a record. */
const records: readonly (readonly [string, (path: string, site: Site, whole: string) => void])[] = [
  ['a fifo, which nobody writes', (path) => void execFileSync('mkfifo', [path])],
  ['a link to a device without end', (path) => symlinkSync('/dev/zero', path)],
  ['a link into a loop', (path) => symlinkSync(path, path)],
  ['a folder', (path) => mkdirSync(path)],
  [
    'of three gigabytes',
    (path) => {
      writeFileSync(path, '', { mode: 0o600 });
      truncateSync(path, 3 * 1024 ** 3);
    },
  ],
  [
    'a link to the record of another folder',
    (path, site, whole) => {
      site.write('elsewhere', whole);
      chmodSync(site.path('elsewhere'), 0o600);
      symlinkSync(site.path('elsewhere'), path);
    },
  ],
  [
    'that others can write',
    (path, _, whole) => {
      writeFileSync(path, whole);
      chmodSync(path, 0o666);
    },
  ],
  ['half-written', (path, _, whole) => writeFileSync(path, whole.slice(0, -9), { mode: 0o600 })],
  [
    'of a workspace at no path',
    (path, _, whole) =>
      writeFileSync(path, whole.replace(/"workspaceRoot":"[^"]*"/, '"workspaceRoot":"\\u0000"'), {
        mode: 0o600,
      }),
  ],
  [
    'of a workspace that is not absolute',
    (path, _, whole) =>
      writeFileSync(path, whole.replace(/"workspaceRoot":"[^"]*"/, '"workspaceRoot":"."'), { mode: 0o600 }),
  ],
];

/** A whole record that proves this process, of its workspace. */
async function wholeRecord(site: Site, secret: string): Promise<string> {
  const own = await processIdentity(process.pid);
  const reservation = {
    ...{ version: 1, secret, workspaceRoot: site.root, commandLine: 'node', stopSignal: 'SIGUSR2' },
    purpose: { kind: 'service', workspace: 'w', run: 'r', service: 'w/a' },
    ...{ reservedAt: 1, registrar: { ...own, start: '1' }, parent: null, machine: '' },
  };
  return `${JSON.stringify(reservation)}\n${JSON.stringify(own)}\n`;
}

test('T-8 records that are none are kept and named by `stop --all` and `clear`, and nobody is signalled', async () => {
  await using site = new Site();
  site.declare('w', [{ name: 'a', agent: 'process', spec: { command: ['true'] } }]);
  const folder = registryFolder(site.environment);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = records.map((_, index) => index.toString(16).repeat(32));
  for (const [index, name] of names.entries())
    records[index]?.[1](join(folder, name), site, await wholeRecord(site, name));
  let signals = 0;
  const count = (): void => void signals++;
  process.on('SIGUSR2', count);
  try {
    const stopped = await site.skein('stop', '--all');
    expect(stopped.status).toBe(1);
    const cleared = await site.skein('clear');
    expect(cleared.status).toBe(0);
    for (const [index, name] of names.entries()) {
      const [what] = records[index] ?? [];
      const line = new RegExp(`SK1616: .*${name}.* damaged`);
      expect([what, stopped.stderr.match(line)?.length, cleared.stderr.match(line)?.length]).toEqual([
        what,
        1,
        1,
      ]);
    }
    expect(site.records().toSorted()).toEqual(names.toSorted());
    expect(signals).toBe(0);
  } finally {
    process.off('SIGUSR2', count);
  }
});

test('what a record says steers no terminal', async () => {
  await using site = new Site();
  site.declare('w', [shellJob('a', 'true')]);
  const folder = registryFolder(site.environment);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const secret = 'd'.repeat(32);
  const whole = await wholeRecord(site, secret);
  const foreign = whole.replace('w/a', '\\u001b[2Jw/a').replace(/"boot":"[^"]*"}\n$/, '"boot":"another"}\n');
  writeFileSync(join(folder, secret), foreign, { mode: 0o600 });
  for (const words of [['run'], ['stop'], ['recover', 'process-group', `${process.pid}`, '--preview']]) {
    const { stdout, stderr } = await site.skein(...words);
    expect(stdout + stderr).toContain('w/a');
    expect(stdout + stderr).not.toContain('\u001b');
  }
});
