/**
 * Judges a document by a definition and says what is wrong in the product's own words, each fault at its place (W-4). What
 * is wrong is then cut out, so that the rest can be judged further and all faults of a workspace are found in one reading.
 */
import type * as z from 'zod';
import { type ErrorCode, type FilePlace, nearest, SkeinError } from '../errors/index.ts';
import type { Path, YamlDocument } from './document.ts';
import { Doubts } from './doubts.ts';
import type { Json } from './model.ts';
import { refusedValues } from './schema.ts';
import { nameExpected, wordsOf } from './vocabulary.ts';

export interface Checked<Body> {
  /** The body without what is wrong in it; absent when nothing usable remains. */
  readonly body: Body | undefined;
  readonly faults: readonly SkeinError[];
  /** What was cut out or filled in: nothing may be concluded from these parts. */
  readonly doubts: Doubts;
}

type Issue = z.core.$ZodIssue;

/** By the last key: what stands in for a required value that is missing or wrong, so that the rest is judged still. */
export type Fillers = ReadonlyMap<string, Json>;

/** Never throws for what the document holds. */
export function check<Body>(
  schema: z.ZodType<Body>,
  document: YamlDocument,
  fillers: Fillers,
): Checked<Body> {
  const first = schema.safeParse(document.value);
  if (first.success) return { body: first.data, faults: [], doubts: new Doubts([]) };
  const faults = first.error.issues.flatMap((issue) => translate(issue, [], document));
  const doubts: Path[] = [];
  let rest: Json = structuredClone(document.value);
  let issues = first.error.issues;
  // Each round cuts at least one value, and one that must not be absent takes its parent along: this ends.
  for (;;) {
    for (const path of condemned(issues)) {
      doubts.push(path, ...meantPaths(path, issues));
      if (path.length === 0) return { body: undefined, faults, doubts: new Doubts(doubts) };
      rest = cut(rest, path, fillers);
    }
    const again = schema.safeParse(rest);
    if (again.success) return { body: again.data, faults, doubts: new Doubts(doubts) };
    issues = again.error.issues;
  }
}

/** The values to cut, each once, inner ones first so that a cut never hits what is around it instead. */
function condemned(issues: readonly Issue[]): Path[] {
  const paths = new Map(
    issues.flatMap((issue) => faultyPaths(issue, [])).map((path) => [JSON.stringify(path), path]),
  );
  return [...paths.values()].sort((a, b) => b.length - a.length);
}

function faultyPaths(issue: Issue, prefix: Path): Path[] {
  const path = [...prefix, ...pathOf(issue)];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [...path, key]);
  if (issue.code !== 'invalid_union') return [path];
  return branchOf(issue)?.flatMap((inner) => faultyPaths(inner, path)) ?? [path];
}

/**
 * Removes a value; where it is absent already, what cannot do without it. A list's item leaves a hole, so that the
 * positions of the others stay true.
 */
function cut(root: Json, path: Path, fillers: Fillers): Json {
  const containers: Record<string | number, unknown>[] = [];
  let at: unknown = root;
  for (const step of path) {
    if (typeof at !== 'object' || at === null) break;
    const container = at as Record<string | number, unknown>;
    containers.push(container);
    at = container[step];
  }
  while (containers.length > 0) {
    const container = containers.pop();
    const step = path[containers.length];
    if (container === undefined || step === undefined) continue;
    const filler = fillers.get(String(step));
    const fills = filler !== undefined && container[step] !== filler;
    if (!fills && container[step] === undefined) continue;
    if (fills) container[step] = filler;
    else if (Array.isArray(container)) container[step] = undefined;
    else delete container[step];
    return root;
  }
  return null;
}

function translate(issue: Issue, prefix: Path, document: YamlDocument): SkeinError[] {
  const path = [...prefix, ...pathOf(issue)];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey(key, path, issue.message, document));
  if (issue.code === 'invalid_union') {
    const branch = branchOf(issue);
    if (branch !== undefined) return branch.flatMap((inner) => translate(inner, path, document));
  }
  if (issue.code === 'invalid_key') return [badKey(issue, path, document)];
  const value = valueAt(document.value, path);
  if (value === undefined) return [missing(issue, path, document)];
  const refused = refusedValues.get(String(path.at(-1)))?.get(String(value));
  const place = document.place(path);
  if (refused !== undefined) return [new SkeinError('SK1015', refused, { place })];
  const code: ErrorCode = issue.message === nameExpected && typeof value === 'string' ? 'SK1013' : 'SK1011';
  const message = `${subject(path)} must be ${issue.message}; found ${shown(value)}${guessed(issue, value)}`;
  return [new SkeinError(code, message, { place })];
}

