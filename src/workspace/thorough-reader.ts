/**
 * The reader for whatever the quick one leaves: it tells every fault of a file's syntax at its place (W-4). Its library costs
 * more to load and to warm up than all the rest of reading a workspace; it is imported where a file needs it.
 */
import { isAlias, isScalar, isSeq, type Pair, type ParsedNode, type Scalar as YamlScalar } from 'yaml';
import { SkeinError } from '../errors/index.ts';
import type { SourceText } from './source.ts';
import { maxSyntaxFaults, type Parsed, parse } from './syntax.ts';
import type { Entry, Node, Scalar } from './tree.ts';

export type Syntax = { readonly root: Node } | { readonly faults: readonly SkeinError[] };

/** Never throws for what a file may hold: whatever is wrong is among the faults (SK1005, SK1008). */
export function readThoroughly(source: SourceText): Syntax {
  const parsed = parse(source);
  if (parsed instanceof SkeinError) return { faults: [parsed] };
  const version = parsed.directives?.yaml;
  if (version?.explicit && version.version !== '1.2')
    return { faults: [source.fault('SK1005', 0, `files are YAML 1.2, not ${version.version}`)] };
  const problems = [...parsed.errors, ...parsed.warnings];
  if (problems.length > 0) return { faults: syntaxFaults(source, problems) };
  const root = parsed.contents && nodeOf(parsed.contents);
  if (root === null || (root.kind === 'scalar' && root.written === ''))
    return { faults: [source.fault('SK1008', 0, `${source.file} is empty`)] };
  return { root };
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

/** The library's tree as ours; the parser has bounded its depth. */
function nodeOf(node: ParsedNode): Node {
  const [start] = node.range;
  if (isAlias(node)) return { kind: 'alias', start, name: node.source };
  const { anchor } = node;
  if (isScalar(node)) return { ...scalarOf(node), anchor };
  if (isSeq(node)) return { kind: 'sequence', start, items: node.items.map(nodeOf), anchor };
  return { kind: 'mapping', start, entries: node.items.map(entryOf), anchor };
}

function entryOf({ key, value }: Pair<ParsedNode, ParsedNode | null>): Entry {
  // Any other key is among the problems of the parser already.
  if (!isScalar(key)) throw new TypeError('a key that is no scalar');
  return {
    start: key.range[0],
    name: key.source,
    isPlain: key.type === 'PLAIN',
    value: value === null ? undefined : nodeOf(value),
  };
}

function scalarOf({ value, source, type, range: [start] }: YamlScalar.Parsed): Scalar {
  return { kind: 'scalar', start, style: styles[type ?? 'PLAIN'], value: jsonOf(value), written: source };
}

const styles: Readonly<Record<YamlScalar.Type, Scalar['style']>> = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'quoted',
  QUOTE_DOUBLE: 'quoted',
  BLOCK_LITERAL: 'block',
  BLOCK_FOLDED: 'block',
};

function jsonOf(value: unknown): Scalar['value'] {
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
}
