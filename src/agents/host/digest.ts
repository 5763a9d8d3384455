/** The digest of an agent from outside: of its program, or of every file of its package. */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

const chunkBytes = 1024 * 1024;

/** `sha256:<hex>` of a file's bytes. @throws the file system's own errors */
export function digestFile(file: string): string {
  const hash = createHash('sha256');
  addFile(hash, file);
  return `sha256:${hash.digest('hex')}`;
}

/**
 * `sha256:<hex>` over the relative paths and the bytes of all files of a package, in the order of their paths. The
 * packages that it depends on (`node_modules`) are the package manager's to lock. @throws the file system's own errors
 */
export function digestFolder(folder: string): string {
  const hash = createHash('sha256');
  for (const path of filesBelow(folder, '').sort()) {
    const file = createHash('sha256');
    addFile(file, join(folder, path));
    // Paths hold no NUL, so that no two trees read the same.
    hash.update(`${path}\0${file.digest('hex')}\0`);
  }
  return `sha256:${hash.digest('hex')}`;
}

function filesBelow(folder: string, prefix: string): string[] {
  return readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(folder, path);
    return entry.isFile() ? [path] : [];
  });
}

function addFile(hash: Hash, file: string): void {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    for (let size = readSync(descriptor, buffer); size > 0; size = readSync(descriptor, buffer))
      hash.update(buffer.subarray(0, size));
  } finally {
    closeSync(descriptor);
  }
}
