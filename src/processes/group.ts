/** The words of this folder: what is asked for when a group of processes is started, and what one gets. */
import type { Readable, Writable } from 'node:stream';

export interface SpawnOptions {
  /**
   * The argument vector. A name without `/` is looked up in the PATH of `environment`, relative entries and paths
   * counting from `cwd`.
   */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  /** Complete: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly gid?: number;
  /** Default `ignore`: reads end at once. */
  readonly stdin?: 'ignore' | 'pipe';
}

/** How a process ended. `signal` is a name such as `SIGTERM`. */
export type Exit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string };

/**
 * A process group by its number, which is its leader's pid. Whoever names a group that is not a child of this process
 * (one found in a record) has proven first that it is the one meant (T-7).
 */
export interface ProcessGroup {
  readonly pid: number;
  /** Settles when the leader has exited; absent where the leader is not a child of this process. */
  readonly exited?: Promise<Exit>;
  /** The leader's exit as soon as it is known. */
  readonly exit?: Exit | undefined;
}

/** A child that leads a session and a process group of its own; `pid` is also the group's number. */
export interface GroupProcess extends ProcessGroup {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /**
   * Resolves when the leader has exited, whether or not somebody else still holds its output open.
   * @throws {SkeinError} SK1608 when another part of this process has taken the exit status.
   */
  readonly exited: Promise<Exit>;
  readonly exit: Exit | undefined;
  /** Output waits until it is read and is complete at `end`, which comes when every holder of the pipe has closed it. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Present with `stdin: 'pipe'`; its owner listens for `error` (EPIPE) before writing. Destroyed at the exit. */
  readonly stdin: Writable | undefined;
}

/** One way to start a process; `executable` is the absolute path that the command was resolved to. */
export interface Spawner {
  readonly name: 'posix' | 'node';
  spawn(request: SpawnRequest): Promise<GroupProcess>;
}

/** Options after the checks: an absolute `cwd` that can be entered and an executable that exists. */
export interface SpawnRequest extends SpawnOptions {
  readonly executable: string;
}
