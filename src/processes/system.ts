/** What this folder asks of the operating system beyond POSIX; each platform answers in a folder of its own. */

/** A process that is not dead yet. */
export interface GroupMember {
  readonly pid: number;
  /** The command line as the system shows it; `[name]` where there is none. */
  readonly command: string;
}

/** What the system knows of one process, zombies included, in one look. */
export interface ProcessTrace {
  readonly pid: number;
  readonly group: number;
  /** As `startIdentity` answers it. */
  readonly start: string;
  /** A zombie: its number is still taken, and nothing of it runs. */
  readonly isDead: boolean;
}

/** A listening TCP socket. `address` is in canonical text form, `0.0.0.0` or `::` for any. */
export interface Listener {
  readonly family: 'ipv4' | 'ipv6';
  readonly address: string;
  readonly port: number;
  /** Differs from socket to socket; absent where the platform does not tell it. */
  readonly inode?: string;
}

/** A process among its kin. */
export interface Kin {
  readonly pid: number;
  /** Whose child it is now: an orphan is its reaper's. */
  readonly parent: number;
  readonly group: number;
  /** Its leader's pid; `undefined` where it cannot be told, or lies outside of what can be seen. */
  readonly session: number | undefined;
  /** As `startIdentity` answers it. */
  readonly start: string;
}

/** Who listens on a port: a process, or one that this user may not see into. */
export type PortHolder =
  | {
      readonly kind: 'process';
      readonly pid: number;
      readonly command: string;
      readonly workingDirectory: string | undefined;
    }
  | { readonly kind: 'hidden' };

/** All of these throw SK1611 when the system's tables cannot be read. */
export interface SystemFacts {
  /**
   * The members of a process group that are not dead; zombies are. While one of `suspects` lives in the group, only
   * living suspects are looked for and returned, which spares reading the table of all processes.
   */
  groupMembers(group: number, suspects?: readonly number[]): Promise<readonly GroupMember[]>;
  /** Constant for a process's life and different for the next one with its pid; `undefined` without such a process. */
  startIdentity(pid: number): Promise<string | undefined>;
  /** `undefined` without such a process. */
  trace(pid: number): Promise<ProcessTrace | undefined>;
  /** Of every process. */
  traces(): Promise<readonly ProcessTrace[]>;
  /** The session that a process belongs to, which is its leader's pid; `undefined` where that cannot be told. */
  session(pid: number): Promise<number | undefined>;
  /**
   * The processes that had this variable with this value when they began, as far as this user may see it. `among`: nobody
   * else is asked for, which spares reading the table of all processes.
   */
  givenVariable(name: string, value: string, among?: readonly number[]): Promise<ReadonlySet<number>>;
  /** Different after each boot. */
  bootIdentity(): Promise<string>;
  /** The same after each boot, and different on another machine; `''` where there is none. */
  machineIdentity(): Promise<string>;
  listeners(): Promise<readonly Listener[]>;
  /**
   * The processes that hold one of these listeners, ascending, as far as this user may see it. While one of `suspects`
   * does, only suspects are returned, else their descendants, which spares looking into every process.
   */
  holders(listeners: readonly Listener[], suspects: readonly number[]): Promise<readonly number[]>;
  /** `undefined` without such a process. */
  kin(pid: number): Promise<Kin | undefined>;
  /** A variable as it was when the process began; `undefined` where it had none, or this user may not see it. */
  variable(pid: number, name: string): Promise<string | undefined>;
  commandLine(pid: number): Promise<string>;
  /** `undefined` when nobody listens on the port. */
  portHolder(port: number): Promise<PortHolder | undefined>;
}
