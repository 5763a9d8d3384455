/** The news of an instance whose agent cannot watch: Information, asked each second, told as events where it changed. */
import { create } from '@bufbuild/protobuf';
import { SkeinError } from '../../errors/index.ts';
import {
  DesiredState,
  type InformationResponse,
  type InstanceEvent,
  InstanceEventSchema,
} from '../../gen/skein/runtime/v1/runtime_pb.js';
import { pause } from '../program/index.ts';
import type { AgentProcess } from './agent-process.ts';

const intervalMs = 1_000;

export interface PollSink {
  event(event: InstanceEvent): void;
  fault(error: SkeinError): void;
}

/** Polls until `signal` is aborted; the first answer is told as it is. Never rejects for what a call may reject with. */
export async function pollInstance(
  process: AgentProcess,
  instance: string,
  signal: AbortSignal,
  sink: PollSink,
): Promise<void> {
  let before: InformationResponse | undefined;
  while (!signal.aborted) {
    try {
      const now = await process.runtime.information({ instance }, { signal });
      for (const event of changes(instance, before, now, Date.now())) sink.event(event);
      before = now;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof SkeinError)) throw error;
      // Said once here; an agent that is gone is told to everybody anyhow.
      if (process.exit !== undefined) return;
      sink.fault(error);
    }
    await pause(intervalMs, signal);
  }
}

/** What a Watch would have said between two answers. */
function changes(
  instance: string,
  before: InformationResponse | undefined,
  now: InformationResponse,
  timeMs: number,
): readonly InstanceEvent[] {
  const news: InstanceEvent[] = [];
  const tell = (event: NonNullable<InstanceEvent['event']>): void => {
    const base = { instance, timeUnixMs: BigInt(timeMs), generation: now.generation };
    news.push(create(InstanceEventSchema, { ...base, event }));
  };
  if (before?.state !== now.state || before.generation !== now.generation) {
    const { state, failure, exit } = now;
    tell({
      case: 'state',
      value: {
        $typeName: 'skein.runtime.v1.StateChange',
        state,
        ...(failure && { failure }),
        ...(exit && { exit }),
      },
    });
  }
  const desired = now.desiredState;
  if (desired !== DesiredState.UNSPECIFIED && before?.desiredState !== desired)
    tell({ case: 'desired', value: { $typeName: 'skein.runtime.v1.DesiredChange', desired, cause: '' } });
  return news;
}
