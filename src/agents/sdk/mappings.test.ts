import { expect, test } from 'vitest';
import { acceptMappings, authorityOf, findAddress, requireAddress, urlOf, variable } from './mappings.ts';
import type { Mapping } from './model.ts';

const proposed: Mapping[] = [
  {
    endpoint: 'http',
    addresses: [
      { access: 'native', host: '127.0.0.1', port: 80 },
      { access: 'container', host: 'host.docker.internal', port: 80 },
    ],
  },
  { endpoint: 'admin', addresses: [{ access: 'container', host: 'host.docker.internal', port: 81 }] },
];

test('accepting narrows the proposal to the accesses named, and drops endpoints without any', () => {
  expect(acceptMappings(proposed, 'native')).toEqual([
    { endpoint: 'http', addresses: [{ access: 'native', host: '127.0.0.1', port: 80 }] },
  ]);
});

test('an address is found by endpoint and access, and one that is missing is said with those that are there', () => {
  expect(findAddress(proposed, 'admin')).toBeUndefined();
  expect(requireAddress(proposed, 'admin', 'container').port).toBe(81);
  expect(() => requireAddress(proposed, 'htp')).toThrow('http, admin');
});

test('addresses are written with brackets and schemes where they need them', () => {
  expect(authorityOf({ host: '::1', port: 80 })).toBe('[::1]:80');
  expect(urlOf({ api: 'grpc', secured: true }, { host: 'a', port: 1 })).toBe('https://a:1');
  expect(urlOf({ api: 'tcp', secured: true }, { host: 'a', port: 1 })).toBe('tcp://a:1');
});

test('the last variable of a name counts', () => {
  const twice = ['1', '2'].map((value) => ({ name: 'A', value, secret: false }));
  expect(variable(twice, 'A')).toBe('2');
});
