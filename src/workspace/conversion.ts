/**
 * From a syntax tree to a plain value. Done here rather than by a library so that duplicate keys, aliases and depth are judged
 * in one linear walk, with places, and the same for both readers (W-4).
 */
import { type ErrorCode, formatPlace, type SkeinError } from '../errors/index.ts';
import type { Json } from './model.ts';
import type { SourceText } from './source.ts';
import { type Alias, type Entry, type Mapping, maxDepth, type Node } from './tree.ts';

export interface Converted {
  readonly value: Json;
  /** What each sound alias stands for. */
  readonly targets: ReadonlyMap<Alias, Node>;
  /** SK1005, SK1006, SK1007; the value is whole apart from these. */
  readonly faults: readonly SkeinError[];
}

export function convert(source: SourceText, root: Node): Converted {
  const conversion = new Conversion(source);
  const value = conversion.convert(root, 0);
  return { value, targets: conversion.targets, faults: conversion.faults };
}

/** Values that a file may hold once its aliases are written out. */
const maxAliasedValues = 10_000;

/** An anchor whose value is being built when an alias to it is met refers to itself. */
type Anchor =
  | { readonly state: 'open' }
  | { readonly state: 'built'; readonly node: Node; readonly value: Json; readonly size: number };

class Conversion {
  readonly faults: SkeinError[] = [];
  readonly targets: Map<Alias, Node> = new Map();
  readonly #source: SourceText;
  readonly #anchors = new Map<string, Anchor>();
  /** Values built so far, aliases written out. */
  #size = 0;
  #aliased = 0;

  constructor(source: SourceText) {
    this.#source = source;
  }

  convert(node: Node | undefined, depth: number): Json {
    if (node?.kind === 'alias') return this.#alias(node);
    if (node?.anchor === undefined) return this.#plain(node, depth);
    this.#anchors.set(node.anchor, { state: 'open' });
    const before = this.#size;
    const value = this.#plain(node, depth);
    this.#anchors.set(node.anchor, { state: 'built', node, value, size: this.#size - before });
    return value;
  }

  #plain(node: Exclude<Node, Alias> | undefined, depth: number): Json {
    this.#size++;
    if (depth > maxDepth) return this.#fault('SK1005', node, `nested deeper than ${maxDepth} levels`);
    if (node?.kind === 'mapping') return this.#map(node, depth);
    if (node?.kind === 'sequence') return node.items.map((item) => this.convert(item, depth + 1));
    return node === undefined ? null : node.value;
  }

  #map(map: Mapping, depth: number): Json {
    const values: { [key: string]: Json } = {};
    const firsts = new Map<string, Entry>();
    for (const entry of map.entries) {
      const { name } = entry;
      const first = firsts.get(name);
      if (name === '__proto__') this.#fault('SK1005', entry, 'the key `__proto__` is not accepted');
      else if (name === '<<' && entry.isPlain)
        this.#fault('SK1005', entry, 'merge keys (`<<`) are not of YAML 1.2');
      else if (first !== undefined)
        this.#fault(
          'SK1006',
          entry,
          `the key \`${name}\` is written twice: first at ${formatPlace(this.#source.place(first.start))}`,
        );
      else {
        firsts.set(name, entry);
        values[name] = this.convert(entry.value, depth + 1);
      }
    }
    return values;
  }

  #alias(alias: Alias): Json {
    const anchor = this.#anchors.get(alias.name);
    if (anchor === undefined)
      return this.#fault('SK1007', alias, `no anchor \`&${alias.name}\` stands before this alias`);
    if (anchor.state === 'open')
      return this.#fault('SK1007', alias, `the alias \`*${alias.name}\` stands inside its own anchor`);
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

  #fault(code: ErrorCode, at: Node | Entry | undefined, message: string): null {
    this.faults.push(this.#source.fault(code, at?.start ?? 0, message));
    return null;
  }
}
