/**
 * Environments as text in dotenv syntax; pure. POSIX shells are the reference: `set -a; . FILE` gives every value back to
 * the byte. Libraries that read dotenv files agree on all values but a few, whose lines say nothing else wrong.
 *
 * | a value | is written | read alike by |
 * | --- | --- | --- |
 * | of letters, digits and `_ . , : / @ % + = -` alone, or empty | plain | all |
 * | else, without a single quote, not ending in a backslash | `'in single quotes'`, line breaks as they are | all |
 * | with a single quote, without `"`, `$`, backquote and backslash | `"in double quotes"` | all |
 * | else | `'in pieces'\''like this'` | shells |
 */
import type { Variable } from '../configuration/index.ts';

/** One `NAME=value` each, sorted by name, so that the same environment is the same text. */
export function dotenv(variables: readonly Pick<Variable, 'name' | 'value'>[]): string {
  return [...variables]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, value }) => `${name}=${quoted(value)}\n`)
    .join('');
}

function quoted(value: string): string {
  if (/^[A-Za-z0-9_.,:/@%+=-]*$/.test(value)) return value;
  if (!value.includes("'") && !value.endsWith('\\')) return `'${value}'`;
  if (!/["$`\\]/.test(value)) return `"${value}"`;
  // A backslash at the end stands outside of the quotes: a library would take it to escape the closing one.
  const [, body = '', end = ''] = /^(.*?)(\\*)$/s.exec(value) ?? [];
  return `'${body.replaceAll("'", "'\\''")}'${end.replaceAll('\\', '\\\\')}`;
}
