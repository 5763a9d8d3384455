/** Who listens on which TCP port of this machine: for errors that name a port's holder (N-3), and to see readiness early. */
import { system } from './platform.ts';
import type { Listener, PortHolder } from './system.ts';

/**
 * Every listening TCP socket of this network namespace.
 * @throws {SkeinError} SK1611
 */
export function listeners(): Promise<readonly Listener[]> {
  return system.listeners();
}

/**
 * The process that listens on a port; `undefined` when nobody does.
 * @throws {SkeinError} SK1611
 */
export function holderOf(port: number): Promise<PortHolder | undefined> {
  return system.portHolder(port);
}
