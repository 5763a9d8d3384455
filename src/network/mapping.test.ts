import { expect, test } from 'vitest';
import type { Api } from '../workspace/index.ts';
import { authorityOf, hasUrl, transportOf, urlOf } from './mapping.ts';

test.each<[Api, boolean, string, string, boolean]>([
  ['http', false, '127.0.0.1', 'http://127.0.0.1:80', true],
  ['rest', true, 'shop.example.com', 'https://shop.example.com:80', true],
  ['connect', false, '::1', 'http://[::1]:80', true],
  ['grpc', false, '127.0.0.1', 'http://127.0.0.1:80', false],
  ['grpc', true, '127.0.0.1', 'https://127.0.0.1:80', false],
  ['tcp', true, '127.0.0.1', 'tcp://127.0.0.1:80', false],
  ['udp', false, '::1', 'udp://[::1]:80', false],
])('%s (secured: %s) at %s is %s', (api, secured, host, url, usually) => {
  expect(urlOf({ api, secured }, { host, port: 80 })).toBe(url);
  expect(hasUrl(api)).toBe(usually);
  expect(transportOf(api)).toBe(api === 'udp' ? 'udp' : 'tcp');
});

test('an IPv6 address has brackets in an authority', () => {
  expect(authorityOf({ host: '::1', port: 5432 })).toBe('[::1]:5432');
  expect(authorityOf({ host: 'db', port: 5432 })).toBe('db:5432');
});
