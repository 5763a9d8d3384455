/** Whether a folder is this user's alone: what skein keeps there, sockets and records, nobody else may put or look at. */
import type { Stats } from 'node:fs';

/** What is wrong with it, to be read after its path (`belongs to user 5, …`); `undefined` where nothing is. `stats`: by lstat. */
export function privacyFault(stats: Stats): string | undefined {
  if (stats.isSymbolicLink()) return 'is a symbolic link';
  if (!stats.isDirectory()) return 'is not a folder';
  const uid = process.getuid?.();
  if (uid !== undefined && stats.uid !== uid) return `belongs to user ${stats.uid}, not to you (${uid})`;
  if ((stats.mode & 0o077) !== 0)
    return `is open to others (mode ${(stats.mode & 0o777).toString(8)}, must be 700)`;
  return undefined;
}
