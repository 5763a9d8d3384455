/** What passes between the engine and the dispatcher that owns it. */
import type { Action, Phase } from './policy.ts';

/** What the engine is told. */
export type Input = ActionInput | ServiceInput | GateInput;

/** What became of an action. About one that is not under way it is stale, and ignored. */
export type ActionInput =
  /** `hash` stands for what dependents can see of it; `null` where there is nothing to see (F-8). */
  | { readonly type: 'done'; readonly action: Action; readonly hash: string | null }
  /** Not `retryable`: the service stays paused until it is re-entered. */
  | { readonly type: 'failed'; readonly action: Action; readonly retryable: boolean }
  /** It failed, and what the service had started before runs on: it stays where it was, until it is re-entered (F-15). */
  | { readonly type: 'kept'; readonly action: Action }
  /** It was queued, and passed over because the service must begin again at an earlier phase. */
  | { readonly type: 'superseded'; readonly action: Action };

/** What happened to a service by itself, or is wanted of it. */
export type ServiceInput =
  /** What it started failed by itself, perhaps before its Start was done; it begins again at `phase`. */
  | {
      readonly type: 'crashed';
      readonly service: string;
      readonly phase: Phase;
      readonly retryable: boolean;
      /** It was held while what was left of it was ended, and is let go. */
      readonly wasHeld?: true;
    }
  /** The pause after its failure is over. */
  | { readonly type: 'retry'; readonly service: string }
  /** It has been up for so long that its failures of before count no more. */
  | { readonly type: 'steady'; readonly service: string }
  /** It is to rest until it is re-entered, whatever happens to it or around it. */
  | { readonly type: 'hold'; readonly service: string }
  /** It must go through `phase` again and through what follows it: a reload, or a restart. */
  | { readonly type: 'reenter'; readonly service: string; readonly phase: Phase };

/** What the edge from `dependent` to `dependency` waits for began, or ceased, to hold. */
export interface GateInput {
  readonly type: 'gate';
  readonly dependent: string;
  readonly dependency: string;
  readonly open: boolean;
}

/** What the engine wants done. */
export type Output =
  | { readonly type: 'dispatch'; readonly action: Action }
  /** The service failed `attempt` times in a row; tell `retry` after the back-off that this asks for (F-9). */
  | { readonly type: 'pause'; readonly service: string; readonly attempt: number }
  /** The service failed `attempts` times in a row, as often as it may; it rests until it is re-entered (F-16). */
  | { readonly type: 'give-up'; readonly service: string; readonly attempts: number }
  /** The pause that was asked for is over before its time: `retry` is not to be told any more. */
  | { readonly type: 'unpause'; readonly service: string };
