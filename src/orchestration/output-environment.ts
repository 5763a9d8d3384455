/** A service's run-time environment in a file, for whoever runs that service by other means (N-13). */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { SkeinError } from '../errors/index.ts';
import { callerVariables } from '../processes/index.ts';
import type { ServiceId } from '../workspace/index.ts';
import { dotenv } from './dotenv.ts';
import { failureReport } from './failure-report.ts';
import type { World } from './world.ts';

/**
 * Written as soon as everything in it is known, and again whenever something of it changes: whole, and so that a reader sees
 * the text of before or of after. It holds secrets in the clear, so only the user may read it (0600). It is never removed.
 */
export class OutputEnvironment implements Disposable {
  readonly #world: World;
  readonly #service: ServiceId;
  readonly #file: string;
  readonly #watching: Disposable;
  #written: string | undefined;

  constructor(world: World, service: ServiceId, file: string) {
    this.#world = world;
    this.#service = service;
    this.#file = file;
    this.#watching = world.history.onEvent(({ happening: { type } }) => {
      if (type === 'addresses') this.#update();
    });
  }

  [Symbol.dispose](): void {
    this.#watching[Symbol.dispose]();
  }

  #update(): void {
    if (!this.#isKnown()) return;
    try {
      const text = this.#text();
      if (text === this.#written) return;
      write(this.#file, text);
      this.#written = text;
    } catch (error) {
      if (!(error instanceof SkeinError)) throw error;
      // The services of the run need no file; whoever does is told.
      this.#world.warn(this.#service, 'output-env', failureReport(error, this.#service, null).message);
    }
  }

  /** Whether all has been published that the environment is made of. */
  #isKnown(): boolean {
    const { state, composition } = this.#world;
    const needed = this.#world.neededBy(this.#service).concat(this.#service);
    return needed.every((id) => composition.excluded.has(id) || state.published(id) !== undefined);
  }

  #text(): string {
    const { state, proposals } = this.#world;
    const service = state.service(this.#service);
    const mappings = state.published(service.id)?.mappings ?? proposals.expected(service);
    return dotenv(this.#world.resolve(service.id, mappings, this.#caller()).variables);
  }

  /** What every program of this user has by itself (PATH, HOME, …) is left to whoever reads the file. */
  #caller(): Readonly<Record<string, string | undefined>> {
    const { callerEnvironment } = this.#world.options;
    return Object.fromEntries(
      Object.entries(callerEnvironment).filter(([name]) => !callerVariables.includes(name)),
    );
  }
}

/** @throws {SkeinError} SK1414 */
function write(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    // What a run that was killed in the middle has left may be readable by others.
    rmSync(temporary, { force: true });
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } catch (cause) {
    rmSync(temporary, { force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SkeinError('SK1414', `the environment cannot be written to ${file}: ${reason}`, { cause });
  }
}
