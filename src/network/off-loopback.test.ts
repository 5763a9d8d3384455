import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect, test } from 'vitest';
import type { FilePlace } from '../errors/index.ts';
import type { AgentReference, ServiceId } from '../workspace/index.ts';
import { isLoopback } from './host.ts';
import { answeringAddresses, machineAddresses, reachableOffLoopback } from './off-loopback.ts';

const unlimited = new AbortController().signal;
const place: FilePlace = { file: '/shop/workspace.skein.yaml', line: 1, column: 1 };
const api = 'shop/api' as ServiceId;

async function listening(host: string): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((connection) => connection.destroy());
  await once(server.listen(0, host), 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

test('N-10 addresses of the machine are those that are not loopback', () => {
  expect(machineAddresses().filter((address) => isLoopback(address))).toEqual([]);
});

// All of 127.0.0.0/8 is the machine's own on Linux, which makes 127.0.0.1 a stand-in for an address of a network.
test('N-10 the addresses at which something accepts, of those that are asked', async () => {
  const { server, port } = await listening('127.0.0.1');
  await using _ = server;
  expect(await answeringAddresses(port, ['127.0.0.1', '::1'], unlimited)).toEqual(['127.0.0.1']);
  expect(await answeringAddresses(port, [], unlimited)).toEqual([]);
});

test('N-10 who listens on every address is reachable at each that the machine has', async () => {
  const { server, port } = await listening('0.0.0.0');
  await using _ = server;
  const addresses = machineAddresses().filter((address) => !address.includes(':'));
  expect(await answeringAddresses(port, [...addresses, '127.0.0.1'], unlimited)).toEqual([
    ...addresses,
    '127.0.0.1',
  ]);
});

test('N-10 an address that cannot be asked, and a run that ends, are no answer', async () => {
  const { server, port } = await listening('127.0.0.1');
  await using _ = server;
  expect(await answeringAddresses(port, ['no address'], unlimited)).toEqual([]);
  expect(await answeringAddresses(port, ['127.0.0.1'], AbortSignal.abort())).toEqual([]);
  const abort = new AbortController();
  // TEST-NET-3: nobody is there.
  const asking = answeringAddresses(port, ['203.0.113.1'], abort.signal);
  abort.abort();
  expect(await asking).toEqual([]);
});

test.each<[AgentReference, string, string]>([
  [
    { kind: 'name', publisher: 'skein', name: 'process', place },
    '192.168.1.5',
    'skein/process) is reachable at 192.168.1.5:14180',
  ],
  [
    { kind: 'path', path: '/shop/agents/x', written: './agents/x', place },
    'fe80::1%eth0',
    './agents/x) is reachable at [fe80::1%eth0]:14180',
  ],
])('N-10 the warning names service, agent and address: %o', (agent, address, words) => {
  expect(reachableOffLoopback(api, agent, address, 14_180)).toMatchObject({
    code: 'SK1240',
    message: `shop/api (agent ${words}; it should listen on 127.0.0.1`,
    place: { service: api },
  });
});
