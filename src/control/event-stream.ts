/** A run's events as batches that a reader pulls: a slow reader subscribes anew where it stopped, and holds no queue. */
import { setImmediate } from 'node:timers/promises';
import type { Run, RunEvent } from '../orchestration/index.ts';

/** What a reader is given at a time. */
const batchLength = 1024;

/**
 * Every event from the first on, in batches, until the run has ended.
 * @throws the signal's reason when it is aborted.
 */
export async function* eventBatches(run: Run, signal?: AbortSignal): AsyncGenerator<readonly RunEvent[]> {
  let ended = false;
  let sequence = 0;
  let wake = (): void => {};
  const stop = (): void => wake();
  signal?.addEventListener('abort', stop);
  void run.ended.then(() => {
    ended = true;
    wake();
  });
  try {
    for (;;) {
      signal?.throwIfAborted();
      const wasEnded = ended;
      const arrival = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const batch: RunEvent[] = [];
      const subscription = run.onEvent((event) => {
        if (batch.length < batchLength) batch.push(event);
        wake();
      }, sequence);
      try {
        if (batch.length === 0 && !wasEnded && !ended && !signal?.aborted) await arrival;
        // What happens in the same turn of the event loop travels together.
        if (batch.length > 0 && batch.length < batchLength) await setImmediate();
      } finally {
        subscription[Symbol.dispose]();
      }
      sequence = batch.at(-1)?.sequence ?? sequence;
      if (batch.length > 0) yield batch;
      else if (wasEnded) return;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
