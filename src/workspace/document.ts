/** One YAML file as a plain value and the places of its parts (W-4). */
import type { FilePlace, SkeinError } from '../errors/index.ts';
import { type Converted, convert } from './conversion.ts';
import type { Json } from './model.ts';
import { readQuickly } from './quick-reader.ts';
import type { SourceText } from './source.ts';
import type { Entry, Mapping, Node } from './tree.ts';

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
}

export interface YamlReading {
  /** Absent when the file is not YAML at all, or empty. */
  readonly document?: YamlDocument;
  readonly faults: readonly SkeinError[];
}

/**
 * Reads what is plain with the quick reader and all else with the thorough one: the two agree on what they both read. Never
 * throws for what a file may hold: whatever is wrong is among the faults (SK1005 to SK1008).
 */
export async function readDocument(source: SourceText): Promise<YamlReading> {
  const root = readQuickly(source);
  if (root !== undefined) return located(source, root);
  const { readThoroughly } = await import('./thorough-reader.ts');
  const syntax = readThoroughly(source);
  return 'faults' in syntax ? syntax : located(source, syntax.root);
}

function located(source: SourceText, root: Node): YamlReading {
  const converted = convert(source, root);
  return { document: new Located(source, root, converted), faults: converted.faults };
}

/** Where a path leads: the node, and the entry that it is the value of. */
interface Found {
  /** Absent behind a key that has not even a colon. */
  readonly node?: Node | undefined;
  readonly entry?: Entry | undefined;
  /** False where the path went on and the file did not. */
  readonly isWhole: boolean;
}

/** Up to here, looking through the entries of a mapping costs less than an index of them. */
const fewEntries = 16;

class Located implements YamlDocument {
  readonly file: string;
  readonly value: Json;
  readonly #source: SourceText;
  readonly #root: Node;
  readonly #targets: Converted['targets'];
  readonly #indexes = new Map<Mapping, ReadonlyMap<string, Entry>>();

  constructor(source: SourceText, root: Node, { value, targets }: Converted) {
    this.file = source.file;
    this.value = value;
    this.#source = source;
    this.#root = root;
    this.#targets = targets;
  }

  place(path: Path): FilePlace {
    const { node, entry } = this.#find(path);
    const isEmpty = node?.kind === 'scalar' && node.style === 'plain' && node.written === '';
    return this.#source.place((isEmpty ? (entry ?? node) : (node ?? entry))?.start ?? 0);
  }

  keyPlace(path: Path): FilePlace {
    const { entry, isWhole } = this.#find(path);
    return isWhole && entry !== undefined ? this.#source.place(entry.start) : this.place(path);
  }

  textPlace(path: Path): FilePlace {
    const { node, isWhole } = this.#find(path);
    if (!isWhole || node?.kind !== 'scalar' || node.style === 'plain') return this.place(path);
    if (node.style === 'quoted') return this.#source.place(node.start + 1);
    const nextLine = this.#source.text.indexOf('\n', node.start) + 1;
    const first = nextLine === 0 ? -1 : this.#source.text.slice(nextLine).search(/\S/);
    return first === -1 ? this.place(path) : this.#source.place(nextLine + first);
  }

  written(path: Path): string | undefined {
    const { node, isWhole } = this.#find(path);
    return isWhole && node?.kind === 'scalar' ? node.written : undefined;
  }

  #find(path: Path): Found {
    let node = this.#targetOf(this.#root);
    let entry: Entry | undefined;
    for (const step of path) {
      const next = this.#step(node, step);
      if (next === undefined) return { node, entry, isWhole: false };
      node = this.#targetOf('kind' in next ? next : next.value);
      entry = 'kind' in next ? undefined : next;
    }
    return { node, entry, isWhole: true };
  }

  #step(node: Node | undefined, step: string | number): Node | Entry | undefined {
    if (node?.kind === 'sequence') return node.items[Number(step)];
    return node?.kind === 'mapping' ? this.#entryOf(node, String(step)) : undefined;
  }

  #targetOf(node: Node | undefined): Node | undefined {
    return node?.kind === 'alias' ? (this.#targets.get(node) ?? node) : node;
  }

  /** The first of two stands, as in the value. */
  #entryOf(mapping: Mapping, name: string): Entry | undefined {
    const { entries } = mapping;
    if (entries.length <= fewEntries) return entries.find((entry) => entry.name === name);
    const index =
      this.#indexes.get(mapping) ?? new Map(entries.toReversed().map((entry) => [entry.name, entry]));
    this.#indexes.set(mapping, index);
    return index.get(name);
  }
}
