/** Services of a run that are stopped, started and started again one by one, while the run goes on (F-21). */
import { SkeinError } from '../errors/index.ts';
import type { ServiceId } from '../workspace/index.ts';
import { closure } from './closure.ts';
import type { Course } from './course.ts';
import type { Ending } from './ending.ts';
import type { Receipt } from './events.ts';
import type { Hub } from './hub.ts';
import type { Lifecycle } from './lifecycle.ts';
import { nextStart } from './next-start.ts';
import type { Dispatcher } from './playbook/index.ts';
import { toldToStop } from './standing.ts';
import type { Turns } from './turns.ts';
import type { World } from './world.ts';

export interface SingleServicesOptions {
  readonly world: World;
  readonly hub: Hub;
  readonly lifecycle: Lifecycle;
  readonly dispatcher: Dispatcher;
  readonly ending: Ending;
  readonly course: Course;
  readonly turns: Turns;
}

/** What is asked of the same services at once is done in the order in which it was asked for. */
export class SingleServices {
  readonly #options: SingleServicesOptions;

  constructor(options: SingleServicesOptions) {
    this.#options = options;
  }

  /** Another process for the service, once what it needs is up. @throws {SkeinError} SK1401, SK1405, SK1407 */
  async restart(service: ServiceId, signal?: AbortSignal): Promise<void> {
    await this.#bringUp([service], { again: true }, signal);
  }

  /** Those that run are left as they are. @throws {SkeinError} SK1401, SK1405, SK1407 */
  async start(services: readonly ServiceId[], signal?: AbortSignal): Promise<void> {
    await this.#bringUp(services, { again: false }, signal);
  }

  /** Those that were stopped or have failed, of these and of what they need, are tried at once; and these wait for them (F-21). */
  async #bringUp(
    services: readonly ServiceId[],
    { again }: { readonly again: boolean },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const named = new Set(services.map((id) => this.#options.hub.member(id).service.id));
    const needed = closure([...named], (id) => this.#options.world.edgesOf(id).map((edge) => edge.service));
    const members = [...this.#options.hub.members.values()].filter(({ service }) => needed.has(service.id));
    const comingUp = await this.#options.turns.take(needed, async () => {
      const [first = this.#options.world.roots[0]] = named;
      this.#refuseWhenEnding(first);
      // A process that reloads itself would be kept by a Start (N-9).
      if (again)
        await Promise.all(
          services.map((id) => this.#options.lifecycle.endForRestart(this.#options.hub.member(id))),
        );
      this.#refuseWhenEnding(first);
      const starts = members.map(({ service: { id } }) => {
        const isNamed = named.has(id);
        const reentered = (again && isNamed) || this.#isDown(id);
        const up =
          isNamed && (reentered || !this.#isUp(id))
            ? nextStart(this.#options.world.history, id, signal)
            : undefined;
        return { id, reentered, up };
      });
      for (const { id, reentered } of starts) if (reentered) this.#reenter(id);
      return starts.flatMap(({ up }) => (up === undefined ? [] : [up]));
    });
    await Promise.all(comingUp);
  }

  #reenter(service: ServiceId): void {
    this.#options.lifecycle.wantedAgain(this.#options.hub.member(service));
    // What it is built from may have changed while nobody looked.
    const phase = this.#options.hub.hasLostAgent(service) ? 'load' : 'init';
    this.#options.dispatcher.tell({ type: 'reenter', service, phase });
  }

  /** It does not come up by itself, or not now. */
  #isDown(service: ServiceId): boolean {
    const { standing, service: declared } = this.#options.hub.member(service);
    if (standing.kind !== 'wanted') return true;
    // A service that has ended by itself is not what was asked for; a job is done.
    return declared.kind === 'service' && this.#stateOf(service) === 'completed';
  }

  #isUp(service: ServiceId): boolean {
    const state = this.#stateOf(service);
    return state === 'running' || state === 'completed';
  }

  #stateOf(service: ServiceId): string | undefined {
    return this.#options.world.history.snapshot.services.get(service)?.state;
  }

  /** Dependents first; with `only`, these alone. @throws {SkeinError} SK1405 */
  async stop(services: readonly ServiceId[], options: { readonly only?: boolean } = {}): Promise<Receipt> {
    const named = services.map((id) => this.#options.hub.member(id).service.id);
    const dependents = (id: ServiceId): readonly ServiceId[] =>
      options.only === true
        ? []
        : ((this.#options.world.graph.dependents.get(id) ?? []) as readonly ServiceId[]);
    const taken = closure(named, dependents);
    const members = [...this.#options.hub.members.values()].filter(({ service }) => taken.has(service.id));
    return await this.#options.turns.take(taken, () => {
      for (const member of members) {
        member.standing = toldToStop(member.standing);
        this.#options.dispatcher.tell({ type: 'hold', service: member.service.id });
      }
      return this.#options.ending.tearDown('stop', members, this.#options.world.options.teardownBudgetMs);
    });
  }

  #refuseWhenEnding(id: ServiceId): void {
    if (this.#options.course.isEnding)
      throw new SkeinError('SK1407', `the run is being stopped; ${id} is not started again`, {
        place: { service: id, phase: 'start' },
      });
  }
}
