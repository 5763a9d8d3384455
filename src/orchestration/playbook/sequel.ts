/** What follows the end of an action that is under way. What arrives in the meantime is folded in, and not lost (F-15). */

/** `index` is a phase's place in the policy. */
export type Sequel =
  | { readonly kind: 'go-on' }
  /** Go back to this phase. */
  | { readonly kind: 'again'; readonly index: number }
  /** What it started has failed already; it begins again at this phase. */
  | { readonly kind: 'pause'; readonly index: number; readonly retryable: boolean }
  | { readonly kind: 'hold' };

export const goOn: Sequel = { kind: 'go-on' };

export const thenHold: Sequel = { kind: 'hold' };

/** The phase at `index` is wanted again, or the earlier one that was wanted already. */
export function thenAgain(sequel: Sequel, index: number): Sequel {
  return { kind: 'again', index: earliest(sequel, index) };
}

/** What the action started has failed. Whoever asked for more gets it, from as far back as the failure demands. */
export function thenPause(sequel: Sequel, index: number, retryable: boolean): Sequel {
  if (sequel.kind === 'again') return thenAgain(sequel, index);
  if (sequel.kind === 'hold') return sequel;
  return { kind: 'pause', index: earliest(sequel, index), retryable };
}

function earliest(sequel: Sequel, index: number): number {
  return 'index' in sequel ? Math.min(sequel.index, index) : index;
}
