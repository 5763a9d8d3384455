import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { describe, expect, test } from 'vitest';
import { openSocketDiagnosis, readAnswer } from './sock-diag.ts';
import { type ListeningSocket, parseTcpTable } from './tcp-table.ts';

function listen(host: string): Promise<{ server: Server; port: number }> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      resolve({ server, port: address !== null && typeof address === 'object' ? address.port : 0 });
    });
  });
}

describe.skipIf(process.platform !== 'linux')('sock_diag', () => {
  test('R-6 shows what /proc shows of a listener, and nothing of it once it is closed', async () => {
    const diagnosis = await openSocketDiagnosis();
    if (diagnosis === undefined) throw new Error('this kernel has no sock_diag');
    const { server, port } = await listen('127.0.0.1');
    const ours = (sockets: readonly ListeningSocket[]): unknown =>
      sockets.filter((socket) => socket.port === port);
    const table = ours(parseTcpTable(readFileSync('/proc/net/tcp', 'utf8')));
    expect(table).toHaveLength(1);
    expect(ours(diagnosis())).toEqual(table);
    await new Promise((resolve) => server.close(resolve));
    expect(ours(diagnosis())).toEqual([]);
  });

  test('hundreds of listeners come in several datagrams, each once', async () => {
    const diagnosis = await openSocketDiagnosis();
    const servers = await Promise.all(Array.from({ length: 300 }, () => listen('127.0.0.1')));
    const seen = (diagnosis?.() ?? []).map(({ port }) => port);
    for (const { port } of servers) expect(seen.filter((one) => one === port)).toEqual([port]);
    await Promise.all(servers.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  });
});

test('a refusal of the kernel is an error and not an empty table', () => {
  const refusal = Buffer.alloc(20);
  refusal.writeUInt32LE(20, 0);
  refusal.writeUInt16LE(2, 4);
  expect(() => readAnswer(refusal, [])).toThrow('sock_diag refused');
});
