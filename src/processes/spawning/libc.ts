/**
 * The few functions of libc that starting a process takes, called through koffi. Buffers stand in for the opaque
 * structures: `posix_spawnattr_t` is 336 bytes in glibc and musl and a pointer on macOS, the file actions and the
 * signal sets are smaller.
 */
import type { LibraryHandle } from 'koffi';
import { SkeinError } from '../../errors/index.ts';
import type { Collected } from './exit-collector.ts';
import { errorName } from './faults.ts';
import { darwinValues } from './libc-darwin.ts';
import { linuxValues } from './libc-linux.ts';
import type { LibcValues } from './libc-values.ts';

export interface Libc {
  pipe(): { readonly kind: 'made'; readonly reader: number; readonly writer: number } | Refused;
  spawn(call: SpawnCall): SpawnResult;
  /** `prctl(PR_SET_CHILD_SUBREAPER)`; Linux only. @returns whether it was done */
  becomeSubreaper(): boolean;
  /** `waitpid(pid, WNOHANG)`: never waits, and only for this child. */
  collect(pid: number): Collected;
}

/** `name` is that of the errno, such as `EAGAIN`. */
interface Refused {
  readonly kind: 'refused';
  readonly name: string;
}

export type SpawnResult = { readonly kind: 'spawned'; readonly pid: number } | Refused;

export interface SpawnCall {
  /** Absolute. */
  readonly executable: string;
  readonly command: readonly string[];
  readonly environment: readonly string[];
  readonly cwd: string;
  /** Descriptors for 0, 1 and 2; without the first, `/dev/null`. */
  readonly stdio: readonly [number | undefined, number, number];
}

const structureBytes = 1024;
const waitNoHang = 1;

/** @throws {SkeinError} SK1612 where koffi cannot be loaded or libc lacks a function (glibc before 2.29, for one). */
export async function loadLibc(): Promise<Libc> {
  try {
    const { default: koffi } = await import('koffi');
    const values = process.platform === 'darwin' ? darwinValues : linuxValues;
    return bind(koffi.load(null), values, () => errorName(koffi.errno()));
  } catch (error) {
    throw new SkeinError('SK1612', 'posix_spawn cannot be called in this libc', { cause: error });
  }
}

function bind(library: LibraryHandle, values: LibcValues, lastError: () => string): Libc {
  const declare = (prototype: string): ((...values: unknown[]) => number) => library.func(prototype);
  const posixSpawn = declare(
    'int posix_spawn(void *pid, const char *path, void *actions, void *attributes, const char **argv, const char **envp)',
  );
  const initActions = declare('int posix_spawn_file_actions_init(void *actions)');
  const destroyActions = declare('int posix_spawn_file_actions_destroy(void *actions)');
  const addOpen = declare(
    'int posix_spawn_file_actions_addopen(void *actions, int fd, const char *path, int flags, unsigned int mode)',
  );
  const addDup2 = declare('int posix_spawn_file_actions_adddup2(void *actions, int fd, int target)');
  const addChdir = declare('int posix_spawn_file_actions_addchdir_np(void *actions, const char *path)');
  const waitpid = declare('int waitpid(int pid, void *status, int options)');
  const makePipe = values.pipe(library);
  const closeOthers = values.closeOthers(library);
  const attributes = makeAttributes(declare, values.spawnFlags);
  const ends = new Int32Array(2);
  const pid = new Int32Array(1);
  const status = new Int32Array(1);

  const prepare = (actions: Buffer, { cwd, stdio: [stdin, stdout, stderr] }: SpawnCall): number =>
    addChdir(actions, cwd) ||
    (stdin === undefined ? addOpen(actions, 0, '/dev/null', 0, 0) : addDup2(actions, stdin, 0)) ||
    addDup2(actions, stdout, 1) ||
    addDup2(actions, stderr, 2) ||
    closeOthers(actions);

  return {
    pipe() {
      if (makePipe(ends) !== 0) return { kind: 'refused', name: lastError() };
      const [reader = -1, writer = -1] = ends;
      return { kind: 'made', reader, writer };
    },
    spawn(call) {
      const actions = Buffer.alloc(structureBytes);
      const errno = initActions(actions);
      if (errno !== 0) return { kind: 'refused', name: errorName(errno) };
      try {
        const argv = [...call.command, null];
        const envp = [...call.environment, null];
        const refusal =
          prepare(actions, call) || posixSpawn(pid, call.executable, actions, attributes, argv, envp);
        if (refusal !== 0) return { kind: 'refused', name: errorName(refusal) };
        return { kind: 'spawned', pid: pid[0] ?? -1 };
      } finally {
        destroyActions(actions);
      }
    },
    becomeSubreaper: () => values.becomeSubreaper(library),
    collect(child) {
      const answer = waitpid(child, status, waitNoHang);
      if (answer === 0) return { kind: 'running' };
      // Without waiting the only refusal is ECHILD.
      return answer === child ? { kind: 'ended', status: status[0] ?? 0 } : { kind: 'not-ours' };
    },
  };
}

/** The same for every spawn: own session, no blocked signal, default dispositions (Node ignores SIGPIPE). */
function makeAttributes(
  declare: (prototype: string) => (...values: unknown[]) => number,
  flags: number,
): Buffer {
  const attributes = Buffer.alloc(structureBytes);
  // Every bit: sigfillset spares the signals that glibc uses itself, and the child would then ignore those.
  const allSignals = Buffer.alloc(structureBytes, 0xff);
  const noSignals = Buffer.alloc(structureBytes);
  const errno =
    declare('int posix_spawnattr_init(void *attributes)')(attributes) ||
    declare('int posix_spawnattr_setflags(void *attributes, short flags)')(attributes, flags) ||
    declare('int posix_spawnattr_setsigdefault(void *attributes, void *set)')(attributes, allSignals) ||
    declare('int posix_spawnattr_setsigmask(void *attributes, void *set)')(attributes, noSignals);
  if (errno !== 0) throw new Error(`posix_spawn attributes: ${errorName(errno)}`);
  return attributes;
}
