/** All records of this user, as they are now. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SkeinError } from '../../errors/index.ts';
import { isRegistryFolder } from './folder.ts';
import { readPrivateFile } from './private-file.ts';
import { type GroupRecord, isSecret, parseRecord } from './record.ts';

/** A record and its file. */
export interface RegistryEntry {
  /** Absolute path. */
  readonly file: string;
  readonly secret: string;
  readonly record: GroupRecord;
}

/**
 * In no order; none where nothing was ever registered. Whoever cannot read the registry has no other way to find groups,
 * and signals nothing (T-8).
 * @throws {SkeinError} SK1613 when the folder is not private to this user, SK1615
 */
export function readRegistry(folder: string): readonly RegistryEntry[] {
  if (!isRegistryFolder(folder)) return [];
  return namesIn(folder)
    .filter(isSecret)
    .flatMap((secret) => readEntry(join(folder, secret), secret) ?? []);
}

/** Many times what the longest command line and the longest path make of a record. */
const limitBytes = 64 * 1024;

/** The record in a file as it is now; `undefined` where it is gone. */
export function readEntry(file: string, secret: string): RegistryEntry | undefined {
  const found = readPrivateFile(file, limitBytes);
  switch (found.is) {
    case 'missing':
      return undefined;
    case 'text':
      return { file, secret, record: parseRecord(found.text, secret) };
    case 'refused':
      return { file, secret, record: { is: 'damaged', why: found.why, reservation: undefined } };
  }
}

/** Every name in the folder, of records and of others. @throws {SkeinError} SK1615 */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new SkeinError('SK1615', `the records of process groups in ${folder} cannot be read`, {
      cause: error,
    });
  }
}
