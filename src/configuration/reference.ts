/**
 * The references that a text may hold (C-7), parsed: text and references in turn, each reference with its place. A `$$`
 * is a plain `$`; a `$` before anything but `{` and `$` is literal.
 */
import { type ErrorCode, type FilePlace, nearest, SkeinError, SkeinFaults } from '../errors/index.ts';
import { namePattern, type ServiceId, serviceId, type Template } from '../workspace/index.ts';

/**
 * Which part of an address is meant. Without one: the URL of an `http`, `rest` or `connect` endpoint, `host:port` of any
 * other.
 */
export type Part = 'host' | 'port' | 'authority' | 'url';

export interface EndpointReference {
  readonly kind: 'endpoint';
  readonly service: ServiceId;
  /** Name of an endpoint, or an API that exactly one of those within reach speaks (C-8). */
  readonly token: string;
  readonly part: Part | undefined;
  readonly written: string;
  readonly place: FilePlace;
}

/** To an endpoint of the service itself. */
export interface SelfReference {
  readonly kind: 'self';
  readonly token: string;
  readonly part: Part | undefined;
  readonly written: string;
  readonly place: FilePlace;
}

export interface ConfigurationReference {
  readonly kind: 'configuration';
  readonly service: ServiceId;
  /** `group/key`, or `group` alone; groups may nest, and only what is exposed tells which it is. */
  readonly path: string;
  readonly written: string;
  readonly place: FilePlace;
}

export type Reference = EndpointReference | SelfReference | ConfigurationReference;
export type Piece = { readonly kind: 'text'; readonly text: string } | Reference;

const parts: readonly Part[] = ['host', 'port', 'authority', 'url'];
const schemes = ['endpoint', 'self', 'configuration', 'secret'] as const;
type Scheme = (typeof schemes)[number];

/**
 * @throws {SkeinError} SK1101 (malformed), SK1102 (unknown kind), SK1103 (a secret: not in this version), each with the
 *   reference's place in the file; all of them together when there are several.
 */
export function parseTemplate(template: Template): readonly Piece[] {
  const { text } = template;
  const pieces: Piece[] = [];
  const faults: SkeinError[] = [];
  let literal = '';
  let at = 0;
  while (at < text.length) {
    const dollar = text.indexOf('$', at);
    if (dollar === -1) break;
    literal += text.slice(at, dollar);
    const next = text[dollar + 1];
    if (next !== '{') {
      literal += '$';
      at = dollar + (next === '$' ? 2 : 1);
      continue;
    }
    const end = endOf(text, dollar);
    const written = text.slice(dollar, end);
    const parsed = parseReference(written, placeIn(template, dollar));
    if (parsed instanceof SkeinError) faults.push(parsed);
    else {
      if (literal !== '') pieces.push({ kind: 'text', text: literal });
      literal = '';
      pieces.push(parsed);
    }
    at = end;
  }
  literal += text.slice(at);
  if (literal !== '') pieces.push({ kind: 'text', text: literal });
  if (faults.length === 1 && faults[0] !== undefined) throw faults[0];
  if (faults.length > 0) throw new SkeinFaults(faults);
  return pieces;
}

/** After the closing brace; of an unclosed reference, before the next one or the line's end. */
function endOf(text: string, start: number): number {
  for (let at = start + 2; at < text.length; at++) {
    if (text[at] === '}') return at + 1;
    if (text[at] === '\n' || (text[at] === '$' && text[at + 1] === '{')) return at;
  }
  return text.length;
}

function parseReference(written: string, place: FilePlace): Reference | SkeinError {
  const refuse = (reason: string, code: ErrorCode = 'SK1101'): SkeinError =>
    new SkeinError(code, `the reference ${written.trimEnd()} ${reason}`, { place });
  if (!written.endsWith('}')) return refuse('is not closed: a `}` is missing');
  const body = written.slice(2, -1);
  if (body === '') return refuse('is empty');
  const colon = body.indexOf(':');
  const word = colon === -1 ? body : body.slice(0, colon);
  if (!isScheme(word)) return unknownScheme(word, refuse);
  if (colon === -1) return refuse(`names nothing: a \`:\` must follow \`${word}\``);
  if (word === 'secret') return refuse('names a secret, which this version does not resolve', 'SK1103');
  const bar = body.indexOf('|');
  const subject = bar === -1 ? body.slice(colon + 1) : body.slice(colon + 1, bar);
  const part = bar === -1 ? undefined : body.slice(bar + 1);
  if (part !== undefined && word === 'configuration')
    return refuse('has a part: a configuration is a text and has none');
  if (part !== undefined && !isPart(part)) {
    const guess = nearest(part, parts);
    const known = guess === undefined ? `the parts are ${parts.join(', ')}` : `did you mean \`${guess}\`?`;
    return refuse(`asks for the part \`${part}\`; ${known}`);
  }
  const names = subject.split('/');
  const bad = names.find((name, index) => !fits(word, name, index));
  const shape = shapes[word];
  if (subject === '') return refuse(`names nothing; expected ${shape}`);
  if (bad !== undefined) return refuse(`has the bad name ${JSON.stringify(bad)}; expected ${shape}`);
  const [first = '', second = '', third = '', ...rest] = names;
  if (word === 'self')
    return names.length === 1
      ? { kind: word, token: first, part, written, place }
      : refuse(`is not ${shape}`);
  const service = serviceId(first, second);
  if (word === 'endpoint')
    return names.length === 3
      ? { kind: word, service, token: third, part, written, place }
      : refuse(`has ${names.length} names; expected ${shape}`);
  return names.length >= 3
    ? { kind: word, service, path: [third, ...rest].join('/'), written, place }
    : refuse(`has ${names.length} ${names.length === 1 ? 'name' : 'names'}; expected ${shape}`);
}

const shapes: Readonly<Record<Exclude<Scheme, 'secret'>, string>> = {
  endpoint: '${endpoint:module/service/endpoint}',
  self: '${self:endpoint}',
  configuration: '${configuration:module/service/group[/key]}',
};

/** Groups and keys are named by agents and authors with more freedom than services. */
function fits(scheme: Scheme, name: string, index: number): boolean {
  return scheme === 'configuration' && index >= 2 ? /^[A-Za-z0-9_.-]+$/.test(name) : namePattern.test(name);
}

function unknownScheme(word: string, refuse: (reason: string, code: ErrorCode) => SkeinError): SkeinError {
  const guess = nearest(word, schemes);
  const known = guess === undefined ? `it can be ${schemes.join(', ')}` : `did you mean \`${guess}\`?`;
  return refuse(`is of the unknown kind ${JSON.stringify(word)}; ${known}`, 'SK1102');
}

function isScheme(word: string): word is Scheme {
  return schemes.some((scheme) => scheme === word);
}

function isPart(word: string): word is Part {
  return parts.some((part) => part === word);
}

/**
 * The place of a character of the template: exact for a text of one line without escapes and for block scalars, which keep
 * their indentation; near by for texts that YAML folds.
 */
function placeIn({ text, place }: Template, offset: number): FilePlace {
  const before = text.slice(0, offset);
  const breaks = before.split('\n').length - 1;
  const column = place.column + offset - (before.lastIndexOf('\n') + 1);
  const { file, line } = place;
  if (breaks > 0) return { file, line: line + breaks, column };
  return {
    file,
    line,
    column,
    // Found out when it is shown: of the many references that a workspace has, hardly one ever is.
    get source() {
      return place.source;
    },
  };
}
