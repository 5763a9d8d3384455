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

/** What a service can be made to go through again. */
export type PolledPhase = 'load' | 'init' | 'start';

export interface PollSink {
  event(event: InstanceEvent): void;
  fault(error: SkeinError): void;
  /** How many calls of this phase have ended so far, well or not. */
  ended(phase: PolledPhase): number;
}

/** An answer, and how often the phase that it wishes for had ended when it was asked for. */
export interface Polled {
  readonly now: InformationResponse;
  readonly wishAge: number;
}

/** Polls until `signal` is aborted; the first answer is told as it is. Never rejects for what a call may reject with. */
export async function pollInstance(
  process: AgentProcess,
  instance: string,
  signal: AbortSignal,
  sink: PollSink,
): Promise<void> {
  let before: Polled | undefined;
  while (!signal.aborted) {
    try {
      const ended = { load: sink.ended('load'), init: sink.ended('init'), start: sink.ended('start') };
      const now = await process.runtime.information({ instance }, { signal });
      const wished = phases[now.desiredState];
      const polled = { now, wishAge: wished === undefined ? 0 : ended[wished] };
      for (const event of newsBetween(instance, before, polled, Date.now())) sink.event(event);
      before = polled;
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

const phases: Readonly<Partial<Record<DesiredState, PolledPhase>>> = {
  [DesiredState.LOAD]: 'load',
  [DesiredState.INIT]: 'init',
  [DesiredState.START]: 'start',
};

/**
 * What a Watch would have said between two answers. A wish that stands when its phase has been gone through since it was
 * told is another one: what it is about has changed again in the meantime (F-15).
 */
export function newsBetween(
  instance: string,
  before: Polled | undefined,
  { now, wishAge }: Polled,
  timeMs: number,
): readonly InstanceEvent[] {
  const news: InstanceEvent[] = [];
  const tell = (event: NonNullable<InstanceEvent['event']>): void => {
    const base = { instance, timeUnixMs: BigInt(timeMs), generation: now.generation };
    news.push(create(InstanceEventSchema, { ...base, event }));
  };
  if (before?.now.state !== now.state || before.now.generation !== now.generation) {
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
  const isNew = before?.now.desiredState !== desired || before.wishAge !== wishAge;
  if (desired !== DesiredState.UNSPECIFIED && isNew)
    tell({ case: 'desired', value: { $typeName: 'skein.runtime.v1.DesiredChange', desired, cause: '' } });
  return news;
}
