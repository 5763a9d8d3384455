/**
 * The playbook's engine: one reducer. It takes what completed and says what became possible; it waits for nothing, knows
 * no process, no clock and no agent, and answers the same for the same inputs (F-6, F-11).
 *
 * Each service has a cursor: the phase that it will run next (`cursors.ts`). A phase of a service may run as soon as every
 * prerequisite has fulfilled what the phase's rule asks of it; nothing else holds it, no layer and no slower neighbour.
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
import { Cursors } from './cursors.ts';
import type { PlaybookGraph } from './graph.ts';
import type { Action, Phase, PhaseRule, Policy } from './policy.ts';
import type { ActionInput, GateInput, Input, Output, ServiceInput } from './protocol.ts';
import { goOn, type Sequel, thenAgain, thenHold, thenPause } from './sequel.ts';

type Activity =
  | { readonly kind: 'resting' }
  | { readonly kind: 'acting'; readonly action: Action; readonly sequel: Sequel }
  | { readonly kind: 'paused'; readonly until: 'retry' | 're-entered' }
  | { readonly kind: 'held' };

interface Progress {
  readonly service: string;
  round: number;
  activity: Activity;
  /** Failures in a row. */
  failures: number;
  /** Those among them that its restart policy counts. */
  crashes: number;
  /** Index of the phase from which it must go on whatever is asked for, because a repeated phase failed; else infinite. */
  stale: number;
  /** By phase: the last hash that was published. */
  readonly hashes: (string | null)[];
}

const resting: Activity = { kind: 'resting' };
const held: Activity = { kind: 'held' };

export interface EngineOptions {
  readonly graph: PlaybookGraph;
  readonly policy: Policy;
  /** The services that go through phases meant for roots alone. */
  readonly roots: ReadonlySet<string>;
  /** How often a service may fail in a row before it is given up (F-16). */
  readonly attemptsOf: (service: string) => number;
}

/** Deterministic; owned by one dispatcher. Costs are linear in services plus edges (F-12). */
export class Engine {
  #graph: PlaybookGraph;
  readonly #policy: Policy;
  readonly #cursors: Cursors;
  readonly #attemptsOf: EngineOptions['attemptsOf'];
  readonly #all: Map<string, Progress>;
  /** The round in which one that left would begin again: no action of before can be taken for one of after. */
  readonly #departed = new Map<string, number>();
  #outputs: Output[] = [];

  constructor({ graph, policy, roots, attemptsOf }: EngineOptions) {
    this.#graph = graph;
    this.#policy = policy;
    this.#attemptsOf = attemptsOf;
    this.#cursors = new Cursors(graph, policy, roots);
    this.#all = new Map(graph.services.map((service) => [service, untouched(service)]));
  }

