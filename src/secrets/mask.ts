/**
 * Takes secrets out of a service's output by their value, before anything leaves the agent (C-2, U-13). Overlapping
 * occurrences are masked as one, so that no remainder of a secret stays behind.
 */

/** What stands in place of a secret; its length tells nothing. */
export const MASK = '***';

/** Shorter values are not masked: they would black out ordinary text and are guessed faster than found. */
const minimumLength = 4;

export class SecretMask {
  /** Longest first. */
  #secrets: readonly string[] = [];

  /**
   * Masks a value from now on, and what a service is likely to print of it alone: each of its lines, the password of a
   * URL, and the texts within a JSON document.
   */
  add(value: string): void {
    const secrets = new Set(this.#secrets);
    for (const form of formsOf(value))
      if (form.length >= minimumLength && !MASK.includes(form)) secrets.add(form);
    if (secrets.size === this.#secrets.length) return;
    this.#secrets = [...secrets].sort((a, b) => b.length - a.length);
  }

  /** The text with every secret in it replaced by `***`. */
  apply(text: string): string {
    return this.#mayContain(text) ? replaceSpans(text, this.#spans(text)) : text;
  }

  /**
   * Where a text that goes on may be cut so that no secret is torn: everything before the result can be masked and
   * handed out now. What is held back is shorter than the longest secret, unless secrets overlap.
   */
  safeCut(text: string): number {
    const longest = this.#secrets[0]?.length ?? 0;
    let cut = Math.max(0, text.length - Math.max(0, longest - 1));
    for (const { start, end } of this.#spans(text)) if (start < cut && cut < end) cut = start;
    return cut;
  }

  #mayContain(text: string): boolean {
    return this.#secrets.some((secret) => text.includes(secret));
  }

  /** Disjoint, in order. */
  #spans(text: string): Span[] {
    const found = this.#secrets
      .flatMap((secret) => occurrences(text, secret))
      .sort((a, b) => a.start - b.start);
    const merged: Span[] = [];
    for (const span of found) {
      const last = merged.at(-1);
      if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
      else merged.push(span);
    }
    return merged;
  }
}

interface Span {
  readonly start: number;
  end: number;
}

function occurrences(text: string, secret: string): Span[] {
  const spans: Span[] = [];
  // One character on, not one secret on: a secret can overlap itself.
  for (let start = text.indexOf(secret); start !== -1; start = text.indexOf(secret, start + 1))
    spans.push({ start, end: start + secret.length });
  return spans;
}

function replaceSpans(text: string, spans: readonly Span[]): string {
  const kept: string[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    kept.push(text.slice(at, start), MASK);
    at = end;
  }
  kept.push(text.slice(at));
  return kept.join('');
}

function* formsOf(value: string): Generator<string> {
  yield value;
  if (/[\r\n]/.test(value)) for (const line of value.split(/\r\n|\r|\n/)) yield line.trim();
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*?:([^/?#]*)@/i.exec(value)?.[1];
  if (password !== undefined) {
    yield password;
    yield decoded(password);
  }
  if (/^\s*[[{]/.test(value)) yield* textsOf(parsed(value));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded after all: the text itself is masked already.
    return text;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Only looked like JSON: the text itself is masked already.
    return undefined;
  }
}

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) yield* textsOf(part);
}
