/**
 * A running flow that changes (F-17 to F-19): the workspace is read again, what it newly composes joins, what it does not
 * compose any more leaves. Everything that can refuse is asked before anything changes; nothing that stays is touched.
 */
import { SkeinError, wholeMessage } from '../errors/index.ts';
import {
  loadWorkspace,
  resolveServiceName,
  type Service,
  type ServiceId,
  type Workspace,
} from '../workspace/index.ts';
import { type Composition, compose } from './composition.ts';
import type { Course } from './course.ts';
import { sameDefinition } from './definition.ts';
import type { Ending } from './ending.ts';
import type { Receipt } from './events.ts';
import type { Hub, Member } from './hub.ts';
import { planGate } from './plan-gate.ts';
import type { Dispatcher } from './playbook/index.ts';
import { runRequirements } from './readiness/index.ts';
import type { Extension } from './run.ts';
import type { RunReadiness } from './run-readiness.ts';
import { toldToStop } from './standing.ts';
import type { Turns } from './turns.ts';
import type { World } from './world.ts';

export interface ExtendingOptions {
  readonly world: World;
  readonly hub: Hub;
  readonly readiness: RunReadiness;
  readonly dispatcher: Dispatcher;
  readonly ending: Ending;
  readonly course: Course;
  readonly turns: Turns;
}

/** What the workspace composes now, against what runs. */
interface Change {
  readonly next: Composition;
  readonly joining: readonly Service[];
  readonly leaving: readonly Service[];
  /** Those that run on by a definition that is not the workspace's any more; `now`: whether it has another. */
  readonly outdated: readonly { readonly id: ServiceId; readonly now: 'otherwise' | 'not-at-all' }[];
}