  /** Everything that can run at once at the beginning. Called once. */
  begin(): readonly Output[] {
    for (const progress of this.#all.values()) this.#dispatchIfPossible(progress);
    return this.#takeOutputs();
  }

  /**
   * Goes on with another graph (F-17, F-18): those that are new to it begin, those that it does not have are out, and of
   * those that stay nothing changes. The edges of those that stay are to be the same. To be called after `begin`.
   */
  replan(graph: PlaybookGraph, roots: ReadonlySet<string>): readonly Output[] {
    this.#graph = graph;
    this.#cursors.replan(graph, roots);
    const staying = new Set(graph.services);
    for (const [service, progress] of [...this.#all]) {
      if (staying.has(service)) continue;
      this.#endPause(progress);
      this.#all.delete(service);
      this.#departed.set(service, progress.round + 1);
    }
    for (const service of graph.services) {
      if (this.#all.has(service)) continue;
      const progress = untouched(service, this.#departed.get(service));
      this.#all.set(service, progress);
      this.#dispatchIfPossible(progress);
    }
    return this.#takeOutputs();
  }

  /** Takes one input, answers what it makes possible. */
  step(input: Input): readonly Output[] {
    switch (input.type) {
      case 'done':
      case 'failed':
      case 'kept':
      case 'superseded':
        this.#actionEnded(input);
        break;
      case 'gate':
        this.#gate(input);
        break;
      default: {
        const progress = this.#all.get(input.service);
        if (progress !== undefined) this.#serviceTold(progress, input);
      }
    }
    return this.#takeOutputs();
  }

  /** A queued action that need not run any more, because a higher round is wanted (F-7). */
  isSuperseded(action: Action): boolean {
    const found = this.#underWay(action);
    return found === undefined || (found.sequel.kind !== 'go-on' && found.sequel.kind !== 'pause');
  }

  /** Every service has gone through its phases, and nothing is under way or paused. */
  isSettled(): boolean {
    return this.#cursors.isSettled;
  }

  #takeOutputs(): readonly Output[] {
    const outputs = this.#outputs;
    this.#outputs = [];
    return outputs;
  }

  #actionEnded(input: ActionInput): void {
    const found = this.#underWay(input.action);
    if (found === undefined) return;
    const { progress, sequel } = found;
    if (input.type === 'done') this.#done(progress, sequel, input);
    else if (input.type === 'failed') this.#failed(progress, sequel, input);
    else if (input.type === 'kept') this.#kept(progress, sequel, input.action);
    else if (sequel.kind === 'go-on') this.#goBack(progress, this.#cursors.at(progress.service));
    else this.#divert(progress, sequel);
  }

  #serviceTold(progress: Progress, input: ServiceInput): void {
    switch (input.type) {
      case 'crashed':
        if (input.wasHeld && progress.activity.kind === 'held') progress.activity = resting;
        this.#crashed(progress, this.#indexOf(input.phase), input.retryable);
        break;
      case 'retry':
        if (!awaitsRetry(progress)) break;
        progress.activity = resting;
        this.#dispatchIfPossible(progress);
        break;
      case 'steady':
        progress.failures = 0;
        progress.crashes = 0;
        break;
      case 'hold':
        if (progress.activity.kind === 'acting')
          progress.activity = { ...progress.activity, sequel: thenHold };
        else this.#rest(progress);
        break;
      case 'reenter':
        // Whoever asks has changed something, or wants to know: its failures of before count no more.
        progress.failures = 0;
        progress.crashes = 0;
        this.#reenter(progress, this.#indexOf(input.phase));
        break;
    }
  }

  #gate({ dependent, dependency, open }: GateInput): void {
    const progress = this.#all.get(dependent);
    if (progress === undefined) return;
    if (this.#cursors.setGate(dependent, dependency, open)) this.#dispatchIfPossible(progress);
  }

  /** The progress of an action that is under way; inputs about any other are stale. */
  #underWay(action: Action): { readonly progress: Progress; readonly sequel: Sequel } | undefined {
    const progress = this.#all.get(action.service);
    if (progress?.activity.kind !== 'acting') return undefined;
    const { action: current, sequel } = progress.activity;
    return current.phase === action.phase && current.round === action.round
      ? { progress, sequel }
      : undefined;
  }

