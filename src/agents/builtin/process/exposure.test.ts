import { describe, expect, test } from 'vitest';
import type { AgentFailure, Endpoint } from '../../sdk/index.ts';
import { exposedConfigurations } from './exposure.ts';

const endpoint = (name: string, api: Endpoint['api']): Endpoint => ({
  name,
  api,
  visibility: 'internal',
  exposure: undefined,
  secured: false,
  port: undefined,
  grpcServices: [],
});
const network = {
  endpoints: [endpoint('http', 'http'), endpoint('sql', 'tcp'), endpoint('idle', 'tcp')],
  mappings: ['http', 'sql'].map((name, at) => ({
    endpoint: name,
    addresses: [{ access: 'native' as const, host: '127.0.0.1', port: 80 + at }],
  })),
};
const exposedAs = (text: string): unknown =>
  exposedConfigurations({ group: text }, network)[0]?.values[0]?.value;

describe('C-7 a reference to an own endpoint', () => {
  test.each([
    ['${self:http}', 'http://127.0.0.1:80'],
    ['${self:sql}', '127.0.0.1:81'],
    ['${self:sql|host}', '127.0.0.1'],
    ['${self:sql|port}', '81'],
    ['${self:http|authority}', '127.0.0.1:80'],
    ['${self:sql|url}', 'tcp://127.0.0.1:81'],
    ['a ${self:sql|port} b ${self:http|port}', 'a 81 b 80'],
    ['$${self:sql} $5 $', '${self:sql} $5 $'],
  ])('%s', (text, value) => expect(exposedAs(text)).toBe(value));
});

describe('runtime-configuration', () => {
  test('a text is the group with one value; a map has its own keys', () => {
    expect(exposedConfigurations({ url: 'x', api: { name: 'n', version: '1' } }, network)).toEqual([
      { group: 'url', values: [{ key: 'value', value: 'x', secret: false }] },
      {
        group: 'api',
        values: [
          { key: 'name', value: 'n', secret: false },
          { key: 'version', value: '1', secret: false },
        ],
      },
    ]);
  });

  test.each([
    ['password', 'x', true],
    ['apiKey', 'x', true],
    ['auth', 'x', true],
    ['basicAuth', 'x', true],
    ['author', 'x', false],
    ['authority', 'x', false],
    ['connection', 'postgres://u:p@h/d', true],
    ['connection', 'postgres://h:5432/d', false],
    ['connection', 'jdbc:postgresql://h/d?user=u&password=p', true],
  ])('C-2 %s: %s is secret: %s', (group, text, secret) => {
    expect(exposedConfigurations({ [group]: text }, network)[0]?.values[0]?.secret).toBe(secret);
  });

  test('whatever else is written in it is refused by its pointer, all at once', () => {
    const written = {
      'a/b': '${endpoint:x/y/z}',
      c: { d: '${self:htp}', e: '${self:idle}', f: '${self:http' },
    };
    const violations = (() => {
      try {
        exposedConfigurations(written, network);
        return [];
      } catch (error) {
        return (error as AgentFailure).options.violations?.map(
          ({ pointer, message }) => `${pointer} ${message}`,
        );
      }
    })();
    expect(violations).toEqual([
      expect.stringMatching(/^\/runtime-configuration\/a~1b .*is not a reference to an own endpoint/),
      expect.stringMatching(
        /^\/runtime-configuration\/c\/d there is no endpoint htp; the service has http, sql, idle/,
      ),
      expect.stringMatching(/^\/runtime-configuration\/c\/e endpoint idle has no address/),
      expect.stringMatching(/^\/runtime-configuration\/c\/f .*is not a reference/),
    ]);
  });
});
