/**
 * A line of a file as an error may show it: the values of secrets are blanked (C-2), and everything else stays in its
 * column. The file may be broken, so this goes by the text and not by a syntax tree, and rather blanks too much.
 */
import { isCredentialKey, isSecret } from '../secrets/index.ts';

/** Nobody reads a longer line; looking for keys in it costs the square of its length. */
const longestLine = 4_000;

/** The line that begins at `start`, without its line break. */
export function shownLine(text: string, start: number): string {
  const line = lineAt(text, start);
  if (line.length > longestLine) return blank(line);
  const above = secretAbove(text, start, line);
  const key = above === 'mapping' ? /^\s*(?:- +)*[^\s:]+ *:(?=\s|$)/.exec(line)?.[0] : undefined;
  if (above !== undefined) {
    const kept = key?.length ?? indentOf(line);
    return line.slice(0, kept) + blank(line.slice(kept));
  }
  let shown = line;
  for (const { key: name, from, to } of entriesOf(line)) {
    const value = line.slice(from, to);
    if (isSecret({ key: name, value })) shown = shown.slice(0, from) + blank(value) + shown.slice(to);
  }
  return isSecret({ key: '', value: shown }) ? shown.replace(/(?<=:\/\/)\S+/g, blank) : shown;
}

/** References say where a secret is, not what it is. */
function blank(value: string): string {
  return value.replace(/\$\{(?:self|endpoint|configuration):[^}\s]*\}|\S/g, (part) =>
    part.length > 1 ? part : '*',
  );
}

interface Entry {
  readonly key: string;
  /** Bounds of the value in the line, without its quotes. */
  readonly from: number;
  readonly to: number;
}

const keyPattern =
  /(?<=^|[\s{[,])(?:"((?:[^"\\]|\\.){0,256})"|'([^']{0,256})'|([\w./-]{1,128}(?: [\w./-]{1,128}){0,3})) *:(?!\/\/) */g;
const nextKeyPattern = /[,{]\s*(?:"[^"]{0,256}"|'[^']{0,256}'|[\w./-]{1,128}) *:(?=\s|$|["'])/g;

function* entriesOf(line: string): Generator<Entry> {
  const pattern = new RegExp(keyPattern);
  for (let found = pattern.exec(line); found !== null; found = pattern.exec(line)) {
    const from = pattern.lastIndex;
    const key = found[1] ?? found[2] ?? found[3] ?? '';
    const quote = /["']/.exec(line.charAt(from))?.[0];
    if (quote !== undefined) {
      const to = closingQuote(line, from + 1, quote);
      yield { key, from: from + 1, to };
      pattern.lastIndex = to;
    } else {
      yield { key, from, to: plainEnd(line, from, found.index) };
    }
  }
}

function closingQuote(line: string, from: number, quote: string): number {
  const rest = quote === '"' ? /(?:[^"\\]|\\.)*/y : /(?:[^']|'')*/y;
  rest.lastIndex = from;
  return from + (rest.exec(line)?.[0].length ?? 0);
}

/** In a flow mapping a value may be followed by the next key; in a block it takes the line. */
function plainEnd(line: string, from: number, keyAt: number): number {
  const before = line.slice(0, keyAt);
  if (!/[{[]/.test(before)) return line.length;
  const pattern = new RegExp(nextKeyPattern);
  pattern.lastIndex = from;
  const end = pattern.exec(line)?.index ?? line.length;
  return from + line.slice(from, end).replace(/[\s}\],]+$/, '').length;
}

/**
 * Whether the line belongs to the value of a secret's key that stands on a line above: to a `text` that goes on, or to
 * a `mapping` or list below the key.
 */
function secretAbove(text: string, start: number, line: string): 'text' | 'mapping' | undefined {
  let indent = indentOf(line);
  let isItem = /^\s*-(?:\s|$)/.test(line);
  for (let at = start; at > 0; ) {
    at = at === 1 ? 0 : text.lastIndexOf('\n', at - 2) + 1;
    const above = lineAt(text, at).slice(0, longestLine);
    if (/^\s*(?:#|$)/.test(above)) continue;
    const ofAbove = indentOf(above);
    const startsItem = /^\s*-(?:\s|$)/.test(above);
    // A list may stand as far left as its key.
    if (ofAbove > indent || (ofAbove === indent && (!isItem || startsItem))) continue;
    const last = [...entriesOf(above)].at(-1);
    if (last !== undefined && isCredentialKey(last.key))
      return /^\s*(?:#.*)?$/.test(above.slice(last.from)) ? 'mapping' : 'text';
    indent = ofAbove;
    isItem = startsItem;
  }
  return undefined;
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  return text.slice(start, end === -1 ? text.length : end).replace(/\r$/, '');
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
