/** The values and calls of macOS's libSystem in `posix_spawn` (10.15 or later). Not yet run on that system. */
import type { LibcValues } from './libc-values.ts';

const setSignalDefaults = 0x0004;
const setSignalMask = 0x0008;
const setSession = 0x0400;
/** Everything but what the file actions name is closed. */
const closeByDefault = 0x4000;
const setDescriptorFlags = 2;
const descriptorCloseOnExec = 1;

export const darwinValues: LibcValues = {
  spawnFlags: setSignalDefaults | setSignalMask | setSession | closeByDefault,
  pipe(library) {
    const pipe: (ends: Int32Array) => number = library.func('int pipe(void *ends)');
    const fcntl: (fd: number, command: number, type: 'int', value: number) => number = library.func(
      'int fcntl(int fd, int command, ...)',
    );
    return (ends) => {
      if (pipe(ends) !== 0) return -1;
      for (const end of ends) fcntl(end, setDescriptorFlags, 'int', descriptorCloseOnExec);
      return 0;
    };
  },
  becomeSubreaper: () => false,
  closeOthers: () => () => 0,
};
