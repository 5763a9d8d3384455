/**
 * The building blocks of the file definitions: zod types whose `error` is no sentence of zod's but what the value must be
 * ("a whole number from 1 to 65535"). `check.ts` makes the sentence around it, so that no library's wording reaches a person.
 */
import * as z from 'zod';
import { durationMs, durationPattern } from './duration.ts';
import { namePattern } from './names.ts';

/** Why a key is refused that a person may well write. */
export interface RefusedKey {
  /** `later`: a later version will know the key; `never`: it is refused by name. */
  readonly when: 'later' | 'never';
  /** The sentence behind "`key` …". */
  readonly reason: string;
}

export interface ObjectWords {
  readonly keys: readonly string[];
  readonly refused: ReadonlyMap<string, RefusedKey>;
}

const objectWords = new Map<string, ObjectWords>();

/** Known and refused keys of the object that a definition calls by this name. */
export function wordsOf(name: string): ObjectWords {
  return objectWords.get(name) ?? { keys: [], refused: new Map() };
}

/**
 * A mapping with exactly these keys. An unknown key's issue carries `name` as its message, by which `wordsOf` knows the
 * keys; `name` reads like "a service".
 */
export function object<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  refused: Readonly<Record<string, RefusedKey>> = {},
): z.ZodObject<Shape, z.core.$strict> {
  objectWords.set(name, { keys: Object.keys(shape), refused: new Map(Object.entries(refused)) });
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? name : `a mapping: ${name}`),
  });
}

/** A list; an item may be `undefined`, which no file can say: the hole that cutting out a wrong item leaves. */
export function list<Item extends z.ZodType>(item: Item, what: string): z.ZodArray<z.ZodOptional<Item>> {
  return z.array(z.optional(item), { error: `a list of ${what}` });
}

/** The first branch that a value enters tells what is wrong; one that enters none must be `expected`. */
export function either<A extends z.ZodType, B extends z.ZodType>(
  a: A,
  b: B,
  expected: string,
): z.ZodUnion<[A, B]> {
  return z.union([a, b], { error: expected });
}

export function oneOf<const Values extends readonly [string, ...string[]]>(
  ...values: Values
): z.ZodEnum<{ [Value in Values[number]]: Value }> {
  const quoted = values.map((value) => `\`${value}\``);
  const last = quoted.pop() ?? '';
  return z.enum(values, { error: quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}` });
}

export function text(expected: string, pattern?: RegExp): z.ZodString {
  const plain = z.string({ error: expected });
  return pattern === undefined ? plain : plain.regex(pattern, { error: expected });
}

export function flag(): z.ZodBoolean {
  return z.boolean({ error: '`true` or `false`' });
}

export function wholeNumber(low: number, high: number, what = 'a whole number'): z.ZodNumber {
  const error = `${what} from ${low} to ${high}`;
  return z.int({ error }).min(low, { error }).max(high, { error });
}

/** What a name is told to be; the checker takes it for SK1013. */
export const nameExpected =
  'a name: a lower-case letter, then lower-case letters, digits and single dashes, 63 characters at most';

export function name(): z.ZodString {
  return text(nameExpected, namePattern);
}

const longestMs = 2 ** 31 - 1;
const durationExpected = 'a duration such as `250ms`, `10s` or `5m`';
/** `250ms`, `10s`, `5m`; at most what a timer holds (24 days). */
export function duration(): z.ZodString {
  return text(durationExpected, durationPattern).refine(
    (written) => (durationMs(written) ?? 0) <= longestMs,
    {
      error: `${durationExpected}, of at most 24 days`,
    },
  );
}

/** A duration that something is given, or repeated after: never nothing. */
export function positiveDuration(): z.ZodString {
  return duration().refine((written) => durationMs(written) !== 0, {
    error: `${durationExpected}, longer than nothing`,
  });
}

/** Text, or a number or boolean, which stands for its written text. */
export function written(): z.ZodUnion<[z.ZodString, z.ZodNumber, z.ZodBoolean]> {
  const error = 'text, a number, `true` or `false`';
  return z.union([z.string({ error }), z.number({ error }), z.boolean({ error })], { error });
}

/** Anything that YAML and JSON can both say. */
export function anything(): z.ZodUnknown {
  return z.unknown();
}

/** A path relative to the file that holds it. */
export function path(what: string): z.ZodString {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a NUL is what no path may hold.
  return text(`a path to ${what}`, /^[^\u0000-\u001f]+$/);
}

export function record<Key extends z.ZodString, Value extends z.ZodType>(
  key: Key,
  value: Value,
  what: string,
): z.ZodRecord<Key, Value> {
  return z.record(key, value, { error: `a mapping of ${what}` });
}
