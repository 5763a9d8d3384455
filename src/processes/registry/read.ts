/** All records of this user, as they are now. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SkeinError } from '../../errors/index.ts';
import { isRegistryFolder } from './folder.ts';
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

/** The record in a file as it is now; `undefined` where it is gone. */
export function readEntry(file: string, secret: string): RegistryEntry | undefined {
  try {
    return { file, secret, record: parseRecord(readFileSync(file, 'utf8'), secret) };
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    return {
      file,
      secret,
      record: { is: 'damaged', why: `it cannot be read (${code})`, reservation: undefined },
    };
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
