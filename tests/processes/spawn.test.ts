import { spawn as spawnChild } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GroupProcess, SpawnOptions } from '../../src/processes/index.ts';
import { killGroup, spawnGroup } from '../../src/processes/index.ts';
import { nodeSpawner } from '../../src/processes/spawning/node-spawner.ts';
import { loadPosixSpawner } from '../../src/processes/spawning/posix-spawner.ts';
import { checkedRequest } from '../../src/processes/spawning/request.ts';
import { outcome, path, pidsIn, printed, shell } from './fixtures.ts';

const posixSpawner = await loadPosixSpawner();
const spawners = [nodeSpawner, posixSpawner];
const root = process.getuid?.() === 0;

let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'skein-spawn-')));
  // A bundle in this folder finds koffi where the project does.
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(spawners)('the $name spawner', (spawner) => {
  const spawn = (options: SpawnOptions): Promise<GroupProcess> => spawner.spawn(checkedRequest(options));

  function file(name: string, content: string, mode = 0o755): string {
    const target = join(folder, `${spawner.name}-${name}`);
    writeFileSync(target, content);
    chmodSync(target, mode);
    return target;
  }

  test('runs a command and tells its output and its exit', async () => {
    const before = Date.now();
    const child = await spawn(shell('echo out; echo err >&2; exit 7'));
    expect(child.startedAt).toBeGreaterThanOrEqual(before);
    expect(child.stdin).toBeUndefined();
    expect(await outcome(child)).toEqual({
      stdout: 'out\n',
      stderr: 'err\n',
      exit: { kind: 'exited', code: 7 },
    });
    expect(child.exit).toEqual({ kind: 'exited', code: 7 });
  });

  test('passes arguments, directory and environment exactly', async () => {
    const script = 'printf "%s|" "$0" "$@"; pwd; env';
    const child = await spawn({
      command: ['/bin/sh', '-c', script, 'zero', '', 'a b', '$x', 'é\n'],
      cwd: folder,
      environment: { ONE: 'a=b', TWO: '', THREE: 'é "\'\n' },
    });
    const { stdout } = await outcome(child);
    expect(stdout).toContain(`zero||a b|$x|é\n|${folder}\n`);
    expect(stdout).toContain('ONE=a=b\n');
    expect(stdout).toContain('TWO=\n');
    expect(stdout).toContain('THREE=é "\'\n');
    expect(stdout).not.toMatch(/^(HOME|PATH|NODE_)/m);
  });

  test('keeps the name of a command found on the PATH given', async () => {
    mkdirSync(join(folder, `${spawner.name}-bin`));
    file('bin/tool', '#!/bin/sh\necho "$0 $*"\n');
    const environment = { PATH: `${spawner.name}-bin` };
    const found = await outcome(await spawn({ command: ['tool', 'x'], cwd: folder, environment }));
    expect(found.stdout).toBe(`${join(folder, `${spawner.name}-bin`, 'tool')} x\n`);
    const named = await spawn({
      command: ['sh', '-c', 'tr "\\0" " " < /proc/$$/cmdline; :'],
      cwd: '/',
      environment: { PATH: path },
    });
    if (process.platform === 'linux') expect((await outcome(named)).stdout).toMatch(/^sh -c /);
  });

  test('gives the shell a script without an interpreter line', async () => {
    const script = file('bare', 'echo bare $1\n');
    expect(
      await outcome(await spawn({ command: [script, 'x'], cwd: '/', environment: { PATH: path } })),
    ).toEqual({
      ...{ stdout: 'bare x\n', stderr: '', exit: { kind: 'exited', code: 0 } },
    });
  });

  test('makes the child the leader of a session and a group of its own', async () => {
    const child = await spawn(shell('ps -o pid=,pgid=,stat= -p $$'));
    const [pid, group, state] = (await outcome(child)).stdout.trim().split(/\s+/);
    expect([pid, group]).toEqual([String(child.pid), String(child.pid)]);
    // ps marks the leader of a session with an s.
    expect(state).toContain('s');
  });

  test('tells the signal that ended a process', async () => {
    expect((await outcome(await spawn(shell('kill -TERM $$')))).exit).toEqual({
      kind: 'signalled',
      signal: 'SIGTERM',
    });
    expect((await outcome(await spawn(shell('kill -KILL $$')))).exit).toEqual({
      kind: 'signalled',
      signal: 'SIGKILL',
    });
    expect((await outcome(await spawn(shell('ulimit -c 0; kill -ABRT $$')))).exit).toEqual({
      kind: 'signalled',
      signal: 'SIGABRT',
    });
  });

  test('gives a child default dispositions and no blocked signal', async () => {
    const statuses =
      'while read name value; do case $name in SigIgn:|SigBlk:) echo $name $value;; esac; done < /proc/$$/status';
    // Node ignores SIGPIPE, and a child that inherited that would not end when its reader does.
    const { stdout } = await outcome(await spawn(shell('yes | head -n 1; true')));
    expect(stdout).toBe('y\n');
    if (process.platform !== 'linux') return;
    const masks = (await outcome(await spawn(shell(statuses)))).stdout;
    expect(masks).toBe('SigBlk: 0000000000000000\nSigIgn: 0000000000000000\n');
  });

  test('ends the standard input at once unless a pipe is asked for', async () => {
    expect((await outcome(await spawn(shell('cat; echo end')))).stdout).toBe('end\n');
  });

  test('writes to the standard input, whose end the child sees', async () => {
    const child = await spawn(shell('cat; echo end', { stdin: 'pipe' }));
    child.stdin?.write('one\n');
    child.stdin?.end('two\n');
    expect((await outcome(child)).stdout).toBe('one\ntwo\nend\n');
  });

  test('A-9 keeps the standard input open as long as it is not ended', async () => {
    const child = await spawn(shell('echo up; cat; echo host gone', { stdin: 'pipe' }));
    const whole = text(child.stdout);
    await printed(child.stdout, 'up');
    expect(child.exit).toBeUndefined();
    child.stdin?.end();
    expect(await whole).toBe('up\nhost gone\n');
    await child.exited;
  });

  test('delivers all output before its end, though the process has long exited', async () => {
    const size = 40_000;
    const child = await spawn(shell(`head -c ${size} /dev/zero`));
    // Fits into the pipe: the process is gone before anybody reads.
    await child.exited;
    expect((await text(child.stdout)).length).toBe(size);
    expect(await text(child.stderr)).toBe('');
  });

  test('delivers more output than a pipe holds', async () => {
    const child = await spawn(shell('head -c 5000000 /dev/zero; head -c 300000 /dev/zero >&2'));
    const { stdout, stderr } = await outcome(child);
    expect([stdout.length, stderr.length]).toEqual([5_000_000, 300_000]);
  });

  test('tells the exit though a grandchild holds the output open', async () => {
    const child = await spawn(shell('sleep 600 & echo $!; exit 3'));
    const [grandchild] = pidsIn(await printed(child.stdout, '\n'));
    expect(await child.exited).toEqual({ kind: 'exited', code: 3 });
    expect(() => process.kill(grandchild ?? 0, 0)).not.toThrow();
    const ended = text(child.stderr);
    await killGroup(child);
    expect(await ended).toBe('');
  });

  test('misses no exit among many at once, beside children of Node', async () => {
    const ours = Array.from({ length: 40 }, async (_, index) => outcome(await spawn(shell(`exit ${index}`))));
    const others = Array.from({ length: 20 }, (_, index) => nodeExit(index));
    expect((await Promise.all(ours)).map(({ exit }) => exit)).toEqual(
      Array.from({ length: 40 }, (_, code) => ({ kind: 'exited', code })),
    );
    expect(await Promise.all(others)).toEqual(Array.from({ length: 20 }, (_, code) => code));
  });

  test.runIf(process.platform === 'linux')('passes on no descriptor but 0, 1 and 2', async () => {
    const opened = openSync('/dev/null', 'r');
    const [one, two] = await Promise.all([
      spawn(shell('cat', { stdin: 'pipe' })),
      spawn(shell('cat', { stdin: 'pipe' })),
    ]);
    const child = await spawn({ command: ['ls', '/proc/self/fd'], cwd: '/', environment: { PATH: path } });
    // 3 is the folder that ls lists. What this process inherited from its own parent is beyond Node's spawn.
    const beyond = spawner.name === 'node' ? inheritable() : [];
    const passedOn = (await outcome(child)).stdout
      .trim()
      .split('\n')
      .filter((entry) => !beyond.includes(entry));
    expect(passedOn).toEqual(['0', '1', '2', '3']);
    closeSync(opened);
    await Promise.all([killGroup(one), killGroup(two)]);
  });

  test('refuses a program whose interpreter is missing, and leaks no descriptor', async () => {
    const script = file('orphan', '#!/nonexistent/interpreter\n');
    const options = { command: [script], cwd: '/', environment: {}, stdin: 'pipe' } as const;
    const open = openDescriptors();
    for (let round = 0; round < 10; round++)
      await expect(spawn(options)).rejects.toMatchObject({
        ...{
          code: 'SK1602',
          message: `${script} cannot be executed: its interpreter does not exist (ENOENT)`,
        },
      });
    // Node closes its handles in the loop's next phase.
    await setImmediate();
    // Fewer where an earlier test's were still being closed.
    expect(openDescriptors()).toBeLessThanOrEqual(open);
  });

  test.runIf(process.platform === 'linux')('refuses a program that is being written', async () => {
    const busy = file('busy', '#!/bin/sh\n');
    const writer = openSync(busy, 'r+');
    await expect(spawn({ command: [busy], cwd: '/', environment: {} })).rejects.toMatchObject({
      code: 'SK1605',
    });
    closeSync(writer);
  });

  test('refuses arguments that are too large', async () => {
    const options = { command: ['/bin/echo', 'x'.repeat(8_000_000)], cwd: '/', environment: {} } as const;
    await expect(spawn(options)).rejects.toMatchObject({
      code: 'SK1606',
      message: expect.stringContaining('E2BIG'),
    });
  });
});

