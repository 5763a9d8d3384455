/**
 * Judges a service's `spec` by its agent's JSON Schema (A-2, draft 2020-12), with the same quality as the workspace's
 * own errors: every fault at once, each with its place, an unknown key with the nearest known one.
 */
import type { JsonObject } from '@bufbuild/protobuf';
import * as z from 'zod';
import { nearest, SkeinError } from '../../errors/index.ts';
import type { Service } from '../../workspace/index.ts';
import { expectation, knownKeys, type Path } from './spec-schema.ts';

/** Parsed once for each agent: all services of a process share the object. */
const parsers: WeakMap<JsonObject, z.ZodType | SkeinError> = new WeakMap();

/**
 * What is wrong with the `spec` of `service`; empty where nothing is, or where the agent has no schema: SK1330 (unknown
 * key), SK1331 (wrong value), SK1332 (missing key), SK1333 (the schema itself cannot be used).
 */
export function validateSpec(service: Service, schema: JsonObject | undefined): SkeinError[] {
  if (schema === undefined) return [];
  const parser = parserOf(schema);
  if (parser instanceof SkeinError)
    return [
      new SkeinError(parser.code, `${parser.message}; it is asked to judge ${service.id}`, {
        place: service.specPlace(''),
        cause: parser.cause,
      }),
    ];
  const result = parser.safeParse(service.spec);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => faultsOf(issue, [], { service, schema }));
}

function parserOf(schema: JsonObject): z.ZodType | SkeinError {
  const known = parsers.get(schema);
  if (known !== undefined) return known;
  let parser: z.ZodType | SkeinError;
  try {
    parser = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0], {
      defaultTarget: 'draft-2020-12',
    });
  } catch (error) {
    parser = new SkeinError('SK1333', "the agent's schema of `spec` cannot be used", { cause: error });
  }
  parsers.set(schema, parser);
  return parser;
}

interface Context {
  readonly service: Service;
  readonly schema: JsonObject;
}

/** `base` is the path of the value that the issue's own path counts from. */
function faultsOf(issue: z.core.$ZodIssue, base: Path, context: Context): SkeinError[] {
  const path: Path = [...base, ...(issue.path as Path)];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(path, key, context));
    case 'invalid_union':
      return unionFaults(issue.errors, path, context);
    default:
      return [misfit(issue.message, path, context)];
  }
}

/** A value that is missing or does not fit; a list that lacks an entry is too short as a whole. */
function misfit(message: string, path: Path, context: Context): SkeinError {
  if (path.length === 0 || valueAt(context.service.spec, path) !== undefined)
    return wrongValue(message, path, context);
  return typeof path.at(-1) === 'number'
    ? wrongValue(message, path.slice(0, -1), context)
    : missingKey(path, context);
}

/**
 * Of the alternatives, the one that accepts the kind of value that is written is meant, where only one does; its own
 * faults say more than that none of them fits.
 */
function unionFaults(
  alternatives: readonly (readonly z.core.$ZodIssue[])[],
  path: Path,
  context: Context,
): SkeinError[] {
  const meant = alternatives.filter(
    (issues) => !issues.some((issue) => issue.path.length === 0 && refusesKind(issue)),
  );
  const [only] = meant;
  if (meant.length === 1 && only !== undefined)
    return only.flatMap((issue) => faultsOf(issue, path, context));
  return [misfit('', path, context)];
}

function refusesKind({ code }: z.core.$ZodIssue): boolean {
  return code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union';
}

function unknownKey(path: Path, key: string, { service, schema }: Context): SkeinError {
  const known = knownKeys(schema, path);
  const guess = nearest(key, known);
  const hint =
    guess !== undefined
      ? `; did you mean \`${guess}\`?`
      : known.length > 0
        ? `; known keys: ${known.join(', ')}`
        : '';
  return new SkeinError('SK1330', `unknown key \`${key}\` in ${nameOf(path)} of ${service.id}${hint}`, {
    place: service.specPlace(pointerOf([...path, key])),
  });
}

function missingKey(path: Path, { service, schema }: Context): SkeinError {
  const parent = path.slice(0, -1);
  const what = expectation(schema, path, undefined);
  return new SkeinError(
    'SK1332',
    `${nameOf(parent)} of ${service.id} lacks \`${String(path.at(-1))}\`${what === undefined ? '' : `: ${what}`}`,
    { place: service.specPlace(pointerOf(parent)) },
  );
}

function wrongValue(message: string, path: Path, { service, schema }: Context): SkeinError {
  const value = valueAt(service.spec, path);
  const what = expectation(schema, path, value) ?? (message === '' ? 'another value' : message);
  return new SkeinError('SK1331', `${nameOf(path)} of ${service.id} is ${shown(value)}; expected ${what}`, {
    place: service.specPlace(pointerOf(path)),
  });
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, key)
        ? (at as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );
}

/** `spec`, `spec.watch[0]`. */
function nameOf(path: Path): string {
  return `\`spec${path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')}\``;
}

/** RFC 6901. */
function pointerOf(path: Path): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null)
    return Object.keys(value).length === 0 ? 'an empty mapping' : 'a mapping';
  const text = JSON.stringify(value);
  return `\`${text.length > 60 ? `${text.slice(0, 60)}…` : text}\``;
}
