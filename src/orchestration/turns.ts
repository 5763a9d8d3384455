/** Work on services that is asked for from several places at once (F-21). */
import type { ServiceId } from '../workspace/index.ts';

/** One piece of work after the other for each service, in the order in which it was asked for. */
export class Turns {
  readonly #last = new Map<ServiceId, Promise<void>>();

  /**
   * Does the work once everything that was asked for before, of any of these services, has settled. Work that takes no
   * service in common goes on at the same time, and no order of asking can lock two pieces of work up.
   * @returns what the work returns; rejects as it does
   */
  take<Result>(services: Iterable<ServiceId>, work: () => Promise<Result>): Promise<Result> {
    const taken = [...services];
    const turn = Promise.all(taken.map((id) => this.#last.get(id) ?? Promise.resolve())).then(work);
    const settled = turn.then(
      () => undefined,
      () => undefined,
    );
    for (const id of taken) this.#last.set(id, settled);
    return turn;
  }
}
