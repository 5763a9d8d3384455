import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentReference } from '../../workspace/index.ts';
import { lockAgent, readAgentLock, verifyLocked, writeAgentLock } from './lock.ts';
import { type ResolveContext, resolveAgent } from './resolve.ts';

const place = { file: '/w/workspace.skein.yaml', line: 3, column: 5 };
let root: string;
let context: ResolveContext;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'resolve-')));
  context = {
    workspaceRoot: join(root, 'w'),
    agentPaths: [join(root, 'agents')],
    builtIns: new Map([
      ['skein/process', { command: ['node', 'process'] }],
      ['skein/redis', { command: ['node', 'redis'] }],
    ]),
    path: `:relative:${join(root, 'bin')}`,
  };
  mkdirSync(context.workspaceRoot);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function program(path: string, text = '#!/bin/sh\n', mode = 0o755): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

function npmPackage(name: string, manifest: object, base = 'w'): string {
  const folder = join(base, 'node_modules', name);
  program(join(folder, 'package.json'), JSON.stringify(manifest), 0o644);
  return join(root, folder);
}

function named(text: string): AgentReference {
  const [identity = '', version] = text.split(':');
  const [publisher = '', name = ''] = identity.split('/');
  return { kind: 'name', publisher, name, ...(version !== undefined && { version }), place };
}

const byPath = (path: string): AgentReference => ({
  kind: 'path',
  path: join(root, path),
  written: path,
  place,
});
const resolve = (text: string) => resolveAgent(named(text), context);

