/**
 * The playbook's engine: one reducer. It takes what completed and says what became possible; it waits for nothing, knows
 * no process, no clock and no agent, and answers the same for the same inputs (F-6, F-11).
 *
 * Each service has a cursor: the phase that it will run next. A phase of a service may run as soon as every prerequisite
 * has fulfilled what the phase's rule asks of it; nothing else holds it, no layer and no slower neighbour.
 *
 * ```
 *            prerequisites fulfilled                 done: the cursor moves on
 *   resting ─────────────────────────▶ acting ──────────────────────────────▶ resting … ▶ settled
 *      ▲                                 │ failed                                            │
 *      │        retry, or re-entered     ▼                                                   │
 *      ├────────────────────────────── paused                      re-entered: the cursor goes back
 *      │ re-entered
 *     held ◀──── from any of them: told to hold
 * ```
 */
import type { Wait } from '../../workspace/index.ts';
import type { PlaybookGraph } from './graph.ts';
import type { Action, Phase, PhaseRule, Policy } from './policy.ts';

/** What the engine is told. */
export type Input =
  /** An action was done. `hash` stands for what dependents can see of it; `null` where there is nothing to see (F-8). */
  | { readonly type: 'done'; readonly action: Action; readonly hash: string | null }
  /** An action was not done. Not `retryable`: the service stays paused until it is re-entered. */
  | { readonly type: 'failed'; readonly action: Action; readonly retryable: boolean }
  /** A queued action was passed over because the service must begin again at an earlier phase. */
  | { readonly type: 'superseded'; readonly action: Action }
  /** What a service started failed by itself, perhaps before its Start was done; it begins again at `phase`. */
  | { readonly type: 'crashed'; readonly service: string; readonly phase: Phase; readonly retryable: boolean }
  /** The pause of a failed service is over. */
  | { readonly type: 'retry'; readonly service: string }
  /** A service has been up for so long that its failures of before count no more. */
  | { readonly type: 'steady'; readonly service: string }
  /** A service is to rest until it is re-entered, whatever happens to it or around it. */
  | { readonly type: 'hold'; readonly service: string }
  /** What the edge from `dependent` to `dependency` waits for began, or ceased, to hold. */
  | { readonly type: 'gate'; readonly dependent: string; readonly dependency: string; readonly open: boolean }
  /** A service must go through `phase` again and through what follows it: a reload, or a restart. */
  | { readonly type: 'reenter'; readonly service: string; readonly phase: Phase };

/** What the engine wants done. */
export type Output =
  | { readonly type: 'dispatch'; readonly action: Action }
  /** The service failed `attempt` times in a row; tell `retry` after the back-off that this asks for (F-9). */
  | { readonly type: 'pause'; readonly service: string; readonly attempt: number };

type Activity =
  | { readonly kind: 'resting' }
  /** What arrives while an action runs is not lost (F-15): `then` says what follows its end. */
  | { readonly kind: 'acting'; readonly action: Action; readonly sequel: Sequel }
  | { readonly kind: 'paused' }
  | { readonly kind: 'held' };

type Sequel =
  | { readonly kind: 'go-on' }
  /** Go back to this phase. */
  | { readonly kind: 'again'; readonly index: number }
  /** What it started has failed already. */
  | { readonly kind: 'pause'; readonly index: number; readonly retryable: boolean }
  | { readonly kind: 'hold' };

interface Progress {
  readonly service: string;
  /** Index into the policy's phases of the next one to run; their number when settled. */
  cursor: number;
  round: number;
  activity: Activity;
  /** Prerequisites that do not yet fulfil what the phase at the cursor asks. */
  unmet: number;
  /** Failures in a row. */
  failures: number;
  /** By phase: the last hash that was published. */
  readonly hashes: (string | null)[];
  /** Dependencies whose gate is open. */
  readonly openGates: Set<string>;
}

const resting: Activity = { kind: 'resting' };
const paused: Activity = { kind: 'paused' };
const held: Activity = { kind: 'held' };
const goOn: Sequel = { kind: 'go-on' };

