/** From text to what the YAML library makes of it, within bounds that hold for hostile text too (W-4). */
import { Composer, type CST, type Document, Lexer, Parser } from 'yaml';
import type { SkeinError } from '../errors/index.ts';
import type { SourceText } from './source.ts';
import { maxDepth } from './tree.ts';

/** A broken file makes the parser stumble again and again; the first faults tell. */
export const maxSyntaxFaults = 10;

export type Parsed = Document.Parsed;

const parseOptions = {
  version: '1.2',
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  // Judged by the conversion: the library compares every key with every other.
  uniqueKeys: false,
  stringKeys: true,
} as const;

/** What `parseDocument` of the library does, watching the depth: it composes by recursion and would exhaust the stack. */
export function parse(source: SourceText): Parsed | SkeinError {
  const parser = new Parser();
  const composer = new Composer(parseOptions);
  const documents: Parsed[] = [];
  let stumbles = 0;
  const compose = (tokens: Iterable<CST.Token>): void => {
    for (const token of tokens) {
      if (token.type === 'error') stumbles++;
      documents.push(...composer.next(token));
    }
  };
  for (const lexeme of new Lexer().lex(source.text)) {
    compose(parser.next(lexeme));
    if (parser.stack.length > maxDepth + 2)
      return source.fault('SK1005', parser.offset, `nested deeper than ${maxDepth} levels`);
    // Enough is known to refuse the file; a mebibyte of noise would cost seconds more.
    if (stumbles > maxSyntaxFaults || documents.length > 1) break;
  }
  compose(parser.end());
  documents.push(...composer.end(true, source.text.length));
  const [document, second] = documents;
  if (document === undefined) return source.fault('SK1008', 0, `${source.file} is empty`);
  if (second !== undefined)
    return source.fault(
      'SK1005',
      second.range[0],
      'a file holds one YAML document; a second one starts here',
    );
  return document;
}
