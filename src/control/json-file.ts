/**
 * The JSON documents that skein keeps in a workspace. A file on disk can be damaged (a power loss, a full disk, an
 * editor), so that what is read is believed only after a look at its shape. By hand: `status` has to start in a moment.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { SkeinError } from '../errors/index.ts';
import { diskError } from './disk-error.ts';

/**
 * What a file holds, of whatever shape; `undefined` when there is none.
 * @throws {SkeinError} SK1506 when it cannot be read, SK1515 when it is not JSON.
 */
export function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    // A stray file where a folder should be holds no documents.
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw diskError(path, 'read', cause);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw damaged(path, cause);
  }
}

/**
 * Writes a document so that a reader sees the old one or the new one, never a part (0600).
 * @throws {SkeinError} SK1506
 */
export function writeJson(path: string, document: unknown): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, JSON.stringify(document, null, 2) + '\n', { mode: 0o600 });
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw diskError(path, 'written', cause);
  }
}

/** SK1515: the file is there, but is not what it should be. */
export function damaged(path: string, cause?: unknown): SkeinError {
  return new SkeinError('SK1515', `${path} is damaged`, cause === undefined ? {} : { cause });
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
