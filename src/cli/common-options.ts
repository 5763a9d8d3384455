/** The options that every command takes, with the same meaning everywhere (U-1). */
import { Command, InvalidArgumentError } from '@commander-js/extra-typings';

export interface CommonOptions {
  /** Where to look for the workspace from. */
  readonly cwd: string;
  /** stdout is JSON, stderr too. */
  readonly json?: true;
  /** No progress. */
  readonly quiet?: true;
  /** Stack traces. */
  readonly verbose?: true;
  /** `false`: never; `true`: where the terminal has it. */
  readonly color: boolean;
}

type CommonFlags = {
  cwd: string;
  json?: true;
  quiet?: true;
  verbose?: true;
  color: boolean;
};

export function command(name: string, description: string): Command<[], CommonFlags> {
  return new Command(name)
    .description(description)
    .option('--cwd <dir>', 'folder to look for the workspace from', '.')
    .option('--json', 'write JSON to stdout, and errors as JSON to stderr')
    .option('-q, --quiet', 'write results and errors only')
    .option('-v, --verbose', 'show stack traces')
    .option('--no-color', 'write without colour (as NO_COLOR and CI do)') as Command<[], CommonFlags>;
}

/** Examples at the end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** `250ms`, `10s`, `5m`, `1h` in milliseconds. */
export function duration(written: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(written);
  if (match === null) throw new InvalidArgumentError('Expected a duration such as 250ms, 10s or 5m.');
  return Number(match[1]) * units[match[2] as keyof typeof units];
}

/** A whole number from 0 on. */
export function count(written: string): number {
  if (!/^\d{1,9}$/.test(written)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(written);
}

/** A whole number from 1 on. */
export function positive(written: string): number {
  const number = count(written);
  if (number === 0) throw new InvalidArgumentError('Expected a whole number from 1 on.');
  return number;
}

/** A duration before now, or a moment in ISO 8601; milliseconds since 1970. */
export function moment(written: string): number {
  const ago = /^[\d.]+(ms|s|m|h)$/.test(written) ? Date.now() - duration(written) : Date.parse(written);
  if (Number.isNaN(ago))
    throw new InvalidArgumentError('Expected a duration (10m) or a time (2026-01-31T12:00:00Z).');
  return ago;
}

export function gather(written: string, before: readonly string[] = []): string[] {
  return [...before, written];
}
