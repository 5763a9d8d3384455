/** Runs a service's tests and reads their result in the format that the service declares. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  AgentFailure,
  type CommandOutcome,
  exitText,
  type TestAnswer,
  type TestCase,
  type TestSelection,
} from '../../sdk/index.ts';
import { junitSuites } from './junit.ts';
import type { TestSpec } from './spec.ts';
import { TapReader } from './tap.ts';

export interface TestMeans {
  /** Absolute working folder. */
  readonly folder: string;
  readonly run: (onLine?: (line: string, stream: 'stdout' | 'stderr') => void) => Promise<CommandOutcome>;
}

/**
 * The result, case by case; `exit-status` is one case.
 * @throws {AgentFailure} SELECTION_NOT_SUPPORTED, REPORT_MISSING, REPORT_INVALID
 */
export async function runTests(
  spec: TestSpec,
  selection: TestSelection,
  means: TestMeans,
): Promise<TestAnswer> {
  if (Object.keys(selection).length > 0)
    throw new AgentFailure(
      'SELECTION_NOT_SUPPORTED',
      'a test command runs all of its tests: none can be selected',
      {
        remedy: 'Run the tests without a selection.',
      },
    );
  switch (spec.format) {
    case 'exit-status': {
      const outcome = await means.run();
      return { suites: [{ name: 'test', cases: [exitCase(outcome)] }] };
    }
    case 'tap': {
      const reader = new TapReader();
      const outcome = await means.run((line, stream) => stream === 'stdout' && reader.read(line));
      return { suites: [{ name: 'test', cases: withExit(reader.end(), outcome) }] };
    }
    case 'junit':
      return runJUnit(spec, means);
  }
}

async function runJUnit({ report }: TestSpec, { folder, run }: TestMeans): Promise<TestAnswer> {
  if (report === undefined)
    throw new AgentFailure('REPORT_MISSING', 'a test in the format junit needs to say which file it writes', {
      violations: [{ pointer: '/test/report', message: 'missing: the file that the tests write' }],
      remedy: 'Write the path under `spec.test.report`.',
    });
  const path = resolve(folder, report);
  const before = await readFile(path, 'utf8').catch(() => undefined);
  const outcome = await run();
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    const { exit, pid, lastLines } = outcome;
    const message = `the tests ${exitText(exit)} and ${report} cannot be read`;
    throw new AgentFailure('REPORT_MISSING', message, { exit, pid, lastLines, cause });
  });
  const suites = junitSuites(text);
  const failed = suites.some(({ cases }) => cases.some((one) => one.outcome === 'failed'));
  // A run that failed before it wrote its report must not be judged by the report of an earlier one.
  if (!succeeded(outcome) && (!failed || text === before))
    return { suites: [...suites, { name: 'exit status', cases: [exitCase(outcome)] }] };
  return { suites };
}

/** Failed without a failed case: the program itself failed. */
function withExit(cases: readonly TestCase[], outcome: CommandOutcome): readonly TestCase[] {
  if (succeeded(outcome) || cases.some((one) => one.outcome === 'failed')) return cases;
  return [...cases, exitCase(outcome)];
}

function exitCase(outcome: CommandOutcome): TestCase {
  const { exit, lastLines } = outcome;
  if (succeeded(outcome)) return { name: 'exit status', outcome: 'passed' };
  return { name: 'exit status', outcome: 'failed', message: [exitText(exit), ...lastLines].join('\n') };
}

function succeeded({ exit }: CommandOutcome): boolean {
  return exit.kind === 'exited' && exit.code === 0;
}
