/** What is launched: a program, which is one agent or several. */
import type { FilePlace } from '../../errors/index.ts';

/** An argument vector; the first word is the program. */
export type Command = readonly [string, ...string[]];

export interface Program {
  /** `publisher/name`, or for a path the path from the workspace's root: `./agents/x`. Names the program in messages. */
  readonly identity: string;
  readonly command: Command;
  /** Where the reference is written; absent for a program that is started before the workspace is read. */
  readonly place?: FilePlace;
}
