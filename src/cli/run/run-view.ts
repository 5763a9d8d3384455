/** What a foreground run shows while it goes on: plain lines for a person, or JSON lines for a program. */
import type { Event, LogChunk, RunSnapshot } from '../../gen/skein/control/v1/control_pb.js';
import type { Palette } from '../view/colours.ts';
import { eventDocument, logDocuments, receiptDocument } from '../view/documents.ts';
import type { OutputLines } from '../view/output-lines.ts';
import { plainText } from '../view/plain-text.ts';
import { failureText, isClean, receiptText } from '../view/status-text.ts';
import type { Stage } from './interrupts.ts';

/** Texts for stdout and stderr; each whole lines, or empty. */
export interface Shown {
  readonly out: string;
  readonly progress: string;
}

export interface RunView {
  events(events: readonly Event[]): Shown;
  /** The run is ready: what can be reached where. */
  ready(run: RunSnapshot): Shown;
  output(chunks: readonly LogChunk[]): Shown;
  interrupted(stage: Stage, cause: string): Shown;
  end(run: RunSnapshot): Shown;
}

/** One document a line on stdout: events, output, at last the receipt. Each kind is known by its keys. */
export function jsonView(): RunView {
  const lines = (documents: readonly unknown[]): Shown => ({
    out: documents.map((document) => `${JSON.stringify(document)}\n`).join(''),
    progress: '',
  });
  return {
    events: (events) => lines(events.map(eventDocument)),
    ready: () => nothing,
    output: (chunks) => lines(chunks.flatMap(logDocuments)),
    interrupted: () => nothing,
    end: (run) => lines(run.receipt === undefined ? [] : [receiptDocument(run.receipt)]),
  };
}

export interface PlainViewOptions {
  readonly output: OutputLines;
  readonly nameOf: (service: string) => string;
  /** `module/service` of the services asked for, as of now. */
  readonly roots: () => ReadonlySet<string>;
  readonly palette: Palette;
  /** Warnings and errors only. */
  readonly quiet: boolean;
}

const stageWords: Readonly<Record<Stage, string>> = {
  stop: 'stopping the services in order; Ctrl-C again hurries',
  hurry: 'hurrying: 2 s for each layer; Ctrl-C again kills',
  kill: 'killing everything',
};

/** Services' lines on stdout, skein's own on stderr. */
export function plainView({ output, nameOf, roots, palette, quiet }: PlainViewOptions): RunView {
  const say = (lines: readonly string[]): Shown => ({
    out: '',
    progress: lines.map((line) => `${palette.dim('skein |')} ${line}\n`).join(''),
  });
  const tell = (event: Event): string[] => {
    const who = event.service === '' ? 'the run' : nameOf(event.service);
    const cause = plainText(event.cause);
    if (event.severity === 'error') return [palette.bad(`${who} ${event.state}: ${cause}`)];
    if (event.severity === 'warning') return [palette.warn(`${who}: ${cause}`)];
    const words = quiet ? undefined : progressWords({ ...event, cause });
    return words === undefined ? [] : [`${who} ${words}`];
  };
  return {
    events: (events) => say(events.flatMap(tell)),
    ready: (run) => (quiet ? nothing : say(addresses(run, roots()))),
    output: (chunks) => ({ out: chunks.map((chunk) => output.lines(chunk)).join(''), progress: '' }),
    interrupted: (stage, cause) => say([`${cause}: ${stageWords[stage]}`]),
    end: (run) => {
      const failure = run.failure === undefined ? '' : `${failureText(run.failure)}\n`;
      const { receipt } = run;
      const clean = receipt === undefined || isClean(receipt);
      const teardown = receipt === undefined || (clean && quiet) ? '' : `${receiptText(receipt)}\n`;
      return { out: output.rest(), progress: plainText(teardown + failure) };
    },
  };
}

const nothing: Shown = { out: '', progress: '' };

/** `undefined` for steps that only matter to one who looks closer (`skein events`). */
function progressWords(event: Event): string | undefined {
  switch (event.phase) {
    case 'ready':
      return event.state === 'stopping' ? undefined : `is ${event.cause}`;
    case 'process':
      return event.cause;
    case 'run':
      return `is ${event.state}${event.cause === '' ? '' : ` (${event.cause})`}`;
    case 'start':
      return event.state === 'completed' ? 'has completed' : undefined;
    case 'extend':
    case 'withdraw':
      return event.service === '' ? `is ${event.cause}` : undefined;
    case 'stop':
      return event.service === '' ? undefined : `is ${event.state}`;
    default:
      return undefined;
  }
}

/** Where the services asked for can be reached. */
export function addresses(run: RunSnapshot, roots: ReadonlySet<string>): string[] {
  return run.services
    .filter((service) => roots.has(service.id))
    .flatMap((service) => service.endpoints)
    .filter((endpoint) => endpoint.address !== '')
    .map((endpoint) => `${endpoint.id} at ${endpoint.url || endpoint.address}`);
}
