/**
 * Reads a file that this user alone can have written. What is no such file is refused before anything of it is read: a
 * fifo would be waited for, a device read for ever, and a link leads to what somebody else has written.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

export type PrivateText =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'missing' }
  /** `why`: in one clause, of which the file is the subject (`it is no file`). */
  | { readonly is: 'refused'; readonly why: string };

const opening = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** @param limitBytes more than an honest file has */
export function readPrivateFile(path: string, limitBytes: number): PrivateText {
  try {
    const descriptor = openSync(path, opening);
    try {
      const why = fault(fstatSync(descriptor), limitBytes);
      if (why !== undefined) return { is: 'refused', why };
      return { is: 'text', text: readFileSync(descriptor, 'utf8') };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    switch (code) {
      case 'ENOENT':
        return { is: 'missing' };
      case 'ELOOP':
        return { is: 'refused', why: 'it is a symbolic link' };
      default:
        return { is: 'refused', why: `it cannot be read (${code})` };
    }
  }
}

function fault(stats: Stats, limitBytes: number): string | undefined {
  if (!stats.isFile()) return 'it is no file';
  const uid = process.getuid?.();
  if (uid !== undefined && stats.uid !== uid) return `it belongs to user ${stats.uid}, not to you (${uid})`;
  if ((stats.mode & 0o022) !== 0) return `others can write it (mode ${(stats.mode & 0o777).toString(8)})`;
  return stats.size > limitBytes ? `it has ${stats.size} bytes` : undefined;
}
