/**
 * What happens in a run and what its services print, as messages of its API in batches: what the API's streams carry, and
 * what the process that holds the run reads without a transport between.
 */
import { create } from '@bufbuild/protobuf';
import { SkeinError } from '../errors/index.ts';
import { type Event, type LogChunk, LogChunkSchema } from '../gen/skein/control/v1/control_pb.js';
import type { Run } from '../orchestration/index.ts';
import { EventTranslator } from './event-messages.ts';
import { eventBatches } from './event-stream.ts';
import type { LogQuery } from './logs/cursor.ts';
import type { LogStore } from './logs/log-store.ts';
import { logMessages } from './messages.ts';

/**
 * Events after the one of this number, or all there are for 0, until the run has ended.
 * @throws {SkeinError} SK1514 when some of them are not kept any more; the signal's reason when it is aborted.
 */
export async function* watchEvents(
  run: Run,
  afterSequence: bigint,
  signal?: AbortSignal,
): AsyncGenerator<Event[]> {
  const translator = new EventTranslator();
  let last: number | undefined;
  // From the oldest on, whatever is asked for: the translation of an event depends on those before it.
  for await (const batch of eventBatches(run, signal)) {
    const oldest = batch[0]?.sequence ?? 0;
    const expected = last === undefined ? afterSequence : BigInt(last);
    // Who names no event to go on after is given what there is: a person's view must not end because it was paused.
    if (afterSequence > 0n && BigInt(oldest) > expected + 1n) throw forgotten(expected, oldest);
    last = batch.at(-1)?.sequence ?? last;
    const events = batch
      .map((event) => translator.translate(event))
      .filter((event) => event !== undefined)
      .filter((event) => event.sequence > afterSequence);
    if (events.length > 0) yield events;
  }
}

function forgotten(after: bigint, oldest: number): SkeinError {
  return new SkeinError(
    'SK1514',
    `events ${after + 1n} to ${oldest - 1} of the run are not kept any more; the oldest that is kept is ${oldest}`,
  );
}

/** Output as the query asks for it. @throws the signal's reason when it is aborted; the system's error when a file cannot be read. */
export async function* readLogs(
  logs: LogStore,
  query: LogQuery,
  signal?: AbortSignal,
): AsyncGenerator<LogChunk[]> {
  for await (const batch of logs.read(query, signal))
    yield batch.flatMap(logMessages).map((chunk) => create(LogChunkSchema, chunk));
}
