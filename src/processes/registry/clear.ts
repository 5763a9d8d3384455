/** Takes away what is of no use any more (T-10): records of dead groups, and drafts whose writers are gone. */
import { join } from 'node:path';
import { isRegistryFolder } from './folder.ts';
import { namesIn, readRegistry } from './read.ts';
import { isForsakenDraft, removeRecord } from './record-file.ts';
import { judge } from './sighting.ts';
import { suspectsGiven } from './strays.ts';

/**
 * Nothing that runs, or may run, is touched.
 * @param options.dryRun only tell
 * @returns the absolute paths of what was, or would be, removed
 * @throws {SkeinError} SK1611, SK1613, SK1614, SK1615
 */
export async function clearRegistry(
  folder: string,
  { dryRun }: { readonly dryRun: boolean },
): Promise<readonly string[]> {
  if (!isRegistryFolder(folder)) return [];
  const useless = namesIn(folder)
    .filter(isForsakenDraft)
    .map((name) => join(folder, name));
  for (const { file, record, secret } of readRegistry(folder))
    if ((await judge(record)).is === 'dead' && (await suspectsGiven(secret)).length === 0) useless.push(file);
  if (!dryRun) for (const path of useless) removeRecord(path);
  return useless;
}
