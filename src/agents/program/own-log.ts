/** An agent's own log: its stderr, and what it prints on stdout besides the handshake; never a service's output. */
import type { OutputStream } from '../../processes/index.ts';

/** A line as it was printed. */
export interface PrintedLine {
  readonly stream: OutputStream;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  readonly text: string;
}

/** `text` is what a person reads; `fields` is the whole object of a JSON line. */
export type AgentLogLine = {
  readonly stream: 'stdout' | 'stderr';
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  readonly text: string;
} & (
  | { readonly form: 'text' }
  | {
      readonly form: 'json';
      readonly level: string | undefined;
      readonly fields: Readonly<Record<string, unknown>>;
    }
);

/** What is kept for error messages. */
const keptBytes = 64 * 1024;
/** How many of the kept lines an error shows, and how much of each. */
const shownLines = 30;
const shownCharacters = 1_000;

/** Keeps the last 64 KiB and tells listeners each line. */
export class AgentLog {
  readonly #kept: string[] = [];
  #bytes = 0;
  readonly #listeners: Set<(line: AgentLogLine) => void> = new Set();

  take(line: PrintedLine): void {
    const parsed = parseLogLine(line);
    this.#keep(parsed.text);
    for (const listener of this.#listeners) listener(parsed);
  }

  /** @returns what ends the listening. */
  listen(listener: (line: AgentLogLine) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Oldest first. */
  lastLines(): readonly string[] {
    return this.#kept
      .slice(-shownLines)
      .map((line) => (line.length > shownCharacters ? `${line.slice(0, shownCharacters)}…` : line));
  }

  #keep(text: string): void {
    this.#kept.push(text);
    this.#bytes += text.length + 1;
    while (this.#bytes > keptBytes && this.#kept.length > 1)
      this.#bytes -= (this.#kept.shift()?.length ?? 0) + 1;
  }
}

/** A line that is one JSON object is parsed; anything else is text. */
export function parseLogLine({ text, stream, timeMs }: PrintedLine): AgentLogLine {
  const fields = text.startsWith('{') ? parseObject(text) : undefined;
  if (fields === undefined) return { form: 'text', stream, timeMs, text };
  const message = fields['message'] ?? fields['msg'];
  const level = fields['level'];
  return {
    form: 'json',
    stream,
    timeMs,
    text: typeof message === 'string' ? message : text,
    level: typeof level === 'string' ? level : undefined,
    fields,
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch (error) {
    // The documented answer to text that is no JSON.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
