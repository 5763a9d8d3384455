/** A group on record that is somebody else's to stop. */
import type { EndOptions } from './ending.ts';
import { settlementFault } from './faults.ts';
import { readEntry } from './read.ts';
import { settle } from './settle.ts';

export class AdoptedGroup {
  readonly #file: string;
  readonly #secret: string;

  constructor(file: string, secret: string) {
    this.#file = file;
    this.#secret = secret;
  }

  /**
   * When whoever started it says that it has ended: kills what is left of it all the same, and takes its record away.
   * @throws {SkeinError} what may still run, and why
   */
  async conclude(options: Pick<EndOptions, 'abort'>): Promise<void> {
    const entry = readEntry(this.#file, this.#secret);
    const settlements = entry === undefined ? [] : await settle([[entry]], { timeoutMs: 0, ...options });
    const [fault] = settlements.flatMap((settlement) => settlementFault(settlement) ?? []);
    if (fault !== undefined) throw fault;
  }
}
