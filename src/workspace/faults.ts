/** The faults of a workspace, with what could be read of it all the same. */
import { type SkeinError, SkeinFaults } from '../errors/index.ts';
import type { Workspace } from './model.ts';

/** Every fault of every file (W-4). */
export class WorkspaceFaults extends SkeinFaults {
  /** The services that could be read, so that what can be told of them besides is told in the same message. */
  readonly readable: Workspace;

  constructor(faults: readonly SkeinError[], readable: Workspace) {
    super(faults);
    this.readable = readable;
  }
}