function unknownKey(key: string, path: Path, objectName: string, document: YamlDocument): SkeinError {
  const words = wordsOf(objectName);
  const place: FilePlace = document.keyPlace([...path, key]);
  const refused = words.refused.get(key);
  if (refused !== undefined)
    return new SkeinError(refused.when === 'later' ? 'SK1014' : 'SK1015', `\`${key}\` ${refused.reason}`, {
      place,
    });
  const meant = nearest(key, words.keys);
  const known = `${objectName} knows ${words.keys.map((word) => `\`${word}\``).join(', ')}`;
  if (meant !== undefined)
    return new SkeinError('SK1010', `unknown key \`${key}\`; did you mean \`${meant}\`?`, { place });
  return new SkeinError('SK1010', `unknown key \`${key}\`: ${known}`, { place });
}

/** The keys that unknown ones were probably meant to be: those are not absent, they are unread. */
function meantPaths(path: Path, issues: readonly Issue[]): Path[] {
  const key = path.at(-1);
  const around = JSON.stringify(path.slice(0, -1));
  return issues.flatMap((issue) => {
    if (
      issue.code !== 'unrecognized_keys' ||
      typeof key !== 'string' ||
      JSON.stringify(issue.path) !== around
    )
      return [];
    const meant = nearest(key, wordsOf(issue.message).keys);
    return meant === undefined ? [] : [[...path.slice(0, -1), meant]];
  });
}

function badKey(
  issue: Extract<Issue, { code: 'invalid_key' }>,
  path: Path,
  document: YamlDocument,
): SkeinError {
  const expected = issue.issues[0]?.message ?? 'another key';
  const message = `the key \`${String(path.at(-1))}\` of ${subject(path.slice(0, -1))} must be ${expected}`;
  return new SkeinError('SK1011', message, { place: document.keyPlace(path) });
}

function missing(issue: Issue, path: Path, document: YamlDocument): SkeinError {
  const message = `\`${String(path.at(-1))}\` is missing; it must be ${issue.message}`;
  return new SkeinError('SK1012', message, { place: document.place(path) });
}

/** Of a value that may be one of several forms, the form that it was probably meant to be. */
function branchOf(issue: Extract<Issue, { code: 'invalid_union' }>): readonly Issue[] | undefined {
  const entered = issue.errors.find((issues) => issues.every((inner) => !atTop(inner)));
  return (
    entered ??
    issue.errors.find((issues) => issues.every((inner) => inner.code !== 'invalid_type' || !atTop(inner)))
  );
}

/** About the value itself, not about a part of it. */
function atTop(issue: Issue): boolean {
  return issue.path.length === 0 && issue.code !== 'unrecognized_keys';
}

function pathOf(issue: Issue): Path {
  return issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
}

function valueAt(value: Json, path: Path): Json | undefined {
  let at: unknown = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at as Json;
}

function subject(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return 'the file';
  return typeof last === 'number' ? `item ${last + 1} of ${subject(path.slice(0, -1))}` : `\`${last}\``;
}

function shown(value: Json): string {
  if (value === null) return 'nothing';
  if (typeof value !== 'object') {
    const text = String(value)
      .replace(/\s+/g, ' ')
      .replace(/\p{Cc}/gu, '\u{FFFD}');
    return text === '' ? 'an empty text' : `\`${text.length > 60 ? `${text.slice(0, 60)}…` : text}\``;
  }
  return Array.isArray(value) ? 'a list' : 'a mapping';
}

function guessed(issue: Issue, value: Json): string {
  if (issue.code !== 'invalid_value' || typeof value !== 'string') return '';
  const meant = nearest(value, issue.values.map(String));
  return meant === undefined ? '' : `; did you mean \`${meant}\`?`;
}
