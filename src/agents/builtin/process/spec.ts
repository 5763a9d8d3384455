/** The `spec` of a service whose agent is `skein/process`. */
import { z } from 'zod';
import { durationMs, durationPattern, signalName } from './written.ts';

const commandExpected = 'a command: text for the shell, or a list of program and arguments';

const command = z.union(
  [
    z.string({ error: commandExpected }).regex(/\S/, { error: commandExpected }),
    z.tuple([z.string().min(1)], z.string(), { error: commandExpected }),
  ],
  { error: commandExpected },
);

const durationExpected = 'a duration such as `250ms`, `10s` or `5m`';
/** What a timer holds. */
const longestMs = 2 ** 31 - 1;

const duration = z
  .string({ error: durationExpected })
  .regex(durationPattern, { error: durationExpected })
  .refine((written) => durationMs(written) <= longestMs, {
    error: `${durationExpected}, of at most 24 days`,
  });

const signalExpected = 'the name of a signal such as `TERM`, `INT` or `QUIT`';
const signal = z
  .string({ error: signalExpected })
  .refine((written) => signalName(written) !== undefined, { error: signalExpected });

const test = z.strictObject({
  command,
  format: z.enum(['exit-status', 'tap', 'junit']).default('exit-status'),
  report: z
    .string()
    .min(1)
    .optional()
    .describe('The file that a `junit` test writes; relative to the working directory.'),
  dependencies: z.enum(['none', 'start-dependencies', 'start-stack']).optional(),
});

const texts = z.array(z.string().min(1));

export const processSpec = z.strictObject({
  command: command.describe('Text is run by `/bin/sh -c`; a list is executed as it is.'),
  'working-directory': z
    .string()
    .min(1)
    .optional()
    .describe('Relative to the file that declares the service.'),
  watch: texts.optional().describe('Paths or globs; a change builds and restarts. `.gitignore` is honoured.'),
  ignore: texts.optional().describe('Paths or globs that are not watched.'),
  build: command.optional().describe('Run in Init, and before a reload.'),
  lint: command.optional(),
  compile: command.optional(),
  test: z.union([command, test]).optional(),
  'stop-signal': signal.optional().describe('Default: TERM.'),
  'stop-timeout': duration.optional().describe('Default: 10s.'),
  'pass-environment': texts.optional().describe("Names taken from the caller's environment."),
  'runtime-configuration': z
    .record(z.string().min(1), z.union([z.string(), z.record(z.string().min(1), z.string())]))
    .optional()
    .describe('Values that dependents are given: a text, or texts by key.'),
});

export type ProcessSpec = z.output<typeof processSpec>;
export type Command = z.output<typeof command>;
export type TestSpec = z.output<typeof test>;
