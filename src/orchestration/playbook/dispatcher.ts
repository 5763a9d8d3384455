/**
 * The playbook's dispatcher: runs what the engine makes possible, concurrently, and tells the engine what became of it.
 * Everything that waits, fails or takes time is here and in the executors; every decision is the engine's.
 */
import { setMaxListeners } from 'node:events';
import PQueue from 'p-queue';
import type { Clock } from '../clock.ts';
import { Engine } from './engine.ts';
import type { PlaybookGraph } from './graph.ts';
import type { Action, Policy } from './policy.ts';
import type { GateInput, Input, Output, ServiceInput } from './protocol.ts';

/** What an executor answers: exactly one of these. */
export type ActionResult =
  /** `hash` stands for what dependents can see of it; `null` where there is nothing to see (F-8). */
  | { readonly outcome: 'done'; readonly hash: string | null }
  | { readonly outcome: 'failed'; readonly retryable: boolean }
  /** It failed, and what the service had started before runs on (F-15). */
  | { readonly outcome: 'kept' };

/** How a service is tried again (F-9, F-16). */
export interface Retrying {
  /** Failures in a row after which it is given up. */
  readonly attempts: number;
  /** The first pause, milliseconds; each later one is twice as long. */
  readonly backoffMs: number;
}

export interface DispatcherOptions {
  readonly graph: PlaybookGraph;
  readonly policy: Policy;
  readonly roots: ReadonlySet<string>;
  readonly clock: Clock;
  /** In [0, 1); jitter of the back-off. */
  readonly random: () => number;
  /** Actions at once; `Infinity` for no limit (F-6). */
  readonly parallelism: number;
  /** Does the work; must not throw: an executor that throws is a bug and ends the playbook. */
  readonly execute: (action: Action, signal: AbortSignal) => Promise<ActionResult>;
  readonly retryingOf: (service: string) => Retrying;
  /** A service failed `attempts` times in a row, and is not tried again by itself (F-16). */
  readonly onGiveUp?: (service: string, attempts: number) => void;
  /** Every service has gone through its phases, and nothing is under way or paused; told each time that it becomes so. */
  readonly onSettled?: () => void;
  /** A service pauses after a failure; it is tried again after `delayMs`. */
  readonly onPause?: (service: string, attempt: number, delayMs: number) => void;
}

export interface Dispatcher {
  /** Begins; resolves at once. */
  start(): void;
  /** Tells the engine something from outside the actions. */
  tell(input: ServiceInput | GateInput): void;
  /** Aborts what is under way of these services, which are held; resolves when it has ended. */
  abort(services: Iterable<string>, reason: Error): Promise<void>;
  /** Goes on with another graph (F-17, F-18); see `Engine.replan`. */
  replan(graph: PlaybookGraph, roots: ReadonlySet<string>): void;
  /** Ends it: nothing new starts, what runs is aborted; resolves when nothing runs any more (F-10). */
  cancel(reason: Error): Promise<void>;
  /** Resolves when the playbook has ended by `cancel`; rejects with the bug of an executor that threw. */
  readonly ended: Promise<void>;
  readonly engine: Engine;
}

/** The longest pause, but for one that is declared longer (F-9). */
const PAUSE_LIMIT_MS = 30_000;

/** Pause before the next attempt: doubling from `backoffMs` to 30 s, with up to a fifth of jitter (F-9). */
function pauseMs(attempt: number, backoffMs: number, random: () => number): number {
  const limit = Math.max(PAUSE_LIMIT_MS, backoffMs);
  const base = Math.min(limit, backoffMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(base * (1 - 0.2 * random()));
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { policy, clock } = options;
  let { graph } = options;
  const engine = new Engine({
    graph,
    policy,
    roots: options.roots,
    attemptsOf: (service) => options.retryingOf(service).attempts,
  });
  const queue = new PQueue({ concurrency: options.parallelism });
  const cancellation = new AbortController();
  // Every action under way listens: their number is the graph's, and no leak.
  setMaxListeners(0, cancellation.signal);
  const retries = new Map<string, Disposable>();
  /** By service: one action at a time. */
  const underWay = new Map<string, { readonly own: AbortController; readonly work: Promise<ActionResult> }>();
  const order = new Map(policy.phases.map((rule, index) => [rule.phase, index]));
  let end: () => void = () => undefined;
  let endWithBug: (bug: unknown) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve;
    endWithBug = reject;
  });

  /** Later phases first, and among those the longest way to the end: the critical path never queues behind others. */
  function priority(action: Action): number {
    return (
      (order.get(action.phase) ?? 0) * (graph.services.length + 1) + (graph.height.get(action.service) ?? 0)
    );
  }

  function carryOut(outputs: readonly Output[]): void {
    if (cancellation.signal.aborted) return;
    for (const output of outputs)
      switch (output.type) {
        case 'dispatch':
          enqueue(output.action);
          break;
        case 'pause':
          schedule(output.service, output.attempt);
          break;
        case 'give-up':
          options.onGiveUp?.(output.service, output.attempts);
          break;
        case 'unpause':
          unschedule(output.service);
          break;
      }
  }

  function step(input: Input): void {
    if (cancellation.signal.aborted) return;
    const wasSettled = engine.isSettled();
    carryOut(engine.step(input));
    if (!wasSettled && engine.isSettled()) options.onSettled?.();
  }

  function enqueue(action: Action): void {
    queue
      .add(() => perform(action), { priority: priority(action) })
      .catch((bug: unknown) => {
        cancellation.abort(bug);
        endWithBug(bug);
      });
  }

  async function perform(action: Action): Promise<void> {
    if (cancellation.signal.aborted) return;
    if (engine.isSuperseded(action)) {
      step({ type: 'superseded', action });
      return;
    }
    const result = await executed(action);
    switch (result.outcome) {
      case 'done':
        step({ type: 'done', action, hash: result.hash });
        break;
      case 'failed':
        step({ type: 'failed', action, retryable: result.retryable });
        break;
      case 'kept':
        step({ type: 'kept', action });
        break;
    }
  }

  async function executed(action: Action): Promise<ActionResult> {
    const own = new AbortController();
    const work = options.execute(action, AbortSignal.any([cancellation.signal, own.signal]));
    underWay.set(action.service, { own, work });
    try {
      return await work;
    } finally {
      underWay.delete(action.service);
    }
  }

  function schedule(service: string, attempt: number): void {
    const delayMs = pauseMs(attempt, options.retryingOf(service).backoffMs, options.random);
    options.onPause?.(service, attempt, delayMs);
    const retry = (): void => {
      retries.delete(service);
      step({ type: 'retry', service });
    };
    retries.set(service, clock.setTimeout(retry, delayMs));
  }

  function unschedule(service: string): void {
    retries.get(service)?.[Symbol.dispose]();
    retries.delete(service);
  }

  return {
    engine,
    ended,
    start() {
      carryOut(engine.begin());
    },
    tell(input) {
      step(input);
    },
    async abort(services, reason) {
      const found = [...services].flatMap((service) => underWay.get(service) ?? []);
      for (const { own } of found) own.abort(reason);
      // What an executor throws is told where it was called.
      await Promise.allSettled(found.map(({ work }) => work));
    },
    replan(next, roots) {
      if (cancellation.signal.aborted) return;
      graph = next;
      carryOut(engine.replan(next, roots));
    },
    async cancel(reason) {
      cancellation.abort(reason);
      queue.clear();
      for (const service of [...retries.keys()]) unschedule(service);
      await queue.onIdle();
      end();
    },
  };
}