/** Deterministic; owned by one dispatcher. */
export interface Engine {
  /** Everything that can run at once at the beginning. Called once. */
  begin(): readonly Output[];
  /** Takes one input, answers what it makes possible. Inputs about actions that are not under way are ignored. */
  step(input: Input): readonly Output[];
  /** A queued action that need not run any more, because a higher round is wanted (F-7). */
  isSuperseded(action: Action): boolean;
  /** Every service has gone through its phases, and nothing is under way or paused. */
  isSettled(): boolean;
}

/**
 * An engine for `policy` over `graph`. `roots` are the services that go through phases meant for roots alone. Costs are
 * linear in services plus edges (F-12).
 */
export function createEngine(graph: PlaybookGraph, policy: Policy, roots: ReadonlySet<string>): Engine {
  const phases = policy.phases;
  const end = phases.length;
  const all = new Map<string, Progress>();
  let unsettled = graph.services.length;

  for (const service of graph.services) {
    all.set(service, {
      service,
      cursor: end,
      round: 0,
      activity: resting,
      unmet: 0,
      failures: 0,
      hashes: [],
      openGates: new Set(),
    });
  }

  const progressOf = (service: string): Progress | undefined => all.get(service);
  const waitsOf = (service: string): ReadonlyMap<string, Wait> =>
    graph.prerequisites.get(service) ?? new Map();
  const indexOf = (phase: Phase): number => phases.findIndex((rule) => rule.phase === phase);

  /** The first phase from `index` on that concerns this service. */
  function nextIndex(service: string, index: number): number {
    let next = index;
    while (next < end && phases[next]?.on === 'roots' && !roots.has(service)) next++;
    return next;
  }

  /** How many prerequisites do not yet fulfil what the phase at the cursor asks. */
  function countUnmet(progress: Progress): number {
    if (progress.cursor === end) return 0;
    let unmet = 0;
    for (const dependency of waitsOf(progress.service).keys()) {
      const met = waitsByGate(progress, dependency)
        ? progress.openGates.has(dependency)
        : (progressOf(dependency) as Progress).cursor > progress.cursor;
      if (!met) unmet++;
    }
    return unmet;
  }

  /** Moves the cursor and keeps the books of everybody who counts on it. */
  function moveCursor(progress: Progress, cursor: number, outputs: Output[]): void {
    const before = progress.cursor;
    progress.cursor = cursor;
    if (before === end && cursor < end) unsettled++;
    if (before < end && cursor === end) unsettled--;
    progress.unmet = countUnmet(progress);
    for (const name of graph.dependents.get(progress.service) ?? []) {
      const dependent = progressOf(name) as Progress;
      if (dependent.cursor === end || waitsByGate(dependent, progress.service)) continue;
      const wasMet = before > dependent.cursor;
      const isMetNow = cursor > dependent.cursor;
      if (wasMet === isMetNow) continue;
      dependent.unmet += isMetNow ? -1 : 1;
      dispatchIfPossible(dependent, outputs);
    }
  }

  /** Whether the dependent's next phase looks at the edge's gate and not at the dependency's cursor. */
  function waitsByGate(dependent: Progress, dependency: string): boolean {
    // `started` is read off the dependency's own cursor; the other waits are observed and told.
    return (
      phases[dependent.cursor]?.after === 'gate' && waitsOf(dependent.service).get(dependency) !== 'started'
    );
  }

  function dispatchIfPossible(progress: Progress, outputs: Output[]): void {
    if (progress.activity.kind !== 'resting' || progress.unmet > 0 || progress.cursor >= end) return;
    const rule = phases[progress.cursor] as PhaseRule;
    const action: Action = { phase: rule.phase, service: progress.service, round: progress.round };
    progress.activity = { kind: 'acting', action, sequel: goOn };
    outputs.push({ type: 'dispatch', action });
  }

  /** The progress of an action that is under way; inputs about any other are stale. */
  function underWay(action: Action): { progress: Progress; sequel: Sequel } | undefined {
    const progress = progressOf(action.service);
    if (progress?.activity.kind !== 'acting') return undefined;
    const current = progress.activity.action;
    if (current.phase !== action.phase || current.round !== action.round) return undefined;
    return { progress, sequel: progress.activity.sequel };
  }

  function goBack(progress: Progress, index: number, outputs: Output[]): void {
    progress.round++;
    progress.activity = resting;
    moveCursor(progress, nextIndex(progress.service, index), outputs);
    dispatchIfPossible(progress, outputs);
  }

  function reenter(progress: Progress, index: number, outputs: Output[]): void {
    const target = Math.min(index, progress.cursor);
    if (progress.activity.kind === 'acting') {
      const { sequel } = progress.activity;
      const earlier =
        sequel.kind === 'again' || sequel.kind === 'pause' ? Math.min(target, sequel.index) : target;
      progress.activity = { ...progress.activity, sequel: { kind: 'again', index: earlier } };
      return;
    }
    goBack(progress, target, outputs);
  }

  /** The action under way has ended, and `then` says otherwise than to go on. */
  function divert(progress: Progress, sequel: Exclude<Sequel, { kind: 'go-on' }>, outputs: Output[]): void {
    if (sequel.kind === 'again') goBack(progress, sequel.index, outputs);
    else if (sequel.kind === 'pause') pause(progress, sequel.index, sequel.retryable, outputs);
    else rest(progress, outputs);
  }

  function done(action: Action, hash: string | null, outputs: Output[]): void {
    const found = underWay(action);
    if (found === undefined) return;
    const { progress, sequel } = found;
    const index = indexOf(action.phase);
    const before = progress.hashes[index];
    const changed = hash !== null && before !== undefined && before !== hash;
    progress.hashes[index] = hash;
    if (sequel.kind === 'go-on') {
      progress.activity = resting;
      moveCursor(progress, nextIndex(progress.service, index + 1), outputs);
      dispatchIfPossible(progress, outputs);
    } else divert(progress, sequel, outputs);
    if (changed) propagate(progress.service, index, outputs);
  }

  /** Direct dependents that went through the phase on the strength of what has changed repeat it (F-8). */
  function propagate(service: string, index: number, outputs: Output[]): void {
    for (const name of graph.dependents.get(service) ?? []) {
      const dependent = progressOf(name) as Progress;
      const actsOnIt = dependent.activity.kind === 'acting' && dependent.cursor === index;
      if (dependent.cursor <= index && !actsOnIt) continue;
      // One that is held, or will be, repeats it when it is let go.
      const isHeld = dependent.activity.kind === 'held';
      const willBe = dependent.activity.kind === 'acting' && dependent.activity.sequel.kind === 'hold';
      if (isHeld) moveCursor(dependent, nextIndex(name, index), outputs);
      else if (!willBe) reenter(dependent, index, outputs);
    }
  }

  /** Out of the playbook until it is re-entered; what waits for it waits. */
  function rest(progress: Progress, outputs: Output[]): void {
    progress.round++;
    progress.activity = held;
    const last = phases.findLastIndex((rule) => rule.on === 'all' || roots.has(progress.service));
    moveCursor(progress, Math.min(progress.cursor, last), outputs);
  }

  function hold(progress: Progress, outputs: Output[]): void {
    if (progress.activity.kind === 'acting')
      progress.activity = { ...progress.activity, sequel: { kind: 'hold' } };
    else rest(progress, outputs);
  }

  function crashed(progress: Progress, phase: Phase, retryable: boolean, outputs: Output[]): void {
    const index = Math.min(indexOf(phase), progress.cursor);
    switch (progress.activity.kind) {
      case 'resting':
        pause(progress, index, retryable, outputs);
        break;
      case 'acting': {
        const { sequel } = progress.activity;
        // Whoever asked for more in the meantime gets it, from as far back as the crash demands.
        if (sequel.kind === 'again') reenter(progress, index, outputs);
        else if (sequel.kind !== 'hold')
          progress.activity = { ...progress.activity, sequel: { kind: 'pause', index, retryable } };
        break;
      }
      case 'paused':
        moveCursor(progress, nextIndex(progress.service, index), outputs);
        break;
      case 'held':
        break;
    }
  }

  function pause(progress: Progress, index: number, retryable: boolean, outputs: Output[]): void {
    progress.failures++;
    progress.round++;
    progress.activity = paused;
    moveCursor(progress, nextIndex(progress.service, index), outputs);
    if (retryable) outputs.push({ type: 'pause', service: progress.service, attempt: progress.failures });
  }

  function failed(action: Action, retryable: boolean, outputs: Output[]): void {
    const found = underWay(action);
    if (found === undefined) return;
    const { progress, sequel } = found;
    const retryFrom = indexOf((phases[indexOf(action.phase)] as PhaseRule).retryFrom);
    switch (sequel.kind) {
      case 'go-on':
        pause(progress, retryFrom, retryable, outputs);
        break;
      case 'again':
        // A change that arrived while it failed is reason enough to try at once.
        progress.failures++;
        goBack(progress, sequel.index, outputs);
        break;
      case 'pause':
        pause(progress, Math.min(retryFrom, sequel.index), retryable && sequel.retryable, outputs);
        break;
      case 'hold':
        rest(progress, outputs);
        break;
    }
  }

  function gate(input: Extract<Input, { type: 'gate' }>, outputs: Output[]): void {
    const dependent = progressOf(input.dependent);
    if (dependent === undefined || dependent.openGates.has(input.dependency) === input.open) return;
    if (input.open) dependent.openGates.add(input.dependency);
    else dependent.openGates.delete(input.dependency);
    if (dependent.cursor === end || !waitsByGate(dependent, input.dependency)) return;
    dependent.unmet += input.open ? -1 : 1;
    dispatchIfPossible(dependent, outputs);
  }

  return {
    begin() {
      const outputs: Output[] = [];
      for (const service of graph.services) {
        const progress = progressOf(service) as Progress;
        progress.cursor = nextIndex(service, 0);
        if (progress.cursor === end) unsettled--;
      }
      for (const service of graph.services) {
        const progress = progressOf(service) as Progress;
        progress.unmet = countUnmet(progress);
      }
      for (const service of graph.services) dispatchIfPossible(progressOf(service) as Progress, outputs);
      return outputs;
    },
    step(input) {
      const outputs: Output[] = [];
      switch (input.type) {
        case 'done':
          done(input.action, input.hash, outputs);
          break;
        case 'failed':
          failed(input.action, input.retryable, outputs);
          break;
        case 'superseded': {
          const found = underWay(input.action);
          if (found === undefined) break;
          if (found.sequel.kind === 'go-on') goBack(found.progress, found.progress.cursor, outputs);
          else divert(found.progress, found.sequel, outputs);
          break;
        }
        case 'crashed': {
          const progress = progressOf(input.service);
          if (progress !== undefined) crashed(progress, input.phase, input.retryable, outputs);
          break;
        }
        case 'retry': {
          const progress = progressOf(input.service);
          if (progress?.activity.kind !== 'paused') break;
          progress.activity = resting;
          dispatchIfPossible(progress, outputs);
          break;
        }
        case 'steady': {
          const progress = progressOf(input.service);
          if (progress !== undefined) progress.failures = 0;
          break;
        }
        case 'hold': {
          const progress = progressOf(input.service);
          if (progress !== undefined) hold(progress, outputs);
          break;
        }
        case 'gate':
          gate(input, outputs);
          break;
        case 'reenter': {
          const progress = progressOf(input.service);
          if (progress !== undefined) reenter(progress, indexOf(input.phase), outputs);
          break;
        }
      }
      return outputs;
    },
    isSuperseded(action) {
      const found = underWay(action);
      return found === undefined || (found.sequel.kind !== 'go-on' && found.sequel.kind !== 'pause');
    },
    isSettled() {
      return unsettled === 0;
    },
  };
}
