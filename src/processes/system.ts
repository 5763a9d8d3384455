/** What this folder asks of the operating system beyond POSIX; each platform answers in a folder of its own. */

/** A process that is not dead yet. */
export interface GroupMember {
  readonly pid: number;
  /** The command line as the system shows it; `[name]` where there is none. */
  readonly command: string;
}

/** A listening TCP socket. `address` is in canonical text form, `0.0.0.0` or `::` for any. */
export interface Listener {
  readonly family: 'ipv4' | 'ipv6';
  readonly address: string;
  readonly port: number;
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
  /** Whether the process lives; a zombie does not, whoever is to collect it. */
  isAlive(pid: number): Promise<boolean>;
  /** Different after each boot. */
  bootIdentity(): Promise<string>;
  listeners(): Promise<readonly Listener[]>;
  /** `undefined` when nobody listens on the port. */
  portHolder(port: number): Promise<PortHolder | undefined>;
}
