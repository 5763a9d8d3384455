/**
 * The reader for plain files, which are nearly all: cheap to load and to run, and told to decline whatever it could read
 * otherwise than the thorough reader does. It knows no faults: who declines leaves those to the other.
 */
import {
  type AliasEvent,
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import type { SourceText } from './source.ts';
import {
  type Alias,
  type Entry,
  type Mapping,
  maxDepth,
  type Node,
  type Scalar,
  type Sequence,
} from './tree.ts';

/** The root of the file's tree; absent where the thorough reader must be asked. */
export function readQuickly({ text }: SourceText): Mapping | undefined {
  if (doubtful.test(text)) return undefined;
  const events = eventsOf(text);
  return events && new Composition(text, events).document();
}

/**
 * Tabs, byte order marks, lone carriage returns; lines that are, or look like, directives and ends of documents; and a line
 * of comment above a comma or a closing brace. Of these the two libraries make different things.
 */
const doubtful = /[\t\uFEFF]|\r(?!\n)|^(?: *%| +---|\.\.\.| *#[^\n]*\n\s*[,}])/m;

function eventsOf(text: string): readonly Event[] | undefined {
  try {
    // Far below the bound on depth, at which the two libraries count differently.
    return parseEvents(text, { maxDepth: maxDepth / 2 });
  } catch {
    // What is wrong, and whether anything is, the thorough reader tells.
    return undefined;
  }
}

/** What an anchor may be called here; the libraries differ in where a stranger name ends. */
const anchorName = /^[\w-]+$/;

/** Of an implicit key: from its first character to its colon (YAML 1.2.2, 7.4.2). */
const longestKey = 1024;

/** From events to the tree. Each method takes the events of one node, and answers `undefined` to decline. */
class Composition {
  readonly #text: string;
  readonly #events: readonly Event[];
  #next = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  document(): Mapping | undefined {
    if (this.#events[this.#next++]?.type !== EVENT_ID.DOCUMENT) return undefined;
    const root = this.#node();
    const isLast = this.#events[this.#next++]?.type === EVENT_ID.POP && this.#next === this.#events.length;
    return isLast && root?.kind === 'mapping' ? root : undefined;
  }

  #node(): Node | undefined {
    const event = this.#events[this.#next++];
    if (event === undefined) return undefined;
    switch (event.type) {
      case EVENT_ID.SCALAR:
        return this.#scalar(event);
      case EVENT_ID.MAPPING:
        return this.#mapping(event);
      case EVENT_ID.SEQUENCE:
        return this.#sequence(event);
      case EVENT_ID.ALIAS:
        return this.#alias(event);
      default:
        return undefined;
    }
  }

  #scalar(event: ScalarEvent): Scalar | undefined {
    const written = this.#written(event);
    if (written === undefined || !this.#isPlainlyNamed(event)) return undefined;
    const { valueStart, style } = event;
    const anchor = this.#anchorOf(event);
    if (style === SCALAR_STYLE.PLAIN)
      return {
        kind: 'scalar',
        start: valueStart,
        style: 'plain',
        value: plainValue(written),
        written,
        anchor,
      };
    if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED)
      return { kind: 'scalar', start: valueStart - 1, style: 'quoted', value: written, written, anchor };
    const line = this.#text.lastIndexOf('\n', valueStart - 2) + 1;
    const header = blockHeader.exec(this.#text.slice(line, valueStart))?.[1];
    return header === undefined
      ? undefined
      : {
          kind: 'scalar',
          start: valueStart - header.length,
          style: 'block',
          value: written,
          written,
          anchor,
        };
  }

  #written(event: ScalarEvent): string | undefined {
    const { valueStart, valueEnd, style, fast } = event;
    // Nothing at all: where that stands, the events do not tell.
    if (valueStart === -1) return undefined;
    if (fast) return this.#text.slice(valueStart, valueEnd);
    if (style === SCALAR_STYLE.DOUBLE_QUOTED && doubtfulEscape.test(this.#text.slice(valueStart, valueEnd)))
      return undefined;
    return getScalarValue(this.#text, event);
  }

  #sequence(event: SequenceEvent): Sequence | undefined {
    if (!this.#isPlainlyNamed(event)) return undefined;
    const isBlock = event.style === COLLECTION_STYLE.BLOCK;
    const items: Node[] = [];
    while (this.#events[this.#next]?.type !== EVENT_ID.POP) {
      const item = this.#node();
      if (item === undefined || (isBlock && this.#isBelow(item))) return undefined;
      items.push(item);
    }
    this.#next++;
    return { kind: 'sequence', start: event.start, items, anchor: this.#anchorOf(event) };
  }

  #mapping(event: MappingEvent): Mapping | undefined {
    const isBlock = event.style === COLLECTION_STYLE.BLOCK;
    // A mapping without braces in a list of brackets.
    if (!isBlock && this.#text.charAt(event.start) !== '{') return undefined;
    if (!this.#isPlainlyNamed(event)) return undefined;
    const entries: Entry[] = [];
    let last: Node | undefined;
    while (this.#events[this.#next]?.type !== EVENT_ID.POP) {
      const entry = this.#entry();
      if (entry === undefined) return undefined;
      // The library goes on behind a list's last item as if a line began there.
      if (isBlock && last?.kind === 'sequence' && !this.#isFirstInLine(entry.start)) return undefined;
      last = entry.value;
      entries.push(entry);
    }
    this.#next++;
    return { kind: 'mapping', start: event.start, entries, anchor: this.#anchorOf(event) };
  }

  #entry(): Entry | undefined {
    const key = this.#events[this.#next++];
    if (key?.type !== EVENT_ID.SCALAR || key.anchorStart !== -1 || key.tagStart !== -1) return undefined;
    if (key.style === SCALAR_STYLE.LITERAL_BLOCK || key.style === SCALAR_STYLE.FOLDED_BLOCK) return undefined;
    const name = this.#written(key);
    const isPlain = key.style === SCALAR_STYLE.PLAIN;
    const start = isPlain ? key.valueStart : key.valueStart - 1;
    const colon = isPlain ? key.valueEnd : key.valueEnd + 1;
    // The colon of an explicit key stands elsewhere.
    if (name === undefined || this.#text.charAt(colon) !== ':' || colon - start > longestKey)
      return undefined;
    const value = this.#node();
    return value === undefined || this.#isBelow(value) ? undefined : { start, name, isPlain, value };
  }

  #alias({ anchorStart, anchorEnd }: AliasEvent): Alias | undefined {
    const name = this.#text.slice(anchorStart, anchorEnd);
    return anchorName.test(name) ? { kind: 'alias', start: anchorStart - 1, name } : undefined;
  }

  /** Whether a node has no tag, and no anchor or one that both libraries read. */
  #isPlainlyNamed({ tagStart, anchorStart, anchorEnd }: Named): boolean {
    if (tagStart !== -1) return false;
    if (anchorStart === -1) return true;
    return (
      anchorName.test(this.#text.slice(anchorStart, anchorEnd)) && /\s/.test(this.#text.charAt(anchorEnd))
    );
  }

  #anchorOf({ anchorStart, anchorEnd }: Named): string | undefined {
    return anchorStart === -1 ? undefined : this.#text.slice(anchorStart, anchorEnd);
  }

  /** A text on a line below its key or dash: a comment between counts as its indentation, or does not. */
  #isBelow(node: Node): boolean {
    if (node.kind !== 'scalar') return false;
    const isAnchored = node.anchor !== undefined;
    return (
      this.#isFirstInLine(node.start) ||
      (isAnchored && this.#isFirstInLine(this.#text.lastIndexOf('&', node.start)))
    );
  }

  #isFirstInLine(start: number): boolean {
    let before = start - 1;
    while (this.#text.charAt(before) === ' ') before--;
    return before < 0 || this.#text.charAt(before) === '\n';
  }
}

type Named = Pick<ScalarEvent, 'anchorStart' | 'anchorEnd' | 'tagStart'>;

/** Code points beyond Unicode, and line breaks. */
const doubtfulEscape = /\\(?:U|\r?\n)/;

/** At the end of a line without a comment; counted indentation and kept line breaks are for the thorough reader. */
const blockHeader = /^[^#]*?([|>]-?\r?\n)$/;

/** The core schema of YAML 1.2. */
function plainValue(written: string): Scalar['value'] {
  if (!/^[-+.~\dnNtTfF]/.test(written)) return written;
  if (/^(?:~|[Nn]ull|NULL)$/.test(written)) return null;
  if (/^(?:[Tt]rue|TRUE)$/.test(written)) return true;
  if (/^(?:[Ff]alse|FALSE)$/.test(written)) return false;
  if (/^[-+]?\d+$/.test(written)) return Number.parseInt(written, 10);
  if (/^0o[0-7]+$/.test(written)) return Number.parseInt(written.slice(2), 8);
  if (/^0x[\da-fA-F]+$/.test(written)) return Number.parseInt(written.slice(2), 16);
  if (/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(written)) return Number.parseFloat(written);
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(written)) return written.startsWith('-') ? -Infinity : Infinity;
  if (/^\.(?:nan|NaN|NAN)$/.test(written)) return Number.NaN;
  return written;
}
