/** The process that holds a detached run, and tells the command that started it how far it is. */
import { toJson } from '@bufbuild/protobuf';
import { type Reporter, snapshotMessage, supervisorReporter } from '../../control/index.ts';
import { SkeinError, SkeinFaults } from '../../errors/index.ts';
import { type RunSnapshot, RunSnapshotSchema } from '../../gen/skein/control/v1/control_pb.js';
import { describeError } from '../error-document.ts';
import { type ExitStatus, exitStatus, exitStatusOf } from '../exit-status.ts';
import { errorTables, expected } from '../report-error.ts';
import { failureText, receiptText } from '../view/status-text.ts';
import type { EarlyAgents } from './early-agents.ts';
import { ExtendSignal } from './extend-signal.ts';
import { type HeldRun, holdRun } from './hold-run.ts';
import { Interrupts } from './interrupts.ts';
import { outcome } from './outcome.ts';
import type { RunRequest } from './request.ts';

export async function holdDetached(request: RunRequest, agents: EarlyAgents): Promise<ExitStatus> {
  const reporter = supervisorReporter();
  using interrupts = new Interrupts((stage, cause) => log(`${cause}: ${stage}`));
  using extensions = new ExtendSignal();
  const held = await holdRun(request, agents, interrupts.signal, log).catch((error: unknown) => {
    const status = interrupts.interrupted ? exitStatus.interrupted : exitStatusOf(expected(error).code);
    report(reporter, error, status);
    return status;
  });
  if (typeof held === 'number') return held;
  interrupts.attach(held.flow);
  extensions.attach(held.flow);
  reporter.send({ type: 'started', run: request.runId });
  if (!request.wait) reporter.close();
  const failure = request.wait ? await readinessFailure(held, reporter) : undefined;
  await held.flow.ended;
  held.closeOutput();
  const last = await held.finish();
  if (last.failure !== undefined) log(failureText(last.failure));
  if (last.receipt !== undefined) log(receiptText(last.receipt));
  const status = outcome(last, interrupts.interrupted);
  if (failure !== undefined)
    report(reporter, withLastLines(failure, last), interrupts.interrupted ? status : exitStatus.failed, last);
  return status;
}

/** With the last lines that came after the failure was known. */
function withLastLines(failure: unknown, { failure: told }: RunSnapshot): unknown {
  const single = failure instanceof SkeinError && !(failure instanceof SkeinFaults);
  if (!single || failure.lastLines.length > 0 || told === undefined) return failure;
  const { code, message, place, cause, remedy } = failure;
  return new SkeinError(code, message, {
    ...(place && { place }),
    ...(cause !== undefined && { cause }),
    ...(remedy !== undefined && { remedy }),
    lastLines: told.lastLines,
  });
}

/** Tells whoever waits that the run is ready; or answers why it is not, and sees to it that it ends. */
async function readinessFailure({ flow }: HeldRun, reporter: Reporter): Promise<unknown> {
  try {
    await flow.waitReady();
  } catch (error) {
    await flow.stop({ cause: 'the run did not become ready' });
    return error;
  }
  reporter.send({
    type: 'ready',
    snapshot: toJson(RunSnapshotSchema, snapshotMessage(flow.snapshot(), Date.now())),
  });
  reporter.close();
  return undefined;
}

function report(reporter: Reporter, error: unknown, status: ExitStatus, last?: RunSnapshot): void {
  reporter.send({
    type: 'failed',
    error: describeError(expected(error), errorTables),
    exitStatus: status,
    ...(last !== undefined && { snapshot: toJson(RunSnapshotSchema, last) }),
  });
  reporter.close();
}

/** Into the run's supervisor.log. */
function log(text: string): void {
  process.stderr.write(`${new Date().toISOString()} ${text}\n`);
}
