/** What makes a value secret (C-2): its author, its key, or a password in it. */

/** The key of a group's only value, where its author gave it no name of its own. */
export const soleKey = 'value';

/** Anywhere in a key: a longer word around them makes the value no less secret. */
const credentialParts = /password|passwd|secret|token|credential|api[-_. /]?key/i;

/**
 * Whether a key is credential-shaped: it holds password, secret, token, credential or api key in any spelling, or `auth`
 * as a word of its own, which `author`, `authority`, `authorize` and `oauth` are not.
 */
export function isCredentialKey(key: string): boolean {
  return credentialParts.test(key) || wordsOf(key).includes('auth');
}

/** Lower-case words of a key in any of the usual spellings: `kebab-case`, `SNAKE_CASE`, `camelCase`, `HTTPCase`, `x2y`. */
function wordsOf(key: string): string[] {
  return key
    .replace(/oauth/gi, ' oauth ')
    .replace(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .split(/[^\p{L}]+/u)
    .map((word) => word.toLowerCase());
}

/**
 * After `://`: a user (possibly none), a colon that does not begin a port, and a password up to an `@`. The bounds keep
 * the search linear on hostile text; what stands between is not taken apart, since people leave characters unescaped.
 */
const userinfo = /:\/\/[^\s/:@?#]{0,256}:(?!\d*[/?#])[^\s@]{1,4096}@/;
const passwordParameter =
  /:\/\/[^\s?]{0,1024}\?(?:[^\s]{0,4096}[&;])?(?:[a-z]{0,16}password|passwd|pwd)=[^\s&;]/i;

/** Whether the text holds a URL with a password in it, before the host or as a parameter. */
export function hasPassword(text: string): boolean {
  return (text.includes('@') && userinfo.test(text)) || passwordParameter.test(text);
}

export interface Judged {
  readonly key: string;
  readonly value: string;
  /** By its author, or by the agent that exposes it. */
  readonly marked?: boolean;
}

/** The whole of C-2 for a value that stands in no file. */
export function isSecret({ key, value, marked = false }: Judged): boolean {
  return marked || isCredentialKey(key) || hasPassword(value);
}

/** A configuration that a service exposes to its dependents, as C-2 sees it. */
export interface JudgedConfiguration extends Judged {
  /** May be nested: `auth/frontend`. */
  readonly group: string;
}

/**
 * The whole of C-2 for an exposed value. The only value of a group that its author wrote as a text has the key
 * `value`, so that the group's name is what tells.
 */
export function isSecretConfiguration({ group, ...judged }: JudgedConfiguration): boolean {
  return isSecret(judged) || (judged.key === soleKey && isCredentialKey(group));
}
