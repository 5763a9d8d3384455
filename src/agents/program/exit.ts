/** How an agent's process ended. */
import type { Exit } from '../../processes/index.ts';

/** With the last lines of its own log. */
export type AgentExit = Exit & { readonly lastLines: readonly string[] };

/** `exited with status 3`, `was ended by SIGKILL`. */
export function describeExit(exit: Exit): string {
  return exit.kind === 'exited' ? `exited with status ${exit.code}` : `was ended by ${exit.signal}`;
}