  #done(progress: Progress, sequel: Sequel, { action, hash }: Extract<Input, { type: 'done' }>): void {
    const index = this.#indexOf(action.phase);
    const before = progress.hashes[index];
    progress.hashes[index] = hash;
    if (sequel.kind === 'go-on') {
      progress.activity = resting;
      this.#moveTo(progress, index + 1);
    } else this.#divert(progress, sequel);
    if (hash !== null && before !== undefined && before !== hash) this.#propagate(progress.service, index);
  }

  #failed(progress: Progress, sequel: Sequel, input: Extract<Input, { type: 'failed' }>): void {
    const rule = this.#policy.phases[this.#indexOf(input.action.phase)] as PhaseRule;
    const retryFrom = this.#indexOf(rule.retryFrom);
    switch (sequel.kind) {
      case 'go-on':
        this.#pause(progress, { index: retryFrom, retryable: input.retryable, retries: rule.retries });
        break;
      case 'again':
        // A change that arrived while it failed is reason enough to try at once.
        progress.failures++;
        this.#goBack(progress, Math.min(retryFrom, sequel.index));
        break;
      case 'pause':
        this.#pause(progress, {
          index: Math.min(retryFrom, sequel.index),
          retryable: input.retryable && sequel.retryable,
          retries: 'limited',
        });
        break;
      case 'hold':
        this.#rest(progress);
        break;
    }
  }

  /** Back to where it was before it was re-entered; whatever comes next goes through what failed first. */
  #kept(progress: Progress, sequel: Sequel, { phase }: Action): void {
    const rule = this.#policy.phases[this.#indexOf(phase)] as PhaseRule;
    progress.stale = Math.min(progress.stale, this.#indexOf(rule.retryFrom));
    if (sequel.kind === 'go-on') {
      progress.round++;
      progress.activity = resting;
      this.#moveTo(progress, this.#policy.phases.length);
    } else if (sequel.kind === 'hold') this.#divert(progress, sequel);
    else this.#divert(progress, { ...sequel, index: Math.min(progress.stale, sequel.index) });
  }

  /** The action under way has ended, and its sequel says otherwise than to go on. */
  #divert(progress: Progress, sequel: Exclude<Sequel, { kind: 'go-on' }>): void {
    if (sequel.kind === 'again') this.#goBack(progress, sequel.index);
    else if (sequel.kind === 'pause')
      this.#pause(progress, { index: sequel.index, retryable: sequel.retryable, retries: 'limited' });
    else this.#rest(progress);
  }

  /** Direct dependents that went through the phase on the strength of what has changed repeat it (F-8). */
  #propagate(service: string, index: number): void {
    for (const name of this.#graph.dependents.get(service) ?? []) {
      const dependent = this.#all.get(name) as Progress;
      const { activity } = dependent;
      const at = this.#cursors.at(name);
      if (at < index || (at === index && activity.kind !== 'acting')) continue;
      // One that is held, or will be, repeats it when it is let go.
      if (activity.kind === 'held') this.#moveTo(dependent, index);
      else if (activity.kind !== 'acting' || activity.sequel.kind !== 'hold') this.#reenter(dependent, index);
    }
  }

  #reenter(progress: Progress, index: number): void {
    const { activity, service } = progress;
    const target = Math.min(index, progress.stale, this.#cursors.at(service));
    if (activity.kind === 'acting')
      progress.activity = { ...activity, sequel: thenAgain(activity.sequel, target) };
    else this.#goBack(progress, target);
  }

  #crashed(progress: Progress, from: number, retryable: boolean): void {
    const { activity, service } = progress;
    const index = Math.min(from, progress.stale, this.#cursors.at(service));
    switch (activity.kind) {
      case 'resting':
        this.#pause(progress, { index, retryable, retries: 'limited' });
        break;
      case 'acting':
        progress.activity = { ...activity, sequel: thenPause(activity.sequel, index, retryable) };
        break;
      case 'paused':
        this.#moveTo(progress, index);
        break;
      case 'held':
        break;
    }
  }

  #pause(progress: Progress, { index, retryable, retries }: Pause): void {
    const { service } = progress;
    progress.failures++;
    progress.round++;
    if (retries === 'limited') progress.crashes++;
    const givesUp = retryable && retries === 'limited' && progress.crashes >= this.#attemptsOf(service);
    progress.activity = { kind: 'paused', until: retryable && !givesUp ? 'retry' : 're-entered' };
    this.#moveTo(progress, index);
    if (givesUp) this.#outputs.push({ type: 'give-up', service, attempts: progress.crashes });
    else if (retryable) this.#outputs.push({ type: 'pause', service, attempt: progress.failures });
  }

  #goBack(progress: Progress, index: number): void {
    this.#endPause(progress);
    progress.round++;
    progress.activity = resting;
    this.#moveTo(progress, index);
  }

  /** Out of the playbook until it is re-entered; what waits for it waits. */
  #rest(progress: Progress): void {
    this.#endPause(progress);
    progress.round++;
    progress.activity = held;
    const { service } = progress;
    this.#moveTo(progress, Math.min(this.#cursors.at(service), this.#cursors.lastIndex(service)));
  }

  #endPause(progress: Progress): void {
    if (awaitsRetry(progress)) this.#outputs.push({ type: 'unpause', service: progress.service });
  }

  /** Dispatches what this makes possible: in the dependents, and in the service itself. */
  #moveTo(progress: Progress, index: number): void {
    if (index <= progress.stale) progress.stale = Number.POSITIVE_INFINITY;
    for (const dependent of this.#cursors.move(progress.service, index))
      this.#dispatchIfPossible(this.#all.get(dependent) as Progress);
    this.#dispatchIfPossible(progress);
  }

  #dispatchIfPossible(progress: Progress): void {
    if (progress.activity.kind !== 'resting') return;
    const phase = this.#cursors.open(progress.service);
    if (phase === undefined) return;
    const action: Action = { phase, service: progress.service, round: progress.round };
    progress.activity = { kind: 'acting', action, sequel: goOn };
    this.#outputs.push({ type: 'dispatch', action });
  }

  #indexOf(phase: Phase): number {
    return this.#policy.phases.findIndex((rule) => rule.phase === phase);
  }
}

interface Pause {
  /** Of the phase at which it begins again. */
  readonly index: number;
  readonly retryable: boolean;
  readonly retries: PhaseRule['retries'];
}

function untouched(service: string, round = 0): Progress {
  return {
    service,
    round,
    activity: resting,
    failures: 0,
    crashes: 0,
    stale: Number.POSITIVE_INFINITY,
    hashes: [],
  };
}

function awaitsRetry({ activity }: Progress): boolean {
  return activity.kind === 'paused' && activity.until === 'retry';
}
