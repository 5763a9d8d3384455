import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { LoopbackCheck } from './loopback-check.ts';
import { id, sketch } from './readiness/service-fixture.ts';

const [api] = sketch({ api: { serves: { http: 'http' } } });
if (api === undefined) throw new Error('one was sketched');

test('N-10 each port is asked for once a start, and no more once it has ended', async () => {
  await using server = createServer((connection) => connection.destroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const asked: number[] = [];
  let warned: (message: string) => void = () => undefined;
  const warning = () =>
    new Promise<string>((resolve) => {
      warned = resolve;
    });
  using check = new LoopbackCheck({
    addresses: () => {
      asked.push(port);
      return ['127.0.0.1'];
    },
    onWarning: ({ message }) => warned(message),
  });
  const told = `shop/api (agent skein/process) is reachable at 127.0.0.1:${port}; it should listen on 127.0.0.1`;
  for (const start of [1, 2]) {
    const first = warning();
    for (const host of ['127.0.0.1', 'localhost', '10.0.0.7']) check.answers(api, { host, port });
    expect(await first).toBe(told);
    expect(asked).toHaveLength(start);
    check.end(id('api'));
  }
  const late = warning();
  check.answers(api, { host: '127.0.0.1', port });
  check.end(id('api'));
  check.answers(api, { host: '127.0.0.1', port });
  // Told of the last start, once: what was ended before it was told says nothing.
  expect(await late).toBe(told);
  expect(asked).toHaveLength(4);
});
