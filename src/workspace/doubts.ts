/**
 * Which parts of a file are not to be trusted because a fault stood there. A mistyped `visibility` must not bring a second
 * complaint that the endpoint is out of reach: what is doubtful is reported once, at its cause.
 */
import type { Path } from './document.ts';

export class Doubts {
  readonly #steps = new Map<string, Set<string>>();

  constructor(paths: readonly Path[]) {
    for (const path of paths) {
      for (const [depth, step] of path.entries()) {
        const prefix = JSON.stringify(path.slice(0, depth));
        const known = this.#steps.get(prefix);
        if (known === undefined) this.#steps.set(prefix, new Set([String(step)]));
        else known.add(String(step));
      }
    }
  }

  /** Whether the value at the path is doubtful or holds something doubtful. */
  about(path: Path): boolean {
    return this.#steps.get(JSON.stringify(path.slice(0, -1)))?.has(String(path.at(-1))) === true;
  }
}
