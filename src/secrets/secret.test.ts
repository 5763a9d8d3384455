import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasPassword, isCredentialKey, isSecret, isSecretConfiguration } from './secret.ts';

describe('C-2 a credential-shaped key', () => {
  test.each([
    'password',
    'DB_PASSWORD',
    'dbPassword',
    'passwords',
    'secret',
    'CLIENT_SECRET',
    'token',
    'accessToken',
    'GITHUB-TOKEN',
    'credential',
    'credentials',
    'api_key',
    'API_KEY',
    'api-key',
    'apiKey',
    'APIKey',
    'apikey',
    'auth',
    'AUTH',
    'basic-auth',
    'basicAuth',
    'AUTH_HEADER',
    'authHeader',
    'HTTPAuth',
    'auth2',
    'registry/auth',
    'author/auth',
  ])('%s', (key) => expect(isCredentialKey(key)).toBe(true));

  test.each([
    'author',
    'authority',
    'AUTHORITY',
    'authorize',
    'authorization_url',
    'authors',
    'oauth',
    'OAuth',
    'oauth_client',
    'OAuthClient',
    'bookAuthor',
    'unauthorized',
    'user',
    'host',
    'connection',
    'api',
    'key',
    'rapid_keys',
    'DATABASE_URL',
    '',
    'pass',
    'authn',
  ])('is not %s', (key) => expect(isCredentialKey(key)).toBe(false));

  test('whatever stands around the word, in whatever case', () => {
    const word = fc.constantFrom('password', 'secret', 'token', 'credential', 'api_key', 'api-key', 'apikey');
    fc.assert(
      fc.property(fc.string(), word, fc.string(), fc.boolean(), (before, key, after, upper) => {
        expect(isCredentialKey(before + (upper ? key.toUpperCase() : key) + after)).toBe(true);
      }),
    );
  });

  test('`auth` where no letter touches it, and nowhere inside a word of one case', () => {
    const letters = fc.stringMatching(/^[b-z]{1,5}$/);
    fc.assert(
      fc.property(
        letters,
        letters,
        fc.constantFrom('-', '_', '/', '.', ' ', '7'),
        (before, after, separator) => {
          fc.pre(!/password|passwd|secret|token|credential/.test(before + after));
          expect(isCredentialKey([before, 'auth', after].join(separator))).toBe(true);
          expect(isCredentialKey(`${before}auth${after}`)).toBe(false);
          expect(isCredentialKey(`${before}AUTH${after}`.toUpperCase())).toBe(false);
        },
      ),
    );
  });
});

describe('C-2 a URL with a password in it', () => {
  test.each([
    'postgres://user:pw@127.0.0.1:5432/db',
    'redis://:pw@cache',
    'jdbc:postgresql://user:pw@db/x',
    'amqp://u:p%40ss@h',
    'postgres://u:p@h1:1,h2:2/db',
    'postgres://u:pa/ss?w#d@h',
    'see http://a:b@c for more',
    'http://h, http://u:p@h',
    'postgres://h/db?user=a&password=b',
    'jdbc:mysql://h/db?password=b',
    'postgres://h?sslpassword=x',
    'https://u:80x@h',
  ])('%s', (text) => expect(hasPassword(text)).toBe(true));

  test.each([
    'postgres://user@127.0.0.1:5432/db',
    'http://127.0.0.1:80/a@b',
    'http://h:80?mail=a@b',
    'http://h:80#a@b',
    'http://h/@scope/p',
    'user:pw@host',
    'redis://:@cache',
    'http://[::1]:80',
    'postgres://h/db?password=',
    'a@b',
    '',
    '://',
    'mailto:a:b@c',
  ])('is not %s', (text) => expect(hasPassword(text)).toBe(false));

  test('any user and password in any URL', () => {
    const text = fc.stringMatching(/^[A-Za-z0-9._~%-]{1,20}$/);
    fc.assert(
      fc.property(
        text,
        text,
        text,
        fc.constantFrom('http', 'postgres', 'amqp+ssl'),
        (user, password, host, scheme) => {
          expect(hasPassword(`${scheme}://${user}:${password}@${host}`)).toBe(true);
          expect(hasPassword(`${scheme}://${user}@${host}`)).toBe(false);
        },
      ),
    );
  });

  test('hostile texts are judged in linear time', () => {
    for (const piece of ['://a:', '://', 'a', '://a?&', '://a?password', 'http:', '@', '&pwd'])
      expect(hasPassword(piece.repeat(100_000).slice(0, 100_000))).toBeTypeOf('boolean');
  });
});

test('C-2 a value is secret when marked so, by its key, or by a password in it', () => {
  expect(isSecret({ key: 'a', value: 'b' })).toBe(false);
  expect(isSecret({ key: 'a', value: 'b', marked: true })).toBe(true);
  expect(isSecret({ key: 'a-token', value: 'b' })).toBe(true);
  expect(isSecret({ key: 'a', value: 'http://u:p@h' })).toBe(true);
});

test.each([
  ['password', 'value', 'x', true],
  ['password', 'hint', 'x', false],
  ['database', 'value', 'x', false],
  ['database', 'password', 'x', true],
  ['database', 'url', 'jdbc:postgresql://h/d?user=u&password=p', true],
])('C-2 of the group %s, %s: %s is secret: %s', (group, key, value, secret) => {
  expect(isSecretConfiguration({ group, key, value })).toBe(secret);
});
