/**
 * Tears a set of participants down, layer by layer (T-1, T-2), and says what came of each (T-3). Whatever the stops do,
 * it ends: a layer that overruns its budget is cut off and forced, and the next goes on.
 */
import { SkeinError, SkeinFaults } from '../../errors/index.ts';
import type { ServiceId } from '../../workspace/index.ts';
import type { Clock } from '../clock.ts';
import type { Receipt, ReceiptResource } from '../events.ts';
import { type TeardownEdge, teardownLayers } from './layers.ts';
import { DEFAULT_LAYER_BUDGET_MS, HURRIED_BUDGET_MS, type Hurry, Urgency } from './urgency.ts';

/** How long `force` may take to kill a participant and to prove that it is gone. */
export const FORCE_BUDGET_MS = 5_000;

export interface TeardownParticipant {
  readonly id: ServiceId;
  /** The service's own `stop-timeout` (T-4). */
  readonly stopTimeoutMs: number;
}

export interface StopLimits {
  /** Aborted when the layer is cut off: the stop is given up, and forcing begins. */
  readonly signal: AbortSignal;
  /** What the layer has when it begins; a hurry may shorten it. */
  readonly budgetMs: number;
}

/** How a graceful stop ended: by itself, or by a kill after which nothing of it runs. */
export type StopAnswer = 'stopped' | 'forced';

/** Whether killing has been proven to leave nothing running. */
export type ForceAnswer = { readonly kind: 'dead' } | { readonly kind: 'may-run'; readonly why: string };

/** What a view may want to say while it goes on. */
export type TeardownProgress =
  | {
      readonly type: 'layer-begins';
      readonly layer: number;
      readonly resources: readonly ServiceId[];
      readonly budgetMs: number;
    }
  | { readonly type: 'resource-settled'; readonly resource: ReceiptResource }
  | { readonly type: 'hurried'; readonly budgetMs: number };

export interface TeardownRequest {
  /** What it is for: `stop`, `run`, `failure`, … */
  readonly operation: string;
  /** In the order of registration: every managed being, a half-initialised one included (T-6). */
  readonly participants: readonly TeardownParticipant[];
  readonly edges: Iterable<TeardownEdge<ServiceId>>;
  /** Default 15 s for each; never less than the layer's largest `stop-timeout` plus 5 s (T-2). */
  readonly budgetMs?: (layer: number) => number;
  /** The agent's Stop. A rejection is the outcome `failed`. Not called for what is to be killed at once. */
  stop(id: ServiceId, limits: StopLimits): Promise<StopAnswer>;
  /**
   * Kills from the host and proves the death. Called after a stop that overran or failed. `signal` is aborted when its
   * own 5 s (2 s in a hurry) are over; its answer no longer counts then.
   */
  force(id: ServiceId, limits: { readonly signal: AbortSignal }): Promise<ForceAnswer>;
  /** An observer that throws is reported, and does not hold the teardown up. */
  readonly observe?: (progress: TeardownProgress) => void;
  readonly hurry?: Hurry;
  readonly clock: Clock;
}

export interface TeardownResult {
  readonly receipt: Receipt;
  /**
   * One fault for each resource that failed (SK1470) or may still run (SK1471), and for an observer that threw (SK1472);
   * a forced resource is proven dead, and stands in the receipt alone.
   */
  readonly faults: SkeinFaults | undefined;
}

/** Stops everything, consumers first. Never rejects. Keeps T-1, T-2, T-3 and T-5. */
export async function tearDown(request: TeardownRequest): Promise<TeardownResult> {
  const viewFaults: SkeinError[] = [];
  const observe = (progress: TeardownProgress): void => {
    try {
      request.observe?.(progress);
    } catch (cause) {
      viewFaults.push(
        new SkeinError('SK1472', `${request.operation}: the view of the teardown failed`, { cause }),
      );
    }
  };
  const urgency = new Urgency(request.clock, request.hurry, (budgetMs) =>
    observe({ type: 'hurried', budgetMs }),
  );
  const layers = teardownLayers(
    request.participants.map(({ id }) => id),
    request.edges,
  );
  const stopTimeouts = new Map(request.participants.map(({ id, stopTimeoutMs }) => [id, stopTimeoutMs]));

  const runLayer = async (layer: number, ids: readonly ServiceId[]): Promise<readonly Settled[]> => {
    const wantedMs = request.budgetMs?.(layer) ?? DEFAULT_LAYER_BUDGET_MS;
    const largestMs = ids.reduce((largest, id) => Math.max(largest, stopTimeouts.get(id) ?? 0), 0);
    const budgetMs = urgency.budgetMs(wantedMs, largestMs);
    observe({ type: 'layer-begins', layer, resources: ids, budgetMs });
    const signal = urgency.begin(layer, budgetMs);
    const settled = await Promise.all(
      ids.map(async (id) => {
        const end = await settle(request, { id, layer, signal, budgetMs }, urgency);
        observe({ type: 'resource-settled', resource: end.resource });
        return end;
      }),
    );
    urgency.end(layer);
    return settled;
  };

  const running: Promise<readonly Settled[]>[] = [];
  for (const [layer, ids] of layers.entries()) {
    const settled = runLayer(layer, ids);
    running.push(settled);
    await Promise.race([settled, urgency.killed]);
  }
  const ends = (await Promise.all(running)).flat();
  urgency[Symbol.dispose]();
  const faults = [...ends.flatMap(({ fault }) => fault ?? []), ...viewFaults];
  return {
    receipt: {
      operation: request.operation,
      layers: layers.length,
      resources: ends.map(({ resource }) => resource),
    },
    faults: faults.length === 0 ? undefined : new SkeinFaults(faults),
  };
}

