/** Judges what an agent answered before anybody uses it: enumerations and the status of the call. */
import type { DescMessage, Message } from '@bufbuild/protobuf';
import { type Status, Status_State } from '../../gen/skein/base/v1/status_pb.js';
import { type CallSite, callError, describeCall } from './caller.ts';
import { unknownNumber } from './enumerations.ts';
import { ServiceFailure } from './failure.ts';

/**
 * Returns when the answer keeps the contract and its status, where it has one, is not FAILED.
 * @throws {SkeinError} SK1325 (no status, or one that says nothing), SK1326 (an unknown number)
 * @throws {ServiceFailure} SK1327
 */
export function judgeAnswer(site: CallSite, type: DescMessage, answer: Message): void {
  const unknown = unknownNumber(type, answer);
  if (unknown !== undefined)
    throw callError(
      site,
      'SK1326',
      `${site.callee.name} answered ${describeCall(site)} with ${unknown.field} = ${unknown.number}, which ${unknown.enumeration} does not have`,
    );
  if (type.field['status'] !== undefined) judgeStatus(site, answer);
}

function judgeStatus(site: CallSite, answer: Message): void {
  const { status } = answer as Message & { readonly status?: Status };
  const broken = (what: string) =>
    callError(
      site,
      'SK1325',
      `${site.callee.name} answered ${describeCall(site)} ${what}: whether it was done is not known`,
    );
  if (status === undefined) throw broken('without `status`');
  switch (status.state) {
    case Status_State.OK:
    case Status_State.WAITING:
      return;
    case Status_State.FAILED:
      throw new ServiceFailure(site, status, answer);
    default:
      throw broken('with a `status` whose state is UNSPECIFIED');
  }
}
