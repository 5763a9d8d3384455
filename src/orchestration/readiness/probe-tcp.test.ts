import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { tcpConnect } from './probe-tcp.ts';

const unlimited = { signal: new AbortController().signal, timeoutMs: 10_000 };

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}

describe('tcpConnect', () => {
  test('R-1 an endpoint that accepts a connection holds, and the connection is closed again without a byte', async () => {
    const server = createServer();
    const port = await listen(server);
    const connected = once(server, 'connection');
    expect(await tcpConnect('127.0.0.1', port, unlimited)).toEqual({ ok: true });
    const [socket] = (await connected) as [Socket];
    const received: unknown[] = [];
    socket.on('data', (data) => received.push(data)).resume();
    await once(socket, 'close');
    expect(received).toEqual([]);
    server.close();
    await once(server, 'close');
  });

  test('R-6 a refused connection says so, also by name', async () => {
    const port = await freePort();
    expect(await tcpConnect('127.0.0.1', port, unlimited)).toEqual({
      ok: false,
      error: 'connection refused',
    });
    expect(await tcpConnect('localhost', port, unlimited)).toEqual({
      ok: false,
      error: 'connection refused',
    });
  });

  test('an unknown host name is told', async () => {
    const result = await tcpConnect('no-such-host.invalid', 1, unlimited);
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining('host name') });
  });

  test('an aborted attempt ends at once, and leaves no socket', async () => {
    const controller = new AbortController();
    const attempt = tcpConnect('127.0.0.1', await freePort(), { ...unlimited, signal: controller.signal });
    controller.abort();
    expect(await attempt).toEqual({ ok: false, error: 'cancelled' });
    expect(await tcpConnect('127.0.0.1', 1, { ...unlimited, signal: controller.signal })).toEqual({
      ok: false,
      error: 'cancelled',
    });
    expect(process.getActiveResourcesInfo()).not.toContain('TCPConnectWrap');
  });
});
