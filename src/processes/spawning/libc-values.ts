/** What differs between the libcs in starting a process; each system fills it in a file of its own. */
import type { LibraryHandle } from 'koffi';

export interface LibcValues {
  /** POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID and what closes other descriptors. */
  readonly spawnFlags: number;
  /** Makes a pipe whose ends no child inherits; 0 or -1 with errno, as pipe does. */
  pipe(library: LibraryHandle): (ends: Int32Array) => number;
  /** From now on the orphans of this process's descendants are its children; `false` where the system has no such thing. */
  becomeSubreaper(library: LibraryHandle): boolean;
  /** Adds an action that closes descriptors from 3 on where flags do not do it and libc can; returns an errno. */
  closeOthers(library: LibraryHandle): (actions: Buffer) => number;
}
