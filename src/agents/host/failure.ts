/** A service that failed, as its agent told it, made an error of the product: nothing the agent said is lost. */
import type { Message } from '@bufbuild/protobuf';
import { type FilePlace, SkeinError } from '../../errors/index.ts';
import type { Failure, ProcessExit } from '../../gen/skein/base/v1/status_pb.js';
import { describeExit } from '../program/index.ts';
import { type CallSite, describeCall, runPlace } from './caller.ts';

/** One wrong setting. */
export interface Violation {
  /** JSON pointer into `spec`; empty for the whole. */
  readonly pointer: string;
  readonly message: string;
  /** Where it is written; absent where that is not known. */
  readonly place?: FilePlace;
}

/** SK1327: an operation that was not done. */
export class ServiceFailure extends SkeinError {
  /** The agent's own stable word, such as `BUILD_FAILED`; empty where it gave none. */
  readonly failureCode: string;
  /** The same call may succeed later without a change by a person. */
  readonly retryable: boolean;
  readonly violations: readonly Violation[];
  /** How a process ended; absent where none did. */
  readonly exit: ProcessExit | undefined;
  /** The whole answer, for what else it holds: results of tests, diagnostics. */
  readonly answer: Message;

  constructor(
    site: CallSite,
    said: { readonly failure?: Failure | undefined; readonly message: string },
    answer: Message,
  ) {
    const { failure } = said;
    const violations = violationsOf(site, failure);
    const place = violations.find((violation) => violation.place !== undefined)?.place ?? runPlace(site);
    const causes = causesOf(failure?.causes ?? []);
    super('SK1327', messageOf(site, said, violations), {
      ...(place && { place }),
      ...(failure !== undefined && failure.remedy !== '' && { remedy: failure.remedy }),
      ...(causes && { cause: causes }),
      lastLines: failure?.lastLines ?? [],
    });
    this.failureCode = failure?.code ?? '';
    this.retryable = failure?.retryable ?? false;
    this.violations = violations;
    this.exit = failure?.exit;
    this.answer = answer;
  }
}

function messageOf(
  site: CallSite,
  { failure, message }: { readonly failure?: Failure | undefined; readonly message: string },
  violations: readonly Violation[],
): string {
  const why = failure?.message || message || 'the agent says no more';
  const exit = failure?.exit && describeProcessExit(failure.exit);
  const details = violations.map(
    ({ pointer, message: wrong }) => `${pointer === '' ? 'spec' : pointer}: ${wrong}`,
  );
  const code = failure?.code ? ` (${failure.code})` : '';
  const ended = exit === undefined || why.includes(exit) ? '' : `; the process ${exit}`;
  return [`${describeCall(site)} failed${code}: ${why}${ended}`, ...details].join('; ');
}

function describeProcessExit({ cause }: ProcessExit): string | undefined {
  if (cause.case === 'code') return describeExit({ kind: 'exited', code: cause.value });
  return cause.case === 'signal' ? describeExit({ kind: 'signalled', signal: cause.value }) : undefined;
}

function violationsOf({ callee, instance }: CallSite, failure: Failure | undefined): readonly Violation[] {
  return (failure?.violations ?? []).map(({ pointer, message }) => {
    const place = instance === undefined ? undefined : callee.locate(instance, pointer);
    return { pointer, message, ...(place && { place }) };
  });
}

/** A chain of causes, nearest first. */
function causesOf(causes: readonly Failure[]): SkeinError | undefined {
  return causes.reduceRight<SkeinError | undefined>((cause, { code, message, causes: deeper }) => {
    const next = cause ?? causesOf(deeper);
    return new SkeinError('SK1327', message || code, { ...(next && { cause: next }) });
  }, undefined);
}
