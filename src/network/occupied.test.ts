import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { faultsOf, SkeinError } from '../errors/index.ts';
import type { PortHolder } from '../processes/index.ts';
import type { Api, Endpoint, EndpointId, Port, Service, ServiceId } from '../workspace/index.ts';
import { occupiedPorts, refuseOccupiedPorts } from './occupied.ts';
import { bind } from './sockets.ts';
import { TemporaryPorts } from './temporary-ports.ts';

const endpoint = (name: string, api: Api = 'http'): Endpoint => ({
  id: `shop/api/${name}` as EndpointId,
  name,
  api,
  visibility: 'private',
  secured: false,
  grpcServices: [],
  place: { file: '/shop/workspace.skein.yaml', line: 1, column: 1 },
});
const service = (...endpoints: Endpoint[]): Pick<Service, 'id' | 'endpoints'> => ({
  id: 'shop/api' as ServiceId,
  endpoints,
});
const http = endpoint('http');
const portsOf = (...ports: number[]): Map<EndpointId, Port> => new Map([[http.id, (ports[0] ?? 0) as Port]]);

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});
function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'skein-occupied-')));
  folders.push(made);
  return made;
}

/** A port that something listens on for the rest of the test. */
async function listening(host: string): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  server.listen({ host, port: 0 });
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return address.port;
}

const heldBy = (holder: PortHolder | undefined) => ({ holderOf: () => Promise.resolve(holder) });

async function refusal(work: Promise<unknown>): Promise<SkeinError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SkeinError)) throw new Error('not refused', { cause: error });
  return error;
}

describe('N-3 a port that somebody holds', () => {
  const hasIpv6 = async (): Promise<boolean> => {
    const socket = await bind('ipv6', 'tcp', 0);
    if (typeof socket === 'object') await socket.close();
    return typeof socket === 'object';
  };

  test.for(['127.0.0.1', '::1', '0.0.0.0'])(
    'is refused when it answers on %s, naming the holder',
    async (host, { skip }) => {
      skip(host === '::1' && !(await hasIpv6()), 'this machine has no ::1');
      const port = await listening(host);
      const error = await refusal(refuseOccupiedPorts(service(http), portsOf(port)));
      expect(error.code).toBe('SK1210');
      expect(error.message).toContain(
        `TCP port ${port} of shop/api/http is taken by process ${process.pid} (`,
      );
      expect(error.message).toContain(`, in ${process.cwd()}`);
      expect(error.remedy).toBe(
        `End process ${process.pid}, choose another port with \`--port shop/api/http=N\`, or run with \`--temporary-ports\`.`,
      );
      expect(error.place).toEqual({ file: '/shop/workspace.skein.yaml', line: 1, column: 1 });
    },
  );

  test('names the skein workspace that the holder works in, and how to stop that', async () => {
    const root = folder();
    writeFileSync(join(root, 'workspace.skein.yaml'), 'name: other\n');
    const port = await listening('127.0.0.1');
    const holder: PortHolder = {
      kind: 'process',
      pid: 4242,
      command: 'node server.js',
      workingDirectory: root,
    };
    const error = await refusal(refuseOccupiedPorts(service(http), portsOf(port), heldBy(holder)));
    expect(error.message).toBe(
      `TCP port ${port} of shop/api/http is taken by process 4242 (node server.js), in ${root}, of the skein workspace ${root}`,
    );
    expect(error.remedy).toBe(
      `Stop that workspace's run with \`skein stop --cwd ${root}\`, or end process 4242, choose another port with ` +
        '`--port shop/api/http=N`, or run with `--temporary-ports`.',
    );
  });

  test.each<[string, PortHolder | undefined, string]>([
    ['of another user', { kind: 'hidden' }, 'by a process that this user may not see into'],
    [
      'that cannot be found',
      undefined,
      'something answered there, and no process of this machine is seen to listen',
    ],
    [
      'in a folder that is gone',
      { kind: 'process', pid: 1, command: 'x', workingDirectory: '/nowhere/at-all' },
      'process 1 (x), in /nowhere/at-all',
    ],
    [
      'in no known folder',
      { kind: 'process', pid: 1, command: 'x', workingDirectory: undefined },
      'is taken by process 1 (x)',
    ],
  ])('is refused for a holder %s', async (_, holder, reason) => {
    const port = await listening('127.0.0.1');
    expect(
      (await refusal(refuseOccupiedPorts(service(http), portsOf(port), heldBy(holder)))).message,
    ).toContain(reason);
  });

  test('is refused though its holder cannot be found out, with the cause', async () => {
    const port = await listening('127.0.0.1');
    const cause = new Error('the table is not readable');
    const error = await refusal(
      refuseOccupiedPorts(service(http), portsOf(port), { holderOf: () => Promise.reject(cause) }),
    );
    expect([error.code, error.cause]).toEqual(['SK1210', cause]);
  });

  test('of UDP is refused too', async () => {
    const dns = endpoint('dns', 'udp');
    const socket = createSocket('udp4').bind({ address: '127.0.0.1', port: 0 });
    await once(socket, 'listening');
    onTestFinished(() => void socket.close());
    const ports = new Map([[dns.id, socket.address().port as Port]]);
    const error = await refusal(refuseOccupiedPorts(service(dns), ports));
    expect(error.message).toBe(
      `UDP port ${socket.address().port} of shop/api/dns is taken by another process`,
    );
  });
});

test('N-3 free ports of both transports pass, and stay free', async () => {
  const dns = endpoint('dns', 'udp');
  const reserved = new TemporaryPorts();
  const ports = new Map([
    [http.id, await reserved.reserve(http.id, 'tcp')],
    [dns.id, await reserved.reserve(dns.id, 'udp')],
  ]);
  await reserved[Symbol.asyncDispose]();
  await refuseOccupiedPorts(service(http, dns), ports);
  await refuseOccupiedPorts(service(http, dns), ports);
});

test('N-3 all busy ports of a run are reported at once, each once, in the order of the services', async () => {
  const busy = [endpoint('one'), endpoint('two'), endpoint('three')];
  const ports = new Map<EndpointId, Port>();
  for (const each of busy) ports.set(each.id, (await listening('127.0.0.1')) as Port);
  const services = busy.map((each) => service(each, endpoint(`${each.name}-unassigned`)));
  const faults = await occupiedPorts(services, ports, heldBy(undefined));
  expect(faults.map((fault) => fault.message)).toEqual(busy.map((each) => expect.stringContaining(each.id)));
  const together = await refusal(refuseOccupiedPorts(service(...busy), ports, heldBy(undefined)));
  expect(faultsOf(together)).toHaveLength(3);
});

test('an aborted check ends with the reason of the abort', async () => {
  const reason = new Error('interrupted');
  await expect(
    refuseOccupiedPorts(service(http), portsOf(9), { signal: AbortSignal.abort(reason) }),
  ).rejects.toBe(reason);
});
