/** The values and calls of Linux's libc (glibc 2.29 or later, musl) in `posix_spawn`. */
import { readdirSync } from 'node:fs';
import type { LibraryHandle } from 'koffi';
import type { LibcValues } from './libc-values.ts';

const setSignalDefaults = 0x04;
const setSignalMask = 0x08;
const setSession = 0x80;
const closeOnExec = 0o2000000;
const getDescriptorFlags = 1;
const setDescriptorFlags = 2;
const descriptorCloseOnExec = 1;
const setChildSubreaper = 36;

export const linuxValues: LibcValues = {
  spawnFlags: setSignalDefaults | setSignalMask | setSession,
  pipe(library) {
    const pipe2: (ends: Int32Array, flags: number) => number = library.func(
      'int pipe2(void *ends, int flags)',
    );
    return (ends) => pipe2(ends, closeOnExec);
  },
  becomeSubreaper(library) {
    const prctl: (...values: number[]) => number = library.func(
      'int prctl(int option, unsigned long one, unsigned long two, unsigned long three, unsigned long four)',
    );
    return prctl(setChildSubreaper, 1, 0, 0, 0) === 0;
  },
  closeOthers(library) {
    try {
      const name = 'posix_spawn_file_actions_addclosefrom_np';
      const closeFrom: (actions: Buffer, first: number) => number = library.func(
        `int ${name}(void *actions, int first)`,
      );
      return (actions) => closeFrom(actions, 3);
    } catch {
      // musl, and glibc before 2.34. Node opens everything close-on-exec; what it inherited may not be.
      markInherited(library);
      return () => 0;
    }
  },
};

function markInherited(library: LibraryHandle): void {
  const fcntl: (fd: number, command: number, type: 'int', value: number) => number = library.func(
    'int fcntl(int fd, int command, ...)',
  );
  for (const entry of readdirSync('/proc/self/fd')) {
    const descriptor = Number(entry);
    if (descriptor <= 2) continue;
    const flags = fcntl(descriptor, getDescriptorFlags, 'int', 0);
    // -1: the listing's own descriptor, closed by now.
    if (flags !== -1) fcntl(descriptor, setDescriptorFlags, 'int', flags | descriptorCloseOnExec);
  }
}
