/** One YAML file as a plain value and the places of its parts (W-4). */
import { isAlias, isMap, isScalar, isSeq, type Pair, type YAMLMap } from 'yaml';
import { type FilePlace, SkeinError } from '../errors/index.ts';
import { convert, startOf, type Tree } from './conversion.ts';
import type { Json } from './model.ts';
import type { SourceText } from './source.ts';
import { fault, maxSyntaxFaults, type Parsed, parse } from './syntax.ts';

/** Keys and list positions from the top of a file. */
export type Path = readonly (string | number)[];

export interface YamlDocument {
  readonly file: string;
  readonly value: Json;
  /** Where a value starts; of something absent, where the innermost present thing around it starts. */
  place(path: Path): FilePlace;
  /** Where the key of an entry stands; of a list's item, where the item starts. */
  keyPlace(path: Path): FilePlace;
  /** Where the first character of a text stands, behind its quote or block indicator. */
  textPlace(path: Path): FilePlace;
  /** The characters of a scalar as written (`0x10`, `1.50`); of a text, the text. */
  written(path: Path): string | undefined;
  /**
   * Lets go of the syntax tree, which is many times larger than the file and slow to keep; a place asked for later costs a
   * second parse.
   */
  release(): void;
}

export interface YamlReading {
  /** Absent when the file is not YAML at all, or empty. */
  readonly document?: YamlDocument;
  readonly faults: readonly SkeinError[];
}

/** Never throws for what a file may hold: whatever is wrong is among the faults (SK1005 to SK1008). */
export function readDocument(source: SourceText): YamlReading {
  const parsed = parse(source);
  if (parsed instanceof SkeinError) return { faults: [parsed] };
  const version = parsed.directives?.yaml;
  if (version?.explicit && version.version !== '1.2')
    return { faults: [fault(source, 'SK1005', 0, `files are YAML 1.2, not ${version.version}`)] };
  const problems = [...parsed.errors, ...parsed.warnings];
  if (problems.length > 0) return { faults: syntaxFaults(source, problems) };
  if (parsed.contents === null || (isScalar(parsed.contents) && parsed.contents.source === ''))
    return { faults: [fault(source, 'SK1008', 0, `${source.file} is empty`)] };
  const { value, tree, faults } = convert(source, parsed.contents);
  return { document: new Located(source, tree, value), faults };
}

/** One fault a line: what follows on the same line is the parser stumbling. */
function syntaxFaults(source: SourceText, problems: Parsed['errors'] | Parsed['warnings']): SkeinError[] {
  const byLine = new Map<number, SkeinError>();
  for (const problem of problems) {
    if (byLine.size === maxSyntaxFaults) break;
    const place = source.place(problem.pos[0]);
    if (byLine.has(place.line)) continue;
    const message = syntaxMessages[problem.code] ?? `not well-formed YAML: ${firstLower(problem.message)}`;
    byLine.set(place.line, new SkeinError('SK1005', message, { place }));
  }
  return [...byLine.values()];
}

const syntaxMessages: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab is used for indentation; YAML takes spaces only',
  BAD_INDENT: 'the indentation does not line up with what it belongs to',
  NON_STRING_KEY: 'a key must be text',
  TAG_RESOLVE_FAILED: 'tags (`!…`) are not accepted',
};

function firstLower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\s+/g, ' ');
}

/** Where a path leads: the node, and the key in front of it. */
interface Found {
  readonly node: unknown;
  readonly key?: unknown;
  /** False where the path went on and the file did not. */
  readonly whole: boolean;
}

/** The tree of a text that was read before without a fault of syntax. */
function treeOf(source: SourceText): Tree {
  const parsed = parse(source);
  if (parsed instanceof SkeinError) throw parsed;
  return convert(source, parsed.contents).tree;
}

class Located implements YamlDocument {
  readonly file: string;
  readonly value: Json;
  readonly #source: SourceText;
  #tree: Tree | undefined;
  #pairs: WeakMap<YAMLMap, ReadonlyMap<string, Pair>> = new WeakMap();

  constructor(source: SourceText, tree: Tree, value: Json) {
    this.file = source.file;
    this.value = value;
    this.#source = source;
    this.#tree = tree;
  }

  release(): void {
    this.#tree = undefined;
    this.#pairs = new WeakMap();
  }

  place(path: Path): FilePlace {
    const found = this.#find(path);
    const empty =
      found.node === null ||
      (isScalar(found.node) && found.node.source === '' && found.node.type === 'PLAIN');
    return this.#source.place(
      startOf(empty ? (found.key ?? found.node) : found.node) ?? startOf(found.key) ?? 0,
    );
  }

  keyPlace(path: Path): FilePlace {
    const found = this.#find(path);
    return found.whole && found.key !== undefined
      ? this.#source.place(startOf(found.key) ?? 0)
      : this.place(path);
  }

  textPlace(path: Path): FilePlace {
    const { node, whole } = this.#find(path);
    const start = startOf(node);
    if (!whole || !isScalar(node) || start === undefined) return this.place(path);
    if (node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE') return this.#source.place(start + 1);
    if (node.type !== 'BLOCK_LITERAL' && node.type !== 'BLOCK_FOLDED') return this.place(path);
    const nextLine = this.#source.text.indexOf('\n', start) + 1;
    const first = nextLine === 0 ? -1 : this.#source.text.slice(nextLine).search(/\S/);
    return first === -1 ? this.place(path) : this.#source.place(nextLine + first);
  }

  written(path: Path): string | undefined {
    const { node, whole } = this.#find(path);
    if (!whole || !isScalar(node)) return undefined;
    return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
  }

  #find(path: Path): Found {
    this.#tree ??= treeOf(this.#source);
    const { root, targets } = this.#tree;
    let found: Found = { node: targetOf(root, targets), whole: true };
    for (const step of path) {
      const next = this.#step(found.node, step, targets);
      if (next === undefined) return { ...found, whole: false };
      found = next;
    }
    return found;
  }

  #step(node: unknown, step: string | number, targets: Tree['targets']): Found | undefined {
    if (isSeq(node)) {
      const item = node.items[Number(step)];
      return item === undefined ? undefined : { node: targetOf(item, targets), whole: true };
    }
    if (!isMap(node)) return undefined;
    const pair = this.#pairsOf(node).get(String(step));
    return pair && { node: targetOf(pair.value, targets), key: pair.key, whole: true };
  }

  #pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
    const known = this.#pairs.get(map);
    if (known !== undefined) return known;
    const pairs = new Map<string, Pair>();
    for (const pair of map.items) {
      const key = isScalar(pair.key) ? String(pair.key.value ?? '') : undefined;
      // The first of two stands, as in the value.
      if (key !== undefined && !pairs.has(key)) pairs.set(key, pair);
    }
    this.#pairs.set(map, pairs);
    return pairs;
  }
}

function targetOf(node: unknown, targets: Tree['targets']): unknown {
  return isAlias(node) ? (targets.get(node) ?? node) : node;
}
