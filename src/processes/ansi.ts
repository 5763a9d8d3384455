/**
 * Takes the escape sequences of terminals out of text, as ECMA-48 and xterm's ctlseqs describe them. One pass, a
 * handful of states and no memory of what is dropped: linear and bounded whatever a service prints.
 */

/** Text without escape sequences. An unterminated one ends at the text's end. */
export function stripAnsi(text: string): string {
  return new AnsiStripper().strip(text, false);
}

/** The same, but colours and other looks of characters (SGR, `ESC [ … m`) stay: nothing that is left steers a terminal. */
export function onlyColours(text: string): string {
  if (!hasAnsi(text)) return text;
  // An ESC ends whatever goes on, so that a colour is one wherever it stands, and divides what is around it.
  return text
    .split(colour)
    .map((piece, index) => (index % 2 === 1 ? piece : stripAnsi(piece)))
    .join('');
}

/** Whether there is anything in the text that `stripAnsi` would take out. */
export function hasAnsi(text: string): boolean {
  return introducer.test(text);
}

/**
 * Where in a sequence the text is: after ESC; in a control sequence (`ESC [ … m`); in a string that lasts until BEL or
 * ST (OSC, DCS, SOS, PM, APC).
 */
type State = 'text' | 'escape' | 'control' | 'string';

const bell = 0x07;
const cancel = 0x18;
const substitute = 0x1a;
const escapeCharacter = 0x1b;
/** The 8-bit forms of `ESC @` to `ESC _`. */
const firstC1 = 0x80;
const lastC1 = 0x9f;
const stringTerminator = 0x9c;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const introducer = /[\u001b\u0080-\u009f]/;
/** Captured, so that splitting by it keeps it. With a `?` or `>` before the numbers it would be another sequence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const colour = /(\u001b\[[0-9;:]*m)/;

/** Strips a line that comes in pieces: a sequence may begin in one and end in another, but never outlives the line. */
export class AnsiStripper {
  #state: State = 'text';

  /** Whether whole lines stay as they are: nothing of an escape sequence is in them, or under way. */
  leaves(text: string): boolean {
    return this.#state === 'text' && !hasAnsi(text);
  }

  /** `partial`: the line goes on in the next text, as `Lines.partial` says. */
  strip(text: string, partial: boolean): string {
    const stripped = this.leaves(text) ? text : this.#walk(text);
    if (!partial) this.#state = 'text';
    return stripped;
  }

  #walk(text: string): string {
    const kept: string[] = [];
    let start = this.#state === 'text' ? 0 : -1;
    for (let at = 0; at < text.length; at++) {
      const before = this.#state;
      const next = after(before, text.charCodeAt(at));
      this.#state = next.state;
      if (next.keep && start === -1) start = at;
      if (!next.keep && start !== -1) {
        kept.push(text.slice(start, at));
        start = -1;
      }
    }
    if (start !== -1) kept.push(text.slice(start));
    return kept.join('');
  }
}

interface Step {
  readonly state: State;
  /** Whether this character is text. */
  readonly keep: boolean;
}

const keepText: Step = { state: 'text', keep: true };
const drop: Readonly<Record<State, Step>> = {
  text: { state: 'text', keep: false },
  escape: { state: 'escape', keep: false },
  control: { state: 'control', keep: false },
  string: { state: 'string', keep: false },
};

function after(state: State, character: number): Step {
  if (character === escapeCharacter) return drop.escape;
  if (state === 'string') return endsString(character) ? drop.text : drop.string;
  if (character >= firstC1 && character <= lastC1) return afterIntroducer(character - 0x40);
  if (state === 'text') return keepText;
  if (character === cancel || character === substitute) return drop.text;
  // A control character or one outside ASCII cuts a broken sequence short and is itself text.
  if (character < 0x20 || character > 0x7e) return keepText;
  if (state === 'control') return character >= 0x40 ? drop.text : drop.control;
  // Intermediate characters, as in `ESC ( B`.
  return character <= 0x2f ? drop.escape : afterIntroducer(character);
}

function endsString(character: number): boolean {
  return (
    character === bell || character === stringTerminator || character === cancel || character === substitute
  );
}

/** The character after ESC says what kind of sequence it is. */
function afterIntroducer(character: number): Step {
  switch (String.fromCharCode(character)) {
    case '[':
      return drop.control;
    case ']':
    case 'P':
    case 'X':
    case '^':
    case '_':
      return drop.string;
    default:
      return drop.text;
  }
}
