import fc from 'fast-check';
import { expect, test } from 'vitest';
import { carrierName } from './variable.ts';

test.each([
  [['WORKSPACE'], 'SKEIN__WORKSPACE'],
  [['ENDPOINT', 'data', 'main-db', 'sql', 'tcp'], 'SKEIN__ENDPOINT__DATA__MAIN_DB__SQL__TCP'],
  [
    ['SERVICE_CONFIGURATION', 'data', 'db', 'auth/frontend', 'client-id'],
    'SKEIN__SERVICE_CONFIGURATION__DATA__DB__AUTH__FRONTEND__CLIENT_ID',
  ],
])('C-15 %j is carried by %s', (parts, name) => expect(carrierName(parts)).toBe(name));

test.each(['', 'a.b', 'a=b', 'a b', 'ä', 'a\0'])('C-15 %j can be no part of a name', (part) => {
  expect(() => carrierName(['SELF', part, 'tcp'])).toThrow("cannot be part of a variable's name");
});

test('C-15 names of services and endpoints never collide', () => {
  const name = fc.stringMatching(/^[a-c](?:-?[a-c]){0,3}-?$/);
  const identity = fc.tuple(name, name, name);
  fc.assert(
    fc.property(identity, identity, (one, other) => {
      expect(carrierName(one) === carrierName(other)).toBe(one.join('/') === other.join('/'));
    }),
  );
});
