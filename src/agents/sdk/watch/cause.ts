/** Why a service is to be reloaded, in words for a person. */

/** Names that are told; the rest are counted. */
const toldNames = 3;

/** `src/server.js changed`, `12 files changed: a, b, c …`. */
export function causeOf(files: readonly string[]): string {
  const [first = 'a file'] = files;
  if (files.length <= 1) return `${first} changed`;
  const more = files.length > toldNames ? ' …' : '';
  return `${files.length} files changed: ${files.slice(0, toldNames).join(', ')}${more}`;
}
