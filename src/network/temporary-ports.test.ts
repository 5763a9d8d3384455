import { describe, expect, test } from 'vitest';
import type { EndpointId } from '../workspace/index.ts';
import type { Transport } from './mapping.ts';
import { bind, dial, type Family } from './sockets.ts';
import { TemporaryPorts } from './temporary-ports.ts';

const http = 'shop/api/http' as EndpointId;
const families: readonly Family[] = ['ipv4', 'ipv6'];

/** Whether the port can be bound on both loopback addresses, as far as the machine has them. */
async function isFree(transport: Transport, port: number): Promise<boolean> {
  const sockets = await Promise.all(families.map((family) => bind(family, transport, port)));
  for (const socket of sockets) if (typeof socket === 'object') await socket.close();
  return sockets.every((socket) => socket !== 'refused');
}

describe('N-2 temporary ports', () => {
  test.each(['tcp', 'udp'] as const)('a %s port is held until it is released', async (transport) => {
    await using ports = new TemporaryPorts();
    const port = await ports.reserve(http, transport);
    expect(await isFree(transport, port)).toBe(false);
    await ports.release(http);
    expect(await isFree(transport, port)).toBe(true);
    await ports.release(http);
  });

  test('N-9 an endpoint keeps its port, held or released', async () => {
    await using ports = new TemporaryPorts();
    const [one, other] = await Promise.all([ports.reserve(http, 'tcp'), ports.reserve(http, 'tcp')]);
    await ports.release(http);
    expect([other, await ports.reserve(http, 'tcp')]).toEqual([one, one]);
  });

  test('two runs at once never get one port', async () => {
    await using first = new TemporaryPorts();
    await using second = new TemporaryPorts();
    const given = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (index % 2 === 0 ? first : second).reserve(`shop/s/e${index}` as EndpointId, 'tcp'),
      ),
    );
    expect(new Set(given).size).toBe(100);
  });

  test('a port that was released is nobody else’s in the same run', async () => {
    await using ports = new TemporaryPorts();
    const given: number[] = [];
    for (let index = 0; index < 50; index++) {
      const endpoint = `shop/s/e${index}` as EndpointId;
      given.push(await ports.reserve(endpoint, 'udp'));
      await ports.release(endpoint);
    }
    expect(new Set(given).size).toBe(50);
  });

  test('disposing releases all, those under way too', async () => {
    const ports = new TemporaryPorts();
    const held = await ports.reserve(http, 'tcp');
    const pending = ports.reserve('shop/api/grpc' as EndpointId, 'tcp');
    await ports[Symbol.asyncDispose]();
    expect([await isFree('tcp', held), await isFree('tcp', await pending)]).toEqual([true, true]);
  });

  test('whoever dials a held port is turned away, and releasing does not wait for him', async () => {
    await using ports = new TemporaryPorts();
    const port = await ports.reserve(http, 'tcp');
    expect(await dial('ipv4', port)).toBe('done');
    await ports.release(http);
    expect(await dial('ipv4', port)).toBe('refused');
  });
});
