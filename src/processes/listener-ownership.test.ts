import { expect, test } from 'vitest';
import { answering } from './listener-ownership.ts';

test.each([
  ['127.0.0.1', ['127.0.0.1', '0.0.0.0', '::'], '127.0.0.1'],
  ['127.0.0.1', ['::', '0.0.0.0'], '0.0.0.0'],
  ['127.0.0.1', ['::', '::ffff:127.0.0.1'], '::ffff:127.0.0.1'],
  ['127.0.0.1', ['::', '127.0.0.2'], '::'],
  ['127.0.0.1', ['::1', '10.0.0.7'], undefined],
  ['::1', ['127.0.0.1', '0.0.0.0', '::'], '::'],
  ['localhost', ['::1', '0.0.0.0'], '::1'],
])('R-9 a connection to %s, where %j listen, reaches %s', (host, addresses, expected) => {
  const listeners = addresses.flatMap((address) => [
    { family: 'ipv4' as const, address, port: 80 },
    { family: 'ipv4' as const, address, port: 81 },
  ]);
  expect(answering(listeners, host, 80)).toEqual(
    expected === undefined ? [] : [{ family: 'ipv4', address: expected, port: 80 }],
  );
});
