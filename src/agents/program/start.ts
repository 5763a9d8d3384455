/**
 * Starts the program of an agent and listens for its handshake. Apart from everything that speaks gRPC, so that a command
 * can start it before it loads the rest.
 */
import { HandshakeLine } from './handshake.ts';
import type { Program } from './program.ts';
import { SpawnedAgent } from './spawned.ts';

/** A program that runs; whoever holds it clears `spawned` in the end. */
export interface StartedProgram {
  readonly program: Program;
  readonly spawned: SpawnedAgent;
  readonly line: HandshakeLine;
  /** `performance.now()` of the start: the time for the handshake counts from here. */
  readonly startedAt: number;
}

export interface StartOptions {
  /** Of the caller; the agent gets the short list of C-17 and `SKEIN_AGENT`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute working folder of the agent. */
  readonly directory: string;
}

/** @throws {SkeinError} SK1307, SK1308, SK1613, SK1614 */
export async function startProgram(program: Program, options: StartOptions): Promise<StartedProgram> {
  const startedAt = performance.now();
  const line = new HandshakeLine(program.identity);
  const spawned = await SpawnedAgent.start(program, { ...options, takeLine: (text) => line.take(text) });
  return { program, spawned, line, startedAt };
}
