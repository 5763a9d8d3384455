/** How members of a run are taken down, and how everything that the run holds is let go of. */
import type { Receipt } from './events.ts';
import { type Hub, type Member, noProcess } from './hub.ts';
import type { RunReadiness } from './run-readiness.ts';
import { toldToStop } from './standing.ts';
import { HURRIED_BUDGET_MS, type TeardownProgress, tearDown } from './teardown/index.ts';
import type { World } from './world.ts';

export class Ending {
  readonly #world: World;
  readonly #hub: Hub;
  readonly #readiness: RunReadiness;
  readonly #hurried = new Set<(budgetMs: number) => void>();
  /** What was asked for last holds for everything that is still to be ended. */
  #budgetMs = Number.POSITIVE_INFINITY;

  constructor(world: World, hub: Hub, readiness: RunReadiness) {
    this.#world = world;
    this.#hub = hub;
    this.#readiness = readiness;
  }

  /** Lowers every budget to 2 s, or kills at once (T-5). */
  hurry(how: 'hurry' | 'kill'): void {
    this.#budgetMs = Math.min(this.#budgetMs, how === 'hurry' ? HURRIED_BUDGET_MS : 0);
    for (const listener of this.#hurried) listener(this.#budgetMs);
  }

  #onHurry(listener: (budgetMs: number) => void): Disposable {
    this.#hurried.add(listener);
    if (Number.isFinite(this.#budgetMs)) listener(this.#budgetMs);
    return { [Symbol.dispose]: () => void this.#hurried.delete(listener) };
  }

  /** Takes these down, consumers first; never rejects (T-1 to T-3). What went wrong is told as warnings. */
  async tearDown(operation: string, members: Iterable<Member>, budgetMs: number): Promise<Receipt> {
    const managed = [...members].filter(({ runner }) => runner.isManaged);
    const ids = new Set(managed.map(({ service }) => service.id));
    const { receipt, faults } = await tearDown({
      operation,
      clock: this.#world.clock,
      participants: managed.map(({ service, runner }) => ({
        id: service.id,
        stopTimeoutMs: runner.stopTimeoutMs,
      })),
      edges: managed.flatMap(({ service }) =>
        this.#world
          .edgesOf(service.id)
          .filter((edge) => ids.has(edge.service))
          .map((edge) => ({ consumer: service.id, dependency: edge.service })),
      ),
      budgetMs: () => budgetMs,
      stop: (id, limits) => this.#hub.member(id).runner.stop(limits),
      force: (id, { signal }) => this.#hub.member(id).runner.force(signal),
      observe: (progress) => this.#observe(progress),
      hurry: (listener) => this.#onHurry(listener),
    });
    for (const fault of faults?.faults ?? []) this.#world.warn(null, 'stop', fault.message);
    return receipt;
  }

  /** Ends probing, sockets and agents. What cannot be ended is a warning: the run's end is not held up by it. */
  async close(): Promise<void> {
    this.#readiness[Symbol.dispose]();
    await this.#world.proposals[Symbol.asyncDispose]();
    const kill = new AbortController();
    const listener = (budgetMs: number): void => {
      if (budgetMs === 0) kill.abort(new Error('everything is to be killed now'));
    };
    const subscription = this.#onHurry(listener);
    try {
      await this.#world.host.close({ signal: kill.signal });
    } catch (error) {
      this.#world.warn(null, 'stop', error instanceof Error ? error.message : String(error));
    } finally {
      subscription[Symbol.dispose]();
    }
  }

  #observe(progress: TeardownProgress): void {
    const { history } = this.#world;
    switch (progress.type) {
      case 'layer-begins':
        for (const service of progress.resources) {
          const member = this.#hub.member(service);
          member.standing = toldToStop(member.standing);
          history.emit({
            type: 'service-state',
            service,
            state: 'stopping',
            cause: `layer ${progress.layer}`,
          });
        }
        break;
      case 'resource-settled': {
        const { id, outcome, error } = progress.resource;
        const member = this.#hub.member(id);
        member.process = noProcess;
        member.news.ended();
        this.#readiness.ended(member.service, 'it was stopped', 'lifecycle');
        history.emit({ type: 'service-state', service: id, state: 'stopped', cause: error ?? outcome });
        break;
      }
      case 'hurried': {
        const seconds = progress.budgetMs / 1_000;
        this.#world.warn(
          null,
          'stop',
          seconds === 0 ? 'killing everything now' : `every layer has ${seconds} s now`,
        );
        break;
      }
    }
  }
}
