/** The proof of identity of an instance's process groups, for the host's own records (T-7). */
import { create } from '@bufbuild/protobuf';
import { type ProcessGroup, ProcessGroupSchema } from '../../gen/skein/runtime/v1/runtime_pb.js';
import { processIdentity } from '../../processes/index.ts';

/** Of the processes that still live. */
export async function processGroups(processes: readonly { readonly pid: number }[]): Promise<ProcessGroup[]> {
  const identities = await Promise.all(processes.map(({ pid }) => processIdentity(pid)));
  return identities
    .filter((identity) => identity !== undefined)
    .map(({ pid, start, boot }) =>
      create(ProcessGroupSchema, { pgid: pid, startIdentity: start, bootIdentity: boot }),
    );
}
