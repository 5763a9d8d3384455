/**
 * The file of one record, as its registrar writes it: it appears with its first line whole, gets its second one by one
 * write, and goes. All of it is synchronous, so that no turn of the event loop comes between a line and the process.
 */
import { closeSync, constants, openSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SkeinError } from '../../errors/index.ts';
import { type Leader, leaderLine, type Reservation, reservationLine } from './record.ts';

/** Without O_CREAT: a record that somebody has taken away is not made again without its first line. */
const appending = constants.O_WRONLY | constants.O_APPEND;

export class RecordFile {
  readonly #path: string;

  /** @throws {SkeinError} SK1614; nothing is left behind then */
  static reserve(folder: string, reservation: Reservation): RecordFile {
    const path = join(folder, reservation.secret);
    const draft = `${path}.${process.pid}.draft`;
    try {
      const descriptor = openSync(draft, 'wx', 0o600);
      try {
        write(descriptor, reservationLine(reservation));
        // A record that is seen is whole.
        renameSync(draft, path);
      } catch (error) {
        unlinkSync(draft);
        throw error;
      }
    } catch (error) {
      throw unwritten(path, error);
    }
    return new RecordFile(path);
  }

  private constructor(path: string) {
    this.#path = path;
  }

  /** @throws {SkeinError} SK1614 */
  complete(leader: Leader): void {
    try {
      write(openSync(this.#path, appending), leaderLine(leader));
    } catch (error) {
      throw unwritten(this.#path, error);
    }
  }

  /** For a group that is proven dead, or that never came to be. @throws {SkeinError} SK1614 */
  remove(): void {
    removeRecord(this.#path);
  }
}

/** Does nothing where it is gone. @throws {SkeinError} SK1614 */
export function removeRecord(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new SkeinError('SK1614', `the record ${path} of a process group cannot be removed`, {
      cause: error,
    });
  }
}

/** Whether the name is that of a draft whose writer is gone: no process was ever started with such a one. */
export function isForsakenDraft(name: string): boolean {
  const pid = /^[0-9a-f]{32}\.(\d{1,9})\.draft$/.exec(name)?.[1];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** All of the text, and closes the file. */
function write(descriptor: number, text: string): void {
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

function unwritten(path: string, cause: unknown): SkeinError {
  const { code = String(cause) } = cause as NodeJS.ErrnoException;
  return new SkeinError(
    'SK1614',
    `a process group cannot be registered, so nothing is started: ${path} cannot be written (${code})`,
    { cause },
  );
}
