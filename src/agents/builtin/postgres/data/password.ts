/** The password of a service that names none: drawn once, and kept beside the data for this user alone. */
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file appears whole, so that a kill in the middle leaves no half of a password. */
export function keptPassword(kept: string): string {
  const file = join(kept, 'password');
  if (!existsSync(file)) {
    const fresh = `${file}.${process.pid}`;
    writeFileSync(fresh, randomBytes(24).toString('base64url'), { mode: 0o600 });
    try {
      linkSync(fresh, file);
    } finally {
      rmSync(fresh, { force: true });
    }
  }
  return readFileSync(file, 'utf8');
}
