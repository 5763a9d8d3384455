/** Reads an agent's JSON Schema for people: which keys a place knows, and what a value there should be. */
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

/** Keys and indices from the whole to a part. */
export type Path = readonly (string | number)[];

/** The parts of the schema that speak of `path`, references followed: several where there are alternatives. */
function schemasAt(root: JsonObject, path: Path, isWhole: (schema: JsonObject) => boolean): JsonObject[] {
  return partsAt(root, path).flatMap((schema) => alternatives(root, schema, isWhole));
}

/** The same as they are written. */
function partsAt(root: JsonObject, path: Path): JsonObject[] {
  const key = path.at(-1);
  if (key === undefined) return [root];
  const parents = schemasAt(root, path.slice(0, -1), never);
  return parents.map((schema) => childOf(schema, key)).filter((child) => child !== undefined);
}

/** Keys that some alternative at `path` declares, in written order. */
export function knownKeys(root: JsonObject, path: Path): readonly string[] {
  const keys = schemasAt(root, path, never).flatMap((schema) =>
    Object.keys(objectOf(schema['properties']) ?? {}),
  );
  return [...new Set(keys)];
}

/**
 * What the value at `path` should be, such as `text, or a list`: by the alternatives for values of its kind, or, where it
 * is of no kind that is expected or missing, by all of them. A `title` stands for all that a schema says. `undefined`
 * where the schema does not say.
 */
export function expectation(root: JsonObject, path: Path, value: unknown): string | undefined {
  const ofItsKind = schemasAt(root, path, never).filter((schema) => isOfKind(schema['type'], value));
  const schemas = ofItsKind.length > 0 ? ofItsKind : schemasAt(root, path, hasTitle);
  const words = [...new Set(schemas.map(describe).filter((text) => text !== undefined))];
  return words.length === 0 ? undefined : words.join(', or ');
}

function never(): boolean {
  return false;
}

function hasTitle({ title }: JsonObject): boolean {
  return typeof title === 'string';
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

function isOfKind(type: JsonValue | undefined, value: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return typeof value === 'number';
    default:
      return typeof value === type;
  }
}

function describe(schema: JsonObject): string | undefined {
  const { title, const: constant, enum: values, type, description } = schema;
  if (typeof title === 'string') return title;
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
  if (minLength !== undefined) return atLeast(minLength, 'characters');
  return minItems === undefined ? undefined : atLeast(minItems, 'entries');
}

function atLeast(number: JsonValue, what: string): string {
  return number === 1 ? 'that is not empty' : `of at least ${number} ${what}`;
}

/** The schema itself with references followed, and for a choice that is not to be taken as a whole each of its members. */
function alternatives(
  root: JsonObject,
  schema: JsonObject | undefined,
  isWhole: (schema: JsonObject) => boolean,
  seen: readonly string[] = [],
): readonly JsonObject[] {
  if (schema === undefined) return [];
  if (isWhole(schema)) return [schema];
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const target = seen.includes(reference) ? undefined : definition(root, reference);
    return alternatives(root, target, isWhole, [...seen, reference]);
  }
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => {
    const members = schema[keyword];
    return Array.isArray(members) ? members.map(objectOf) : [];
  });
  return choices.length === 0
    ? [schema]
    : [schema, ...choices.flatMap((choice) => alternatives(root, choice, isWhole, seen))];
}

function definition(root: JsonObject, reference: string): JsonObject | undefined {
  if (reference === '#') return root;
  const name = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1];
  return name === undefined
    ? undefined
    : objectOf(objectOf(root['$defs'])?.[name.replaceAll('~1', '/').replaceAll('~0', '~')]);
}

function childOf(schema: JsonObject, key: string | number): JsonObject | undefined {
  if (typeof key === 'number') {
    const first = schema['prefixItems'];
    return objectOf(Array.isArray(first) ? first[key] : undefined) ?? objectOf(schema['items']);
  }
  return objectOf(objectOf(schema['properties'])?.[key]) ?? objectOf(schema['additionalProperties']);
}

function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