describe('a group', () => {
  test.each([
    ['SK1601', { command: ['no-such-program'] as const }],
    ['SK1603', { cwd: '/no/such/folder' }],
  ])('that cannot be started is refused with %s', async (code, wrong) => {
    await expect(spawnGroup({ ...shell('true'), ...wrong })).rejects.toMatchObject({ code });
  });

  test.runIf(root)('can be started as another user and group', async () => {
    const { stdout } = await outcome(await spawnGroup(shell('id -u; id -g', { uid: 65534, gid: 65534 })));
    expect(stdout).toBe('65534\n65534\n');
  });

  test('may not be started as another user without the right to', async () => {
    // Root has the right, so that a process of its own gives it up first.
    const host = await hosted(
      'unprivileged',
      `await (await spawnGroup(shell)).exited;
      if (process.getuid() === 0) process.setuid(65534);
      await spawnGroup({ ...shell, uid: 0 }).catch(({ code }) => console.log(code));`,
      'true',
    );
    expect(await text(host.stdout)).toBe('SK1607\n');
  });

  test.each(['node', 'posix'])(
    'keeps the process that started it alive until its exit is known (%s)',
    async (spawner) => {
      const host = await hosted(
        `alive-${spawner}`,
        `const child = await spawnGroup(shell);
        child.stdout.resume();
        child.stderr.resume();
        child.exited.then((exit) => console.log(JSON.stringify(exit)));`,
        'exec >&- 2>&-; sleep 0.2; exit 5',
        spawner,
      );
      expect(await text(host.stdout)).toContain('{"kind":"exited","code":5}');
    },
  );

  /** A process that runs `program`, in which `spawnGroup` is there, and `shell`, the options of a shell with this script. */
  async function hosted(name: string, program: string, script: string, spawner = 'posix') {
    const contents = `
      import { spawnGroup } from '${fileURLToPath(new URL('../../src/processes/index.ts', import.meta.url))}';
      const shell = ${JSON.stringify({ command: ['sh', '-c', script], cwd: '/', environment: { PATH: path } })};
      ${program}`;
    const outfile = join(folder, `${name}.mjs`);
    await build({
      stdin: { contents, resolveDir: folder },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      external: ['koffi'],
    });
    return spawnChild(process.execPath, [outfile], {
      env: { ...process.env, SKEIN_SPAWNER: spawner },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }
});

function openDescriptors(): number {
  return readdirSync('/dev/fd').length;
}

/** The descriptors of this process that are not close-on-exec. */
function inheritable(): string[] {
  return readdirSync('/proc/self/fdinfo').filter((entry) => {
    try {
      const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${entry}`, 'utf8'))?.[1] ?? '0';
      return Number(entry) > 2 && (Number.parseInt(flags, 8) & 0o2000000) === 0;
    } catch {
      // The listing's own descriptor, closed by now.
      return false;
    }
  });
}

function nodeExit(code: number): Promise<number | null> {
  return new Promise((resolve) => spawnChild('/bin/sh', ['-c', `exit ${code}`]).on('exit', resolve));
}
