/**
 * Failures as the contract words them: a stable code for tools, a sentence for a person. An author throws an
 * `AgentFailure` from any phase; whatever else is thrown reaches the host as `INTERNAL`, and its stack the agent's log.
 */
import { create } from '@bufbuild/protobuf';
import { SkeinError } from '../../errors/index.ts';
import {
  type Failure,
  FailureSchema,
  type ProcessExit,
  ProcessExitSchema,
  type Status,
  Status_State,
  StatusSchema,
} from '../../gen/skein/base/v1/status_pb.js';
import type { Exit } from '../../processes/index.ts';

/** One wrong setting. */
export interface Violation {
  /** JSON pointer into `spec`, such as `/watch/0`; empty for the whole. */
  readonly pointer: string;
  /** What is wrong and what would be right, in one sentence. */
  readonly message: string;
}

export interface AgentFailureOptions {
  /** The same call may succeed later without any change by a person; default false. */
  readonly retryable?: boolean;
  readonly violations?: readonly Violation[];
  /** How the process ended that the failure is about. */
  readonly exit?: Exit;
  /** Process id that `exit` speaks of. */
  readonly pid?: number;
  /** Output that belongs to the failure, oldest first; the last 50 lines are sent. */
  readonly lastLines?: readonly string[];
  /** What a person should do next. */
  readonly remedy?: string;
  readonly cause?: unknown;
}

/** A service that failed, with a stable upper-case code such as `BUILD_FAILED`. Never holds secrets. */
export class AgentFailure extends Error {
  override readonly name = 'AgentFailure';
  readonly code: string;
  readonly options: AgentFailureOptions;

  constructor(code: string, message: string, options: AgentFailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.options = options;
  }
}

/** Lines of output that a failure carries at most. */
export const LAST_LINES = 50;

/** Any thrown thing as the contract's failure; total. */
export function failureOf(error: unknown): Failure {
  if (error instanceof AgentFailure) return agentFailure(error);
  if (error instanceof SkeinError)
    return create(FailureSchema, {
      code: error.code,
      message: error.message,
      lastLines: error.lastLines.slice(-LAST_LINES),
      remedy: error.remedy ?? '',
      causes: causesOf(error),
    });
  const code = systemCode(error) ?? 'INTERNAL';
  return create(FailureSchema, { code, message: messageOf(error), causes: causesOf(error) });
}

/** The failure with every text for people passed through `mask`; failures hold no secrets. */
export function maskedFailure(failure: Failure, mask: (text: string) => string): Failure {
  const { code, retryable, exit, message, remedy, violations, lastLines, causes } = failure;
  return create(FailureSchema, {
    code,
    retryable,
    ...(exit && { exit }),
    message: mask(message),
    remedy: mask(remedy),
    violations: violations.map((violation) => ({
      pointer: violation.pointer,
      message: mask(violation.message),
    })),
    lastLines: lastLines.map(mask),
    causes: causes.map((cause) => maskedFailure(cause, mask)),
  });
}

/** Whether `failureOf` knows the error, so that its stack is no news to the author. */
export function isForeseen(error: unknown): boolean {
  return error instanceof AgentFailure || error instanceof SkeinError;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function okStatus(message = ''): Status {
  return create(StatusSchema, { state: Status_State.OK, message });
}

export function failedStatus(failure: Failure): Status {
  return create(StatusSchema, { state: Status_State.FAILED, message: failure.message, failure });
}

/** How a process ended, in the contract's words; `pid` 0 where it is not known. */
export function processExit(exit: Exit, pid = 0): ProcessExit {
  return create(ProcessExitSchema, {
    cause:
      exit.kind === 'exited' ? { case: 'code', value: exit.code } : { case: 'signal', value: exit.signal },
    pid,
  });
}

/** An exit as people say it. */
export function exitText(exit: Exit): string {
  return exit.kind === 'exited' ? `ended with exit status ${exit.code}` : `was ended by ${exit.signal}`;
}

function agentFailure(error: AgentFailure): Failure {
  const { retryable = false, violations = [], exit, pid, lastLines = [], remedy = '' } = error.options;
  return create(FailureSchema, {
    code: error.code,
    message: error.message,
    retryable,
    violations: violations.map(({ pointer, message }) => ({ pointer, message })),
    ...(exit && { exit: processExit(exit, pid) }),
    lastLines: lastLines.slice(-LAST_LINES),
    causes: causesOf(error),
    remedy,
  });
}

function causesOf(error: unknown): Failure[] {
  if (!(error instanceof Error)) return [];
  const causes: Failure[] = [];
  const seen = new Set<unknown>([error]);
  for (let cause = error.cause; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    seen.add(cause);
    const code =
      cause instanceof AgentFailure || cause instanceof SkeinError
        ? cause.code
        : (systemCode(cause) ?? 'INTERNAL');
    causes.push(create(FailureSchema, { code, message: cause.message }));
  }
  return causes;
}

/** `ENOENT` and the like, which are stable words already. */
function systemCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : undefined;
}
