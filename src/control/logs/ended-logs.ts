/** The output of a run that has ended, from its files (U-14). */
import { join } from 'node:path';
import type { LogChunk } from '../../orchestration/index.ts';
import type { ServiceId } from '../../workspace/index.ts';
import type { LogQuery } from './cursor.ts';
import { readLogFiles } from './file-reader.ts';
import { LineTail } from './lines.ts';
import { batches } from './log-store.ts';

/**
 * Batches, oldest first. `files`: the name of each service's file inside `folder`.
 * @throws the system's error when a file cannot be read.
 */
export async function* readEndedLogs(
  folder: string,
  files: ReadonlyMap<ServiceId, string>,
  query: Omit<LogQuery, 'follow'>,
): AsyncGenerator<readonly LogChunk[]> {
  const ranges = [...files]
    .filter(([service]) => query.services?.has(service) ?? true)
    .map(([service, name]) => ({
      service,
      path: join(folder, name),
      afterMs: query.sinceMs,
      skip: 0,
      throughMs: Number.POSITIVE_INFINITY,
    }));
  const all = batches(readLogFiles(ranges), (chunk) => chunk);
  if (query.tail === undefined) {
    yield* all;
    return;
  }
  const tail = new LineTail(query.tail);
  for await (const batch of all) for (const chunk of batch) tail.push(chunk);
  if (query.tail > 0) yield tail.chunks();
}
