import { expect, test } from 'vitest';
import { isLoopback, isWellFormedHost } from './host.ts';

test.each([
  'localhost',
  'localhost.',
  'a.localhost',
  '127.0.0.1',
  '127.255.0.9',
  '127.1',
  '2130706433',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '0.0.0.0',
  '::1%lo',
])('%s is loopback', (host) => expect(isLoopback(host)).toBe(true));

test.each([
  'localhost.example.com',
  'notlocalhost',
  '10.0.0.1',
  '128.0.0.1',
  '::2',
  'fe80::1',
  '::ffff:10.0.0.1',
  'host.docker.internal',
  'not a host',
  '',
])('%s is not loopback', (host) => expect(isLoopback(host)).toBe(false));

test.each([
  'a',
  'shop-api',
  'shop_api',
  'host.docker.internal',
  'EXAMPLE.com.',
  '10.0.0.1',
  '::1',
  'fe80::1%eth0',
])('%s is a host', (host) => expect(isWellFormedHost(host)).toBe(true));

test.each([
  '',
  ' ',
  'a b',
  '[::1]',
  'a:80',
  'http://a',
  'a/b',
  'a@b',
  '-a',
  'a-',
  'a..b',
  '999.1.1.1',
  'a'.repeat(300),
])('%s is no host', (host) => expect(isWellFormedHost(host)).toBe(false));
