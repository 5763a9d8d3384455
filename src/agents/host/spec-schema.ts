/** Reads an agent's JSON Schema for people: which keys a place knows, and what a value there should be. */
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

/** Keys and indices from the whole to a part. */
export type Path = readonly (string | number)[];

/** The parts of the schema that speak of `path`: several where there are alternatives. */
export function schemaAt(root: JsonObject, path: Path): readonly JsonObject[] {
  return path.reduce<readonly JsonObject[]>(
    (schemas, key) => schemas.flatMap((schema) => alternatives(root, childOf(schema, key))),
    alternatives(root, root),
  );
}

/** Keys that some alternative at `path` declares, in written order. */
export function knownKeys(root: JsonObject, path: Path): readonly string[] {
  return [
    ...new Set(schemaAt(root, path).flatMap((schema) => Object.keys(objectOf(schema['properties']) ?? {}))),
  ];
}

/** What a value should be, such as `text, or a list`; `undefined` where the schema does not say. */
export function expectation(schemas: readonly JsonObject[]): string | undefined {
  const words = [...new Set(schemas.map(describe).filter((text) => text !== undefined))];
  return words.length === 0 ? undefined : words.join(', or ');
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: '`true` or `false`',
  array: 'a list',
  object: 'a mapping',
  null: '`null`',
};

function describe(schema: JsonObject): string | undefined {
  const { const: constant, enum: values, type, description } = schema;
  if (constant !== undefined) return `\`${JSON.stringify(constant)}\``;
  if (Array.isArray(values)) return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
  const kind = Array.isArray(type) ? type.map(kindOf).join(' or ') : kindOf(type);
  const bounds = boundsOf(schema);
  const details = [
    bounds,
    typeof description === 'string' ? `(${description.replace(/\.$/, '')})` : undefined,
  ];
  return kind === undefined ? undefined : [kind, ...details.filter((text) => text !== undefined)].join(' ');
}

function kindOf(type: JsonValue | undefined): string | undefined {
  return typeof type === 'string' ? kinds[type] : undefined;
}

function boundsOf(schema: JsonObject): string | undefined {
  const { minimum, maximum, pattern, minLength, minItems } = schema;
  if (minimum !== undefined && maximum !== undefined) return `from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `from ${minimum} up`;
  if (maximum !== undefined) return `up to ${maximum}`;
  if (pattern !== undefined) return `that matches /${pattern}/`;
  if (minLength !== undefined) return `of at least ${minLength} characters`;
  return minItems === undefined ? undefined : `of at least ${minItems} entries`;
}

/** The schema itself with references followed, and for a choice each of its members. */
function alternatives(
  root: JsonObject,
  schema: JsonObject | undefined,
  seen: readonly string[] = [],
): readonly JsonObject[] {
  if (schema === undefined) return [];
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const target = seen.includes(reference) ? undefined : definition(root, reference);
    return alternatives(root, target, [...seen, reference]);
  }
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => {
    const members = schema[keyword];
    return Array.isArray(members) ? members.map(objectOf) : [];
  });
  return choices.length === 0
    ? [schema]
    : [schema, ...choices.flatMap((choice) => alternatives(root, choice, seen))];
}

function definition(root: JsonObject, reference: string): JsonObject | undefined {
  if (reference === '#') return root;
  const name = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1];
  return name === undefined
    ? undefined
    : objectOf(objectOf(root['$defs'])?.[name.replaceAll('~1', '/').replaceAll('~0', '~')]);
}

function childOf(schema: JsonObject, key: string | number): JsonObject | undefined {
  if (typeof key === 'number') return objectOf(schema['items']);
  return objectOf(objectOf(schema['properties'])?.[key]) ?? objectOf(schema['additionalProperties']);
}

function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
