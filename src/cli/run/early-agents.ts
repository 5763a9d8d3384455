/**
 * Starts the program of the built-in agents as the first act of a run: it comes up while this process still loads its own
 * code and reads the workspace. Nearly every workspace needs it; where none of its agents is asked for, it ends with the
 * run.
 */
import { builtInProgram, type StartedProgram, startProgram } from '../../agents/program/index.ts';

/** A program that has been started and belongs to nobody yet. */
export class EarlyAgents {
  readonly #started: Promise<StartedProgram | undefined>;
  #isTaken = false;

  /**
   * Resolves as soon as the process is there, long before it answers: what this process loads meanwhile must not keep it
   * from coming up. `root`: absolute root of the workspace.
   */
  static async start(root: string): Promise<EarlyAgents> {
    const agents = new EarlyAgents(root);
    await agents.#started;
    return agents;
  }

  private constructor(root: string) {
    this.#started = startProgram(builtInProgram(), { environment: process.env, directory: root }).catch(
      // It is started afresh for the service that needs it, which is then told why it cannot be.
      () => undefined,
    );
  }

  /** The program, which is the caller's from now on; `undefined` where it could not be started. */
  take(): Promise<StartedProgram | undefined> {
    this.#isTaken = true;
    return this.#started;
  }

  /** Ends it, unless it was taken. @throws {SkeinError} SK1308 when something of it outlives SIGKILL */
  async discard(): Promise<void> {
    if (this.#isTaken) return;
    this.#isTaken = true;
    await (await this.#started)?.spawned.clear();
  }
}
