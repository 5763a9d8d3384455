import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultsOf, SkeinError } from '../errors/index.ts';
import type { ServiceId } from '../workspace/index.ts';
import { type ExposedConfiguration, hashExposed, judgeExposed, lookUp } from './exposed.ts';

const group = (name: string, values: Record<string, string>): ExposedConfiguration => ({
  group: name,
  values: Object.entries(values).map(([key, value]) => ({ key, value, secret: false })),
});
const db = 'data/db' as ServiceId;

describe('judging what an agent exposed', () => {
  test('C-2 marks what is secret by key, by value, by the name of a group of one value, or by the agent', () => {
    const answered = [
      group('connection', { value: 'postgres://u:p@h/db', url: 'postgres://h/db' }),
      group('admin', { user: 'root', password: 'x' }),
      group('api-token', { value: 'x' }),
      { group: 'marked', values: [{ key: 'a', value: 'b', secret: true }] },
    ];
    const secrets = judgeExposed(db, answered).flatMap((each) =>
      each.values.map((value) => [each.group, value.key, value.secret]),
    );
    expect(secrets).toEqual([
      ['connection', 'value', true],
      ['connection', 'url', false],
      ['admin', 'user', false],
      ['admin', 'password', true],
      ['api-token', 'value', true],
      ['marked', 'a', true],
    ]);
  });

  test('refuses groups and keys that are nameless, empty or doubled, all at once', () => {
    const twice = { key: 'a', value: '1', secret: false };
    const answered: ExposedConfiguration[] = [
      group('', { a: 'b' }),
      group('empty', {}),
      group('one', { '': 'b' }),
      group('one', { a: 'b' }),
      { group: 'two', values: [twice, twice] },
    ];
    let error: unknown;
    try {
      judgeExposed(db, answered);
    } catch (thrown) {
      error = thrown;
    }
    if (!(error instanceof SkeinError)) throw new Error('not refused');
    expect(faultsOf(error).map((fault) => fault.message)).toEqual([
      'the agent of data/db exposed a group without a name',
      'the agent of data/db exposed the group `empty` without a value',
      'the agent of data/db exposed a value without a key in the group `one`',
      'the agent of data/db exposed the group `one` twice',
      'the agent of data/db exposed the key `a` of the group `two` twice',
    ]);
  });
});

describe('C-7 looking a value up', () => {
  const exposed = [
    group('connection', { value: 'v' }),
    group('admin', { user: 'u', name: 'n' }),
    group('auth/frontend', { id: 'i' }),
    group('a', { b: '1' }),
    group('a/b', { c: '2' }),
  ];

  test.each([
    ['connection', 'v'],
    ['connection/value', 'v'],
    ['admin/user', 'u'],
    ['auth/frontend', 'i'],
    ['auth/frontend/id', 'i'],
    ['a', '1'],
    ['a/b/c', '2'],
  ])('%s is found', (path, value) => {
    expect(lookUp(exposed, path)).toMatchObject({ kind: 'found', value: { value } });
  });

  test.each([
    ['admin', 'the group `admin` has several values; name one: `user`, `name`'],
    ['admin/usr', 'the group `admin` has no key `usr`; it has `user`, `name`'],
    [
      'nothing',
      'there is no group `nothing`; exposed are `connection`, `admin`, `auth/frontend`, `a`, `a/b`',
    ],
    ['auth', 'there is no group `auth`'],
    ['connect', 'there is no group `connect`'],
    ['a/b', '`a/b` names several values: `b` of `a` and `c` of `a/b`'],
  ])('%s is not', (path, reason) => {
    expect(lookUp(exposed, path)).toMatchObject({ kind: 'missing', reason: expect.stringContaining(reason) });
    expect(lookUp([...exposed].reverse(), path).kind).toBe('missing');
  });
});

describe('the hash of what is exposed', () => {
  const configurations = fc.array(
    fc.record({
      group: fc.string(),
      values: fc.array(fc.record({ key: fc.string(), value: fc.string(), secret: fc.boolean() }), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
    { minLength: 1, maxLength: 5 },
  );

  test('does not see order', () => {
    fc.assert(
      fc.property(configurations, (all) => {
        const turned = [...all].reverse().map((each) => ({ ...each, values: [...each.values].reverse() }));
        expect(hashExposed(turned)).toBe(hashExposed(all));
      }),
    );
  });

  test('sees every change of a value', () => {
    fc.assert(
      fc.property(configurations, fc.string({ minLength: 1 }), ([first, ...rest], more) => {
        const [value, ...values] = first?.values ?? [];
        if (first === undefined || value === undefined) return;
        const changed = { ...first, values: [{ ...value, value: value.value + more }, ...values] };
        expect(hashExposed([changed, ...rest])).not.toBe(hashExposed([first, ...rest]));
      }),
    );
  });
});
