/** The one place where an error becomes words on stderr and a status of the process (U-3). */
import { agentErrors } from '../agents/host/index.ts';
import { configurationErrors } from '../configuration/index.ts';
import { controlErrors } from '../control/index.ts';
import { type ErrorTable, renderError, SkeinError } from '../errors/index.ts';
import { networkErrors } from '../network/index.ts';
import { orchestrationErrors, readinessErrors, teardownErrors } from '../orchestration/index.ts';
import { processErrors } from '../processes/index.ts';
import { workspaceErrors } from '../workspace/index.ts';
import { describeError } from './error-document.ts';
import { cliErrors } from './errors.ts';
import { type ExitStatus, exitStatusOf } from './exit-status.ts';
import { plainText } from './view/plain-text.ts';

export const errorTables: readonly ErrorTable[] = [
  workspaceErrors,
  configurationErrors,
  networkErrors,
  agentErrors,
  orchestrationErrors,
  readinessErrors,
  teardownErrors,
  controlErrors,
  cliErrors,
  processErrors,
];

export interface ErrorReport {
  /** For stderr, with a final line break. */
  readonly text: string;
  readonly status: ExitStatus;
}

/**
 * With `json` one JSON document (`ErrorDocument`), else the lines of `renderError`. What is no SkeinError is a fault of
 * skein's own. A stack is shown with `verbose` only.
 */
export function reportError(
  thrown: unknown,
  { json, verbose }: { readonly json: boolean; readonly verbose: boolean },
): ErrorReport {
  const error = expected(thrown);
  const text = json
    ? JSON.stringify(describeError(error, errorTables))
    : plainText(renderError(error, errorTables));
  const stack = verbose && !json ? `\n${stackOf(thrown)}` : '';
  return { text: `${text}${stack}\n`, status: exitStatusOf(error.code) };
}

/** The error itself where it was foreseen; SK1599 around anything else. */
export function expected(thrown: unknown): SkeinError {
  if (thrown instanceof SkeinError) return thrown;
  // Whatever takes a relative path asks where it stands; that it stands nowhere is foreseen here, once.
  if (thrown instanceof Error && (thrown as NodeJS.ErrnoException).syscall === 'uv_cwd')
    return new SkeinError('SK1555', 'the working directory was removed', { cause: thrown });
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new SkeinError('SK1599', `skein met something that it did not foresee: ${message}`, {
    ...(thrown instanceof Error && { cause: thrown.cause }),
  });
}

function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause === undefined ? '' : `\ncaused by ${stackOf(thrown.cause)}`;
  return `${thrown.stack ?? thrown.message}${cause}`;
}
