/** An answer counts only where it is the service's own: the probe of a native endpoint, with a look at who listens. */
import type { ListenerOwnership, ProcessIdentity } from '../../processes/index.ts';
import { failed, type ProbeResult } from './attempt.ts';
import type { Probe } from './probe.ts';
import type { ProbeAddress, Watched } from './target.ts';

/** Who listens at an address; `known` is its last answer for it. As `listenerOwnership` of the processes. */
export type AskOwnership = (
  address: ProbeAddress,
  groups: readonly ProcessIdentity[],
  known: ListenerOwnership | undefined,
) => Promise<ListenerOwnership>;

export interface OwnershipOptions {
  readonly ask: AskOwnership;
  /** Why it cannot be told whose the listener is; may be told again and again. */
  readonly onDoubt: (subject: Watched, why: string) => void;
}

/**
 * The probe of one watch. After a success it is asked who listens, which costs next to nothing while the same socket does;
 * a stranger's answer fails. Where it cannot be told, it holds, with a note.
 */
export function ownedProbe(
  probe: Probe,
  subject: Watched,
  groups: readonly ProcessIdentity[],
  { ask, onDoubt }: OwnershipOptions,
): Probe {
  let known: ListenerOwnership | undefined;
  return async (target, options) => {
    const result = await probe(target, options);
    if (!result.ok || target.predicate === 'command') {
      // Whoever listens next is judged anew, also where sockets cannot be told apart.
      known = undefined;
      return result;
    }
    const doubt = (why: string): ProbeResult => {
      onDoubt(subject, why);
      return { ok: true, note: result.note ?? `it cannot be told whose the listener is: ${why}` };
    };
    const former = known;
    try {
      known = await ask(target, groups, former);
    } catch (error) {
      return doubt(error instanceof Error ? error.message : String(error));
    }
    switch (known.kind) {
      case 'own':
        return result;
      case 'foreign':
        return failed(
          `${authority(target)} is answered by pid ${known.pid} (${known.command}), which is not of ${subject.service}`,
        );
      case 'doubtful':
        return doubt(known.why);
      case 'unseen':
        // Closed between the answer and the look, perhaps: the second time says that it is never there.
        return former?.kind === 'unseen' ? doubt('no listener of this machine is seen there') : result;
    }
  };
}

function authority({ host, port }: ProbeAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
