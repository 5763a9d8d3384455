/** `skein extend [SERVICE…]`. */
import type { ExtendResponse } from '../../gen/skein/control/v1/control_pb.js';
import type { CommonOptions } from '../common-options.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { receiptDocument } from '../view/documents.ts';
import { isClean, receiptText } from '../view/status-text.ts';
import { print, requireRun } from './live-run.ts';

/** Ends once those that leave have been stopped and those that join begin; 1 where something that left may still run. */
export async function extend(services: readonly string[], options: CommonOptions): Promise<ExitStatus> {
  const { client } = await requireRun(options.cwd);
  // An extension may last; whether anybody is there to do it is told soon.
  await client.getSnapshot({});
  const answer = await client.extend({ services: [...services] });
  const { joined, left, outdated, receipt } = answer;
  const document = {
    joined,
    left,
    outdated,
    receipt: receipt === undefined ? null : receiptDocument(receipt),
  };
  print(options, document, textOf(answer));
  return receipt === undefined || isClean(receipt) ? exitStatus.done : exitStatus.failed;
}

function textOf({ joined, left, outdated, receipt }: ExtendResponse): string {
  const lines = [
    ...joined.map((id) => `${id} joins`),
    ...left.map((id) => `${id} has left`),
    ...outdated.map((id) => `${id} runs on as it was declared before; a new run takes the change`),
  ];
  if (receipt !== undefined) lines.push(receiptText(receipt));
  return lines.length === 0 ? 'the run is what the workspace composes' : lines.join('\n');
}
