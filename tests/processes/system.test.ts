import { realpathSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import {
  bootIdentity,
  holderOf,
  isSameProcess,
  killGroup,
  listeners,
  processIdentity,
  spawnGroup,
  startIdentity,
} from '../../src/processes/index.ts';
import { printed, shell } from './fixtures.ts';

async function withServer(host: string, use: (port: number, server: Server) => Promise<void>): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  try {
    await use(typeof address === 'object' && address !== null ? address.port : 0, server);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('T-7 the identity of a process', () => {
  test('stays the same while it lives and is gone with it', async () => {
    const group = await spawnGroup(shell('echo up; exec sleep 600'));
    await printed(group.stdout, 'up');
    const identity = await processIdentity(group.pid);
    expect(identity).toEqual({
      pid: group.pid,
      start: expect.stringMatching(/./),
      boot: await bootIdentity(),
    });
    expect(identity && isSameProcess(identity, await processIdentity(group.pid))).toBe(true);
    await killGroup(group);
    expect(await processIdentity(group.pid)).toBeUndefined();
    expect(await startIdentity(group.pid)).toBeUndefined();
  });

  test('tells two processes apart', async () => {
    expect((await processIdentity(process.pid))?.start).not.toBe(
      (await processIdentity(process.ppid))?.start,
    );
  });
});

describe("the kernel's table of listeners", () => {
  test.each([
    ['127.0.0.1', 'ipv4'],
    ['0.0.0.0', 'ipv4'],
    ['::1', 'ipv6'],
  ])('shows who listens on %s, and no longer once closed', async (host, family) => {
    let closed = 0;
    await withServer(host, async (port) => {
      closed = port;
      expect(await listeners()).toContainEqual(expect.objectContaining({ family, address: host, port }));
    });
    expect((await listeners()).map(({ port }) => port)).not.toContain(closed);
  });

  test('N-3 names the holder of a port: pid, command, working directory', async () => {
    const script =
      "const s = require('node:net').createServer().listen(0, '127.0.0.1', () => console.log(s.address().port + ' up'))";
    const cwd = realpathSync(tmpdir());
    const group = await spawnGroup({ command: [process.execPath, '-e', script], cwd, environment: {} });
    try {
      const port = Number.parseInt(await printed(group.stdout, 'up'), 10);
      expect(await holderOf(port)).toEqual({
        ...{ kind: 'process', pid: group.pid, workingDirectory: cwd },
        command: expect.stringContaining('createServer()'),
      });
    } finally {
      await killGroup(group);
    }
  });

  test('has no holder for a port that nobody listens on', async () => {
    let free = 0;
    await withServer('127.0.0.1', async (port) => {
      free = port;
    });
    expect(await holderOf(free)).toBeUndefined();
  });
});
