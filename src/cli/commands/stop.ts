/** `skein stop`: ends the run, or services of it. */
import { create } from '@bufbuild/protobuf';
import { connectToRun, isSupervisorAlive, type RunRecord } from '../../control/index.ts';
import { SkeinError } from '../../errors/index.ts';
import { type Receipt, ReceiptSchema } from '../../gen/skein/control/v1/control_pb.js';
import { findWorkspace } from '../../workspace/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { receiptDocument } from '../view/documents.ts';
import { isClean, receiptText } from '../view/status-text.ts';
import { print } from './live-run.ts';

export interface StopOptions extends CommonOptions {
  readonly only?: true;
  /** Milliseconds for each layer. */
  readonly teardownBudget?: number;
}

/** How long the supervisor may take to end after its answer, milliseconds. */
const endTimeoutMs = 15_000;
const lookMs = 10;

/** Returns when the supervisor has ended; without a live run there is nothing to do, which is no failure. */
export async function stop(services: readonly string[], options: StopOptions): Promise<ExitStatus> {
  const root = findWorkspace(options.cwd);
  const connection = await connectToRun(root);
  if (connection === undefined)
    return report(create(ReceiptSchema, { operation: 'stop' }), options, 'no run is live');
  const { only = false, teardownBudget } = options;
  const request = {
    services: [...services],
    only,
    ...(teardownBudget !== undefined && { budgetMs: teardownBudget }),
  };
  if (!options.quiet && !options.json && services.length === 0)
    process.stderr.write(`stopping run ${connection.record.run}\n`);
  // A teardown may last; whether anybody is there to do it is told soon.
  await connection.client.getSnapshot({});
  const { receipt } = await connection.client.stop(request);
  if (services.length === 0) await ended(connection.record);
  return report(receipt ?? create(ReceiptSchema, { operation: 'stop' }), options);
}

function report(receipt: Receipt, options: StopOptions, text: string = receiptText(receipt)): ExitStatus {
  print(options, receiptDocument(receipt), text);
  return isClean(receipt) ? exitStatus.done : exitStatus.failed;
}

/** @throws {SkeinError} SK1512 */
async function ended(record: RunRecord): Promise<void> {
  for (const deadline = Date.now() + endTimeoutMs; await isSupervisorAlive(record); ) {
    if (Date.now() > deadline)
      throw new SkeinError(
        'SK1512',
        `process ${record.supervisor.pid} of run ${record.run} has stopped its services, but lives on`,
      );
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}