describe('A-13 the order', () => {
  test('is --agent-path, built-in, packages of the workspace, PATH', () => {
    const onPath = program('bin/skein-agent-redis');
    expect(resolve('acme/redis').found).toEqual({ kind: 'executable', file: onPath });
    const scoped = npmPackage('@acme/skein-agent-redis', { version: '2.1.0', bin: 'a.js' }, '.');
    program('node_modules/@acme/skein-agent-redis/a.js', '', 0o644);
    expect(resolve('acme/redis').found).toEqual({
      kind: 'package',
      name: '@acme/skein-agent-redis',
      version: '2.1.0',
      folder: scoped,
    });
    const plain = npmPackage('skein-agent-redis', {
      version: '2.2.0',
      bin: { 'skein-agent-redis': 'b', other: 'c' },
    });
    program('w/node_modules/skein-agent-redis/b');
    expect(resolve('acme/redis')).toMatchObject({
      identity: 'acme/redis',
      command: [join(plain, 'b')],
      found: { name: 'skein-agent-redis' },
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    expect(resolve('skein/redis')).toEqual({
      identity: 'skein/redis',
      command: ['node', 'redis'],
      found: { kind: 'built-in' },
      place,
    });
    const given = program('agents/skein-agent-redis');
    expect(resolve('skein/redis')).toMatchObject({
      command: [given],
      found: { kind: 'agent-path', folder: join(root, 'agents') },
    });
  });

  test('holds no relative folder of PATH, and no file without the permission', () => {
    program('bin/skein-agent-x', '', 0o644);
    expect(() => resolve('acme/x')).toThrow(expect.objectContaining({ code: 'SK1301' }));
  });
});

describe('A-13 a path', () => {
  test('is a program or a package in the workspace, without a digest', () => {
    const file = program('w/agents/x');
    expect(resolveAgent(byPath('w/agents/x'), context)).toEqual({
      identity: './agents/x',
      command: [file],
      found: { kind: 'path', path: file },
      place,
    });
    program('w/agents/y/package.json', '{"bin":{"y":"main.mjs"}}', 0o644);
    const main = program('w/agents/y/main.mjs', '', 0o644);
    expect(resolveAgent(byPath('w/agents/y'), context).command).toEqual([process.execPath, main]);
  });

  test.each([
    ['missing', 'SK1301', () => undefined],
    ['not-executable', 'SK1302', () => program('w/not-executable', '', 0o644)],
    ['no-manifest', 'SK1305', () => mkdirSync(join(root, 'w/no-manifest'))],
    ['no-bin', 'SK1305', () => program('w/no-bin/package.json', '{}', 0o644)],
    ['two-bins', 'SK1305', () => program('w/two-bins/package.json', '{"bin":{"a":"a","b":"b"}}', 0o644)],
    ['no-file', 'SK1305', () => program('w/no-file/package.json', '{"bin":"a.js"}', 0o644)],
  ])('%s: %s, at its reference', (name, code, prepare) => {
    prepare();
    expect(() => resolveAgent(byPath(`w/${name}`), context)).toThrow(
      expect.objectContaining({ code, place }),
    );
  });
});

test('A-13 an unknown agent: everything that was looked in is named, and the nearest built-in', () => {
  expect(() => resolve('skein/proces')).toThrow(
    `there is no agent \`skein/proces\` (did you mean \`skein/process\`?); looked in --agent-path ${join(root, 'agents')}; built-in agents (skein/process, skein/redis); packages skein-agent-proces and @skein/skein-agent-proces in node_modules of ${context.workspaceRoot} and above; skein-agent-proces on PATH`,
  );
  expect(() => resolve('acme-corporation/redis')).toThrow(/did you mean `skein\/redis`/);
});

test('A-13 a package outside the range is refused with both', () => {
  npmPackage('skein-agent-x', { version: '1.2.0', bin: 'a.js' });
  program('w/node_modules/skein-agent-x/a.js');
  expect(resolve('acme/x:^1.1').range).toBe('^1.1');
  expect(() => resolve('acme/x:2')).toThrow(
    /the package skein-agent-x is 1\.2\.0, but `acme\/x:2` is asked for/,
  );
});

describe('A-13 skein.lock', () => {
  test('refuses a changed program under a locked version, accepts it under another, and survives a round trip', async () => {
    const file = join(root, 'skein.lock');
    expect((await readAgentLock(file)).size).toBe(0);
    program('bin/skein-agent-x', 'one');
    const before = resolve('acme/x');
    const lock = lockAgent(new Map(), before, '1.0.0');
    await writeAgentLock(file, lock);
    const read = await readAgentLock(file);
    expect(read).toEqual(lock);
    expect(() => verifyLocked(read, before, '1.0.0')).not.toThrow();
    expect(lockAgent(read, before, '1.0.0')).toBe(read);
    program('bin/skein-agent-x', 'two');
    const after = resolve('acme/x');
    expect(() => verifyLocked(read, after, '1.0.0')).toThrow(
      expect.objectContaining({ code: 'SK1304', place }),
    );
    expect(() => verifyLocked(read, after, '1.0.1')).not.toThrow();
    expect(lockAgent(read, after, '1.0.1').get('acme/x')?.version).toBe('1.0.1');
  });

  test('holds the digest of every file of a package but its dependencies', () => {
    npmPackage('skein-agent-x', { version: '1.0.0', bin: 'a.js' });
    program('w/node_modules/skein-agent-x/a.js');
    program('w/node_modules/skein-agent-x/lib/b.js', 'one');
    const before = resolve('acme/x').digest;
    program('w/node_modules/skein-agent-x/node_modules/c/c.js');
    expect(resolve('acme/x').digest).toBe(before);
    program('w/node_modules/skein-agent-x/lib/b.js', 'two');
    expect(resolve('acme/x').digest).not.toBe(before);
  });

  test('records path and built-in agents without a digest', () => {
    const lock = lockAgent(new Map(), resolve('skein/process'), '0.1.0');
    expect([...lock]).toEqual([['skein/process', { found: 'built-in', version: '0.1.0' }]]);
  });

  test.each(['', '{}', '{"lock":2,"agents":{}}', '{"lock":1,"agents":{"a":{"found":"moon","version":"1"}}}'])(
    'that cannot be read is an error: %s',
    async (text) => {
      const file = program('bad.lock', text, 0o644);
      await expect(readAgentLock(file)).rejects.toMatchObject({ code: 'SK1303', place: { file } });
    },
  );
});
