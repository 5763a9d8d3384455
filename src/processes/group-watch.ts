/**
 * Watches a process group until it is empty. The leader's exit is an event; for the others there is none, so the group
 * is looked at again after 5 ms, then at growing distances up to 50 ms.
 */
import type { ProcessGroup } from './group.ts';
import { system } from './platform.ts';
import { groupExists } from './signal.ts';
import type { GroupMember } from './system.ts';

const firstLookMs = 5;
const lastLookMs = 50;

export class GroupWatch {
  readonly #group: ProcessGroup;
  #suspects: readonly number[] = [];
  #empty = false;
  #leaderRuns: boolean;
  #wake: () => void = () => undefined;

  constructor(group: ProcessGroup) {
    this.#group = group;
    this.#leaderRuns = group.exited !== undefined && group.exit === undefined;
    // A lost exit status is reported by `exited` itself; here either way is a reason to look.
    group.exited?.then(
      () => this.#leaderGone(),
      () => this.#leaderGone(),
    );
  }

  /** The members that are not dead. Once a group was seen empty its number may be a stranger's: it stays empty. */
  async members(): Promise<readonly GroupMember[]> {
    if (!this.#exists()) return [];
    const members = await system.groupMembers(this.#group.pid);
    this.#suspects = members.map(({ pid }) => pid);
    this.#empty = members.length === 0;
    return members;
  }

  /** `true` as soon as the group is empty, `false` when it is not after `timeoutMs`; throws the reason of `abort`. */
  async emptied(timeoutMs: number, abort?: AbortSignal): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    for (let distanceMs = firstLookMs; ; distanceMs = Math.min(distanceMs * 1.5, lastLookMs)) {
      if (await this.#isEmpty()) return true;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return false;
      await this.#pause(Math.min(distanceMs, leftMs), abort);
    }
  }

  async #isEmpty(): Promise<boolean> {
    if (!this.#exists()) return true;
    if (this.#leaderRuns) return false;
    const members = await system.groupMembers(this.#group.pid, this.#suspects);
    this.#suspects = members.map(({ pid }) => pid);
    this.#empty = members.length === 0;
    return this.#empty;
  }

  #exists(): boolean {
    this.#empty ||= !groupExists(this.#group);
    return !this.#empty;
  }

  #leaderGone(): void {
    this.#leaderRuns = false;
    this.#wake();
  }

  #pause(delayMs: number, abort: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      abort?.throwIfAborted();
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        abort?.removeEventListener('abort', aborted);
        this.#wake = () => undefined;
        act();
      };
      const aborted = (): void => settle(() => reject(abort?.reason as Error));
      const timer = setTimeout(() => settle(resolve), delayMs);
      this.#wake = () => settle(resolve);
      abort?.addEventListener('abort', aborted, { once: true });
    });
  }
}
