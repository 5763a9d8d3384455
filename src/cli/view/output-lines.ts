/**
 * Output of services as lines for a terminal or a file: each with its service in front, never torn, a chunk at a time so
 * that half a million lines are cheap.
 */
import type { LogChunk } from '../../gen/skein/control/v1/control_pb.js';
import { hasAnsi, onlyColours, stripAnsi } from '../../processes/index.ts';
import type { Palette } from './colours.ts';

/** Where a line that does not end is broken after all, characters of all lines under way together. */
const heldLimit = 64 * 1024 * 1024;

export interface OutputLinesOptions {
  /** `module/service` of every service that has output from the beginning: the width of the names is theirs. */
  readonly services: readonly string[];
  /** What a service is called in front of its lines. */
  readonly nameOf: (service: string) => string;
  readonly palette: Palette;
  /** The services' own colours stay in. Whatever else would steer a terminal never does. */
  readonly colours: boolean;
}

export class OutputLines {
  readonly #options: OutputLinesOptions;
  readonly #width: number;
  readonly #prefixes = new Map<string, string>();
  /** Pieces of lines that go on, by service and stream. */
  readonly #held = new Map<string, { readonly prefix: string; readonly pieces: string[] }>();
  #heldSize = 0;

  constructor(options: OutputLinesOptions) {
    this.#options = options;
    this.#width = Math.max(0, ...options.services.map((service) => options.nameOf(service).length));
  }

  /** Whole lines with their line breaks; empty where nothing is complete. */
  lines(chunk: LogChunk): string {
    const prefix = this.#prefixes.get(chunk.service) ?? this.#addPrefix(chunk.service);
    const key = `${chunk.service} ${chunk.stream}`;
    const end = chunk.partial ? chunk.text.lastIndexOf('\n') : chunk.text.length;
    const text = end === -1 ? undefined : this.#take(key) + chunk.text.slice(0, end);
    if (chunk.partial) this.#hold(key, prefix, chunk.text.slice(end + 1));
    const whole = text === undefined ? '' : this.#format(prefix, text);
    return this.#heldSize > heldLimit ? whole + this.rest() : whole;
  }

  /** What is left of lines that never ended. */
  rest(): string {
    const lines = [...this.#held.values()].map(({ prefix, pieces }) => this.#format(prefix, pieces.join('')));
    this.#held.clear();
    this.#heldSize = 0;
    return lines.join('');
  }

  /** Also of a service that joined the run later. */
  #addPrefix(service: string): string {
    const { nameOf, palette } = this.#options;
    const prefix = `${palette.ofName(service, `${nameOf(service).padEnd(this.#width)} |`)} `;
    this.#prefixes.set(service, prefix);
    return prefix;
  }

  #hold(key: string, prefix: string, piece: string): void {
    const held = this.#held.get(key) ?? { prefix, pieces: [] };
    held.pieces.push(piece);
    this.#held.set(key, held);
    this.#heldSize += piece.length;
  }

  #take(key: string): string {
    const held = this.#held.get(key);
    if (held === undefined) return '';
    this.#held.delete(key);
    const text = held.pieces.join('');
    this.#heldSize -= text.length;
    return text;
  }

  #format(prefix: string, text: string): string {
    if (!hasAnsi(text)) return prefix + text.replace(/\n/g, `\n${prefix.replaceAll('$', '$$$$')}`) + '\n';
    const shown = text.split('\n').map(this.#options.colours ? closedColours : stripAnsi);
    return shown.map((line) => `${prefix}${line}\n`).join('');
  }
}

/** A colour left on by one line must not reach the next one's prefix. */
function closedColours(line: string): string {
  const shown = onlyColours(line);
  return hasAnsi(shown) ? `${shown}\u001b[0m` : shown;
}