interface Subject extends StopLimits {
  readonly id: ServiceId;
  readonly layer: number;
}

interface Settled {
  readonly resource: ReceiptResource;
  readonly fault?: SkeinError;
}

async function settle(request: TeardownRequest, subject: Subject, urgency: Urgency): Promise<Settled> {
  const { id, layer } = subject;
  const { clock } = request;
  const beganMs = clock.now();
  const result = (
    outcome: ReceiptResource['outcome'],
    error: string | null,
    fault?: SkeinError,
  ): Settled => ({
    resource: { id, layer, outcome, durationMs: Math.round(clock.now() - beganMs), error },
    ...(fault && { fault }),
  });

  const stopped = await stopWithin(request, subject);
  if (stopped.kind === 'answered')
    return result(
      stopped.answer,
      stopped.answer === 'forced' ? 'it did not stop by itself, and was killed' : null,
    );

  const stoppedAfterMs = clock.now() - beganMs;
  // Also after a failed stop: an agent that could not stop its service has proven nothing about the process.
  const forced = await forceWithin(request, id, urgency);
  const place = { service: id, phase: 'stop' };
  if (stopped.kind === 'refused') {
    const why =
      forced.kind === 'dead' ? stopped.message : `${stopped.message}; it may still run: ${forced.why}`;
    return result('failed', why, new SkeinError('SK1470', `${id}: ${why}`, { place, cause: stopped.cause }));
  }
  const overran =
    stoppedAfterMs > 0
      ? `it did not stop within ${inSeconds(stoppedAfterMs)}`
      : 'it was killed at once, without a stop';
  if (forced.kind === 'dead') return result('forced', overran);
  const why = `${overran}, and may still run: ${forced.why}`;
  return result('timed-out', why, new SkeinError('SK1471', `${id}: ${why}`, { place }));
}

type Stopped =
  | { readonly kind: 'answered'; readonly answer: StopAnswer }
  | { readonly kind: 'refused'; readonly message: string; readonly cause: unknown }
  | { readonly kind: 'overran' };

function stopWithin(request: TeardownRequest, { id, signal, budgetMs }: Subject): Promise<Stopped> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve({ kind: 'overran' });
      return;
    }
    const overrun = (): void => resolve({ kind: 'overran' });
    signal.addEventListener('abort', overrun, { once: true });
    // Called inside an async function so that a synchronous throw is a rejection like any other.
    const stopping = (async () => request.stop(id, { signal, budgetMs }))();
    stopping
      .then(
        (answer) => resolve({ kind: 'answered', answer }),
        (cause: unknown) => resolve({ kind: 'refused', message: messageOf(cause), cause }),
      )
      .finally(() => signal.removeEventListener('abort', overrun));
  });
}

function forceWithin(request: TeardownRequest, id: ServiceId, urgency: Urgency): Promise<ForceAnswer> {
  const limit = new AbortController();
  const limitMs = Math.min(
    FORCE_BUDGET_MS,
    Math.max(HURRIED_BUDGET_MS, urgency.budgetMs(FORCE_BUDGET_MS, 0)),
  );
  return new Promise((resolve) => {
    const timer = request.clock.setTimeout(() => {
      resolve({ kind: 'may-run', why: `killing it took longer than ${inSeconds(limitMs)}` });
      limit.abort(new Error('the time for killing is over'));
    }, limitMs);
    const forcing = (async () => request.force(id, { signal: limit.signal }))();
    forcing
      .then(resolve, (cause: unknown) =>
        resolve({ kind: 'may-run', why: `killing it failed: ${messageOf(cause)}` }),
      )
      .finally(() => timer[Symbol.dispose]());
  });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function inSeconds(durationMs: number): string {
  return `${Math.round(durationMs / 100) / 10} s`;
}
