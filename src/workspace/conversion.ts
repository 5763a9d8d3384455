/**
 * From a syntax tree to a plain value. Done here rather than by the library so that duplicate keys, aliases and depth are
 * judged in one linear walk, with places (W-4).
 */
import { type Alias, isAlias, isMap, isScalar, isSeq, type Scalar, type YAMLMap } from 'yaml';
import { type ErrorCode, formatPlace, type SkeinError } from '../errors/index.ts';
import type { Json } from './model.ts';
import type { SourceText } from './source.ts';
import { fault, maxDepth } from './syntax.ts';

/** A syntax tree, and what each alias in it stands for: what places are looked up in. */
export interface Tree {
  readonly root: unknown;
  readonly targets: ReadonlyMap<Alias, unknown>;
}

export interface Converted {
  readonly value: Json;
  readonly tree: Tree;
  /** SK1005, SK1006, SK1007; the value is whole apart from these. */
  readonly faults: readonly SkeinError[];
}

export function convert(source: SourceText, root: unknown): Converted {
  const conversion = new Conversion(source);
  const value = conversion.convert(root, 0);
  return { value, tree: { root, targets: conversion.targets }, faults: conversion.faults };
}

/** Values that a file may hold once its aliases are written out. */
const maxAliasedValues = 10_000;

/** An anchor whose value is being built when an alias to it is met refers to itself. */
type Anchor =
  | { readonly state: 'open' }
  | { readonly state: 'built'; readonly node: unknown; readonly value: Json; readonly size: number };

class Conversion {
  readonly faults: SkeinError[] = [];
  /** What each alias stands for. */
  readonly targets: Map<Alias, unknown> = new Map();
  readonly #source: SourceText;
  readonly #anchors = new Map<string, Anchor>();
  /** Values built so far, aliases written out. */
  #size = 0;
  #aliased = 0;

  constructor(source: SourceText) {
    this.#source = source;
  }

  convert(node: unknown, depth: number): Json {
    if (isAlias(node)) return this.#alias(node);
    const anchor = anchorOf(node);
    if (anchor === undefined) return this.#plain(node, depth);
    this.#anchors.set(anchor, { state: 'open' });
    const before = this.#size;
    const value = this.#plain(node, depth);
    this.#anchors.set(anchor, { state: 'built', node, value, size: this.#size - before });
    return value;
  }

  #plain(node: unknown, depth: number): Json {
    this.#size++;
    if (depth > maxDepth) return this.#fault('SK1005', node, `nested deeper than ${maxDepth} levels`);
    if (isMap(node)) return this.#map(node, depth);
    if (isSeq(node)) return node.items.map((item) => this.convert(item, depth + 1));
    return isScalar(node) ? scalarOf(node) : null;
  }

  #map(map: YAMLMap, depth: number): Json {
    const entries: { [key: string]: Json } = {};
    const firsts = new Map<string, unknown>();
    for (const pair of map.items) {
      const key = isScalar(pair.key) ? String(pair.key.value ?? '') : undefined;
      if (key === undefined) this.#fault('SK1005', pair.key, 'a key must be text');
      else if (key === '__proto__') this.#fault('SK1005', pair.key, 'the key `__proto__` is not accepted');
      else if (key === '<<' && isScalar(pair.key) && pair.key.type === 'PLAIN')
        this.#fault('SK1005', pair.key, 'merge keys (`<<`) are not of YAML 1.2');
      else if (firsts.has(key))
        this.#fault(
          'SK1006',
          pair.key,
          `the key \`${key}\` is written twice: first at ${this.#shown(firsts.get(key))}`,
        );
      else {
        firsts.set(key, pair.key);
        entries[key] = this.convert(pair.value, depth + 1);
      }
    }
    return entries;
  }

  #alias(alias: Alias): Json {
    const anchor = this.#anchors.get(alias.source);
    if (anchor === undefined)
      return this.#fault('SK1007', alias, `no anchor \`&${alias.source}\` stands before this alias`);
    if (anchor.state === 'open')
      return this.#fault('SK1007', alias, `the alias \`*${alias.source}\` stands inside its own anchor`);
    const wasOver = this.#aliased > maxAliasedValues;
    this.#aliased += anchor.size;
    this.#size += anchor.size;
    // Said once: a bomb is made of many aliases.
    if (wasOver) return null;
    if (this.#aliased > maxAliasedValues)
      return this.#fault(
        'SK1007',
        alias,
        `the aliases up to here repeat more than ${maxAliasedValues} values`,
      );
    this.targets.set(alias, anchor.node);
    return anchor.value;
  }

  #fault(code: ErrorCode, node: unknown, message: string): null {
    this.faults.push(fault(this.#source, code, startOf(node) ?? 0, message));
    return null;
  }

  #shown(node: unknown): string {
    return formatPlace(this.#source.place(startOf(node) ?? 0));
  }
}

function anchorOf(node: unknown): string | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
}

function scalarOf(scalar: Scalar): Json {
  const value = scalar.value;
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return String(value);
}

/** Where a node starts in its text. */
export function startOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}
