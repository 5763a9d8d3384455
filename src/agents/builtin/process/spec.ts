/** The `spec` of a service whose agent is `skein/process`. */
import * as z from 'zod';
import type { WrittenConfiguration } from './exposure.ts';
import { durationMs, durationPattern, signalName } from './written.ts';

/** Text for the shell, or program and arguments. */
export type Command = string | readonly [string, ...string[]];

export interface TestSpec {
  readonly command: Command;
  readonly format: 'exit-status' | 'tap' | 'junit';
  /** The file that a `junit` test writes; relative to the working directory. */
  readonly report?: string | undefined;
  readonly dependencies?: 'none' | 'start-dependencies' | 'start-stack' | undefined;
}

export interface ProcessSpec {
  readonly command: Command;
  readonly 'working-directory'?: string | undefined;
  readonly watch?: readonly string[] | undefined;
  readonly ignore?: readonly string[] | undefined;
  readonly build?: Command | undefined;
  readonly 'hot-reload'?: boolean | undefined;
  readonly lint?: Command | undefined;
  readonly compile?: Command | undefined;
  readonly test?: Command | TestSpec | undefined;
  /** With or without `SIG`. */
  readonly 'stop-signal'?: string | undefined;
  readonly 'stop-timeout'?: string | undefined;
  readonly 'pass-environment'?: readonly string[] | undefined;
  readonly 'runtime-configuration'?: WrittenConfiguration | undefined;
}

// What a value should be: the agent says it in its failures, and the host, to which it goes as a `title`, in its own.
const commandExpected = 'text for the shell, or a list of program and arguments';
const scriptExpected = 'text for the shell, neither blank nor with a NUL character';
const argumentsExpected = 'a list of program and arguments';
const programExpected = 'the name or path of a program, without a NUL character';
const textExpected = 'text without a NUL character';
const entryExpected = 'text, neither empty nor with a NUL character';
const pathExpected = 'a path, neither empty nor with a NUL character';
const durationExpected = 'a duration such as `250ms`, `10s` or `5m`';
const signalExpected = 'the name of a signal such as `TERM`, `INT` or `QUIT`';

/** No argument, no variable and no path of a process can hold a NUL. */
function text(expected: string, pattern: RegExp): z.ZodString {
  return z.string({ error: expected }).regex(pattern, { error: expected }).meta({ title: expected });
}

const script = text(scriptExpected, /^[^\0]*[^\s\0][^\0]*$/);
const anyText = text(textExpected, /^[^\0]*$/);
const path = text(pathExpected, /^[^\0]+$/);
const words = z
  .tuple([text(programExpected, /^[^\0]+$/)], anyText, { error: argumentsExpected })
  .meta({ title: argumentsExpected });

const command: z.ZodType<Command> = z
  .union([script, words], { error: commandExpected })
  .meta({ title: commandExpected });

/** What a timer holds. */
const longestMs = 2 ** 31 - 1;

const duration = text(durationExpected, durationPattern).refine(
  (written) => durationMs(written) <= longestMs,
  { error: `${durationExpected}, of at most 24 days` },
);

const signal = z
  .string({ error: signalExpected })
  .refine((written) => signalName(written) !== undefined, { error: signalExpected })
  .meta({ title: signalExpected });

const test: z.ZodType<TestSpec> = z.strictObject({
  command,
  format: z.enum(['exit-status', 'tap', 'junit']).default('exit-status'),
  report: path.optional().describe('The file that a `junit` test writes; relative to the working directory.'),
  dependencies: z.enum(['none', 'start-dependencies', 'start-stack']).optional(),
});

const texts = z.array(text(entryExpected, /^[^\0]+$/));

export const processSpec: z.ZodType<ProcessSpec> = z.strictObject({
  command: command.describe('Text is run by `/bin/sh -c`; a list is executed as it is.'),
  'working-directory': path.optional().describe('Relative to the file that declares the service.'),
  watch: texts.optional().describe('Paths or globs; a change builds and restarts. `.gitignore` is honoured.'),
  ignore: texts.optional().describe('What is not watched, as lines of a `.gitignore`.'),
  build: command.optional().describe('Run in Init, and before a reload.'),
  'hot-reload': z
    .boolean({ error: 'true or false' })
    .optional()
    .describe('The process reloads itself: it is kept as long as what it was started with is the same.'),
  lint: command.optional(),
  compile: command.optional(),
  test: z.union([command, test]).optional(),
  'stop-signal': signal.optional().describe('Default: TERM.'),
  'stop-timeout': duration.optional().describe('Default: 10s.'),
  'pass-environment': texts.optional().describe("Names taken from the caller's environment."),
  'runtime-configuration': z
    .record(z.string().min(1), z.union([anyText, z.record(z.string().min(1), anyText)]))
    .optional()
    .describe('Values that dependents are given: a text, or texts by key.'),
});
