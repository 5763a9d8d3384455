/** Colours of a terminal, and which one a service always has. */

/** Wraps text in what turns a colour on and off; or gives it back where there is no colour. */
export interface Palette {
  /** The colour of this name: the same in every run. */
  readonly ofName: (name: string, text: string) => string;
  readonly bad: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly dim: (text: string) => string;
}

/** Cyan, yellow, green, magenta, blue and their bright forms; red is for failures. */
const nameColours = [36, 33, 32, 35, 34, 96, 93, 92, 95, 94];

/** Whether a stream is written to in colour (U-2). `wanted`: not `--no-color`. */
export function hasColour(
  stream: { isTTY?: boolean },
  wanted: boolean,
  environment: NodeJS.ProcessEnv,
): boolean {
  const set = (name: string): boolean => (environment[name] ?? '') !== '';
  return wanted && stream.isTTY === true && !set('NO_COLOR') && !set('CI') && environment['TERM'] !== 'dumb';
}

export function palette(colour: boolean): Palette {
  const paint = (code: number) => (text: string) => (colour ? `\u001b[${code}m${text}\u001b[39m` : text);
  return {
    ofName: (name, text) => paint(nameColours[hash(name) % nameColours.length] ?? 36)(text),
    bad: paint(31),
    good: paint(32),
    warn: paint(33),
    dim: (text) => (colour ? `\u001b[2m${text}\u001b[22m` : text),
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value;
}
