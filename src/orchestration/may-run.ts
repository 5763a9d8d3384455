/** What of a service may run, as far as its agent has told, and the proof from the host that nothing does (T-4). */
import { killLedBy, type ProcessIdentity } from '../processes/index.ts';
import type { ForceAnswer } from './teardown/index.ts';

/** What an agent has told; it stands until a Start replaces it or an end is proven, whatever phase is repeated. */
type Told =
  | { readonly kind: 'nothing' }
  /** Process groups of this machine, by their leaders; never none. */
  | { readonly kind: 'groups'; readonly leaders: readonly ProcessIdentity[] }
  /** It was started where only its agent can reach it. */
  | { readonly kind: 'elsewhere' };

export type MayRun =
  | Told
  /** In this phase the agent may have started something that it has not come to tell of. */
  | { readonly kind: 'untold'; readonly phase: 'init' | 'start'; readonly before: Told };

export const nothingRuns: Told = { kind: 'nothing' };

/** The process groups that a Start answered. */
export function started(leaders: readonly ProcessIdentity[]): Told {
  return leaders.length === 0 ? { kind: 'elsewhere' } : { kind: 'groups', leaders };
}

/** A call begins in which the agent may start something. */
export function untold(phase: 'init' | 'start', mayRun: MayRun): MayRun {
  return { kind: 'untold', phase, before: told(mayRun) };
}

/** What is known for certain. */
export function told(mayRun: MayRun): Told {
  return mayRun.kind === 'untold' ? mayRun.before : mayRun;
}

/**
 * SIGKILL to the groups that are provably the service's, and the check that they are gone. @returns what may run then.
 * `records`: absolute folder of the records of process groups.
 */
export async function killAll(
  mayRun: MayRun,
  records: string,
  signal: AbortSignal,
): Promise<{ readonly answer: ForceAnswer; readonly left: MayRun }> {
  switch (mayRun.kind) {
    case 'nothing':
      return { answer: { kind: 'dead' }, left: mayRun };
    case 'elsewhere':
      return { answer: { kind: 'may-run', why: 'it runs where only its agent can reach it' }, left: mayRun };
    case 'groups': {
      const why = await survivor(mayRun.leaders, records, signal);
      return why === undefined
        ? { answer: { kind: 'dead' }, left: nothingRuns }
        : { answer: { kind: 'may-run', why }, left: mayRun };
    }
    case 'untold': {
      const { answer, left } = await killAll(mayRun.before, records, signal);
      const why =
        answer.kind === 'may-run'
          ? answer.why
          : `its agent did not come to say what it started in ${mayRun.phase}`;
      return { answer: { kind: 'may-run', why }, left: untold(mayRun.phase, left) };
    }
  }
}

/** Says which group may still run, and why; `undefined` where none does. */
async function survivor(
  leaders: readonly ProcessIdentity[],
  records: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const leader of leaders) {
    const fault = await killLedBy(records, leader, { abort: signal });
    if (fault !== undefined) return fault.message;
  }
  return undefined;
}