export class Extending {
  readonly #options: ExtendingOptions;
  /** As named when the run was started, and since; `undefined`: every service of the workspace. */
  #named: readonly ServiceId[] | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ExtendingOptions) {
    this.#options = options;
    const { roots } = options.world.options;
    this.#named = roots.length > 0 ? roots : undefined;
  }

  /**
   * Extends the run by what the workspace composes now, and by the services of these names. Asked for several times at once,
   * each begins when the one before has ended. Resolves when those that leave have been stopped and those that join begin.
   * @throws {SkeinError} SK10xx and SK11xx to SK14xx, all faults together: nothing has changed then, and it is told as a warning
   */
  extend(names: readonly string[]): Promise<Extension> {
    const turn = this.#last.then(() => this.#extend(names));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #extend(names: readonly string[]): Promise<Extension> {
    const { world } = this.#options;
    let change: Change;
    try {
      this.#refuseWhereFixed();
      change = await this.#plan(names);
    } catch (error) {
      if (error instanceof SkeinError) world.warn(null, 'extend', `not extended: ${wholeMessage(error)}`);
      throw error;
    }
    const { joining, leaving, outdated } = change;
    const receipt = leaving.length === 0 ? null : await this.#takeDown(change);
    if (this.#options.course.isEnding) {
      await this.#options.hub.dismiss(joining);
      throw isEnding();
    }
    await this.#switchTo(change);
    return {
      joined: joining.map(({ id }) => id),
      left: leaving.map(({ id }) => id),
      outdated: outdated.map(({ id }) => id),
      receipt,
    };
  }

  /** Reads, composes, and asks the plan gate; what it made for the asking is undone where it refuses. */
  async #plan(names: readonly string[]): Promise<Change> {
    const { world, hub, course } = this.#options;
    const reloaded = await loadWorkspace(world.workspace.root);
    const added = names.map((name) => resolveServiceName(reloaded, name));
    const change = this.#changeTo(reloaded, added);
    const { next, joining, leaving } = change;
    const staying = next.services.filter((service) => !joining.includes(service));
    world.proposals.admit(next.workspace, staying);
    world.state.recompose(next.workspace);
    hub.enrol(joining);
    try {
      await planGate(
        {
          workspace: next.workspace,
          services: joining,
          excluded: next.excluded,
          leaving,
          proposals: world.proposals,
          acquire: (service, signal) => hub.acquire(service, signal),
        },
        course.signal,
      );
      if (course.isEnding) throw isEnding();
    } catch (error) {
      await hub.dismiss(joining);
      world.state.recompose(world.workspace);
      throw course.isEnding ? isEnding() : error;
    }
    if (this.#named !== undefined) this.#named = [...new Set([...this.#named, ...added])];
    return change;
  }

  #changeTo(reloaded: Workspace, added: readonly ServiceId[]): Change {
    const { composition, options } = this.#options.world;
    const [origin] = composition.roots;
    // What runs goes on by the definition that it was started with.
    const workspace = merged(reloaded, composition.services);
    const excluded = options.excluded ?? new Set();
    const composed =
      this.#named?.filter((id) => reloaded.services.has(id)) ??
      [...reloaded.services.keys()].filter((id) => !excluded.has(id));
    const selection = {
      part: 'whole',
      excluded,
      roots: [...new Set([origin, ...composed, ...added])],
    } as const;
    const kept = compose(workspace, selection);
    const ids = new Set(kept.services.map(({ id }) => id));
    const leaving = composition.services.filter(({ id }) => !ids.has(id));
    const before = new Set(composition.services.map(({ id }) => id));
    // What leaves is no part of the workspace of the run any more, unless it is declared still.
    const next = leaving.length === 0 ? kept : compose(without(workspace, leaving, reloaded), selection);
    return {
      next,
      leaving,
      joining: next.services.filter(({ id }) => !before.has(id)),
      outdated: composition.services
        .filter(({ id }) => ids.has(id))
        .flatMap((service): Change['outdated'] => {
          const declared = reloaded.services.get(service.id);
          if (declared === undefined) return [{ id: service.id, now: 'not-at-all' }];
          return sameDefinition(service, declared) ? [] : [{ id: service.id, now: 'otherwise' }];
        }),
    };
  }

  /** Those that leave end, dependents first (F-18); from now on nothing is required of them. */
  async #takeDown({ next, leaving }: Change): Promise<Receipt> {
    const { world, hub, dispatcher, ending, readiness, turns } = this.#options;
    const ids = leaving.map(({ id }) => id);
    return await turns.take(ids, async () => {
      const members: readonly Member[] = leaving.map(({ id }) => hub.member(id));
      for (const member of members) {
        member.standing = toldToStop(member.standing);
        dispatcher.tell({ type: 'hold', service: member.service.id });
      }
      const { composition } = world;
      this.#require(readiness, {
        ...composition,
        roots: next.roots,
        everyone: composition.everyone.filter(({ id }) => !ids.includes(id)),
      });
      await dispatcher.abort(ids, new Error('the service leaves the run'));
      return await ending.tearDown('withdraw', members, world.options.teardownBudgetMs);
    });
  }

  async #switchTo({ next, joining, leaving, outdated }: Change): Promise<void> {
    const { world, hub, dispatcher, readiness, course } = this.#options;
    const { history } = world;
    world.recompose(next);
    if (leaving.length > 0) history.emit({ type: 'left', services: leaving.map(({ id }) => id) });
    if (joining.length > 0) {
      course.grow(`joined by ${joining.map(({ id }) => id).join(', ')}`);
      history.emit({ type: 'joined', services: joining, order: next.everyone.map(({ id }) => id) });
      for (const { id } of joining)
        history.emit({ type: 'service-state', service: id, state: 'pending', cause: 'it joined the run' });
    }
    for (const service of leaving) readiness.forget(service.id);
    dispatcher.replan(next.graph, new Set(next.roots));
    this.#require(readiness, next);
    for (const { id, now } of outdated) world.warn(id, 'extend', outdatedWords[now](id));
    await hub.dismiss(leaving);
    world.state.recompose(world.workspace);
  }

  #require(readiness: RunReadiness, { everyone, roots, excluded }: Composition): void {
    const { course } = this.#options;
    const change = readiness.replan(
      runRequirements({ services: everyone, roots: new Set(roots), excluded: new Set(excluded.keys()) }),
    );
    if (change === 'became-ready') course.becameReady();
    else if (change === 'revoked') course.grow('more is required of it');
  }

  #refuseWhereFixed(): void {
    const { world, course } = this.#options;
    if (course.isEnding) throw isEnding();
    const { part = 'whole', until } = world.options;
    if (part !== 'whole')
      throw new SkeinError(
        'SK1415',
        `this run is about ${world.roots[0]} alone (${part === 'stand-alone' ? '--stand-alone' : '--exclude-root'})`,
      );
    if (until === 'loaded' || until === 'initialized')
      throw new SkeinError('SK1415', 'this run ends by itself, before anything is started');
  }
}

/** The workspace with these services as they are given. */
function merged(workspace: Workspace, services: readonly Service[]): Workspace {
  return {
    ...workspace,
    services: new Map([...workspace.services, ...services.map((service) => [service.id, service] as const)]),
  };
}

/** The workspace with these services as they are declared, or without them. */
function without(workspace: Workspace, services: readonly Service[], declared: Workspace): Workspace {
  const kept = new Map(workspace.services);
  for (const { id } of services) {
    const service = declared.services.get(id);
    if (service === undefined) kept.delete(id);
    else kept.set(id, service);
  }
  return { ...workspace, services: kept };
}

const outdatedWords = {
  otherwise: (id: ServiceId) =>
    `${id} is declared otherwise now and runs on as before, also after a restart: stop the run and run again for the change`,
  'not-at-all': (id: ServiceId) => `${id} is not declared any more and runs on: the run needs it`,
};

function isEnding(): SkeinError {
  return new SkeinError('SK1407', 'the run is being stopped, and is not extended');
}
