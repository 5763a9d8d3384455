/** What ends a command that follows a run before the run does: nobody reads on, or nothing can be written. */
import { untilUnread } from '../../processes/index.ts';
import { LineWriter } from './line-writer.ts';

export interface Following extends Disposable {
  readonly writer: LineWriter;
  /** Aborted when stdout takes no more, or `stop` is called. */
  readonly signal: AbortSignal;
  stop(): void;
}

/** Writes to stdout. `quiet`: it may be long between two writes, so that a reader that goes away is looked for meanwhile. */
export function follow({ quiet }: { readonly quiet: boolean }): Following {
  const stopped = new AbortController();
  const stop = (): void => stopped.abort();
  const writer = new LineWriter(process.stdout, stop);
  const look = async (): Promise<void> => {
    if (await untilUnread(process.stdout.fd, stopped.signal)) stop();
  };
  if (quiet) void look();
  return { writer, signal: stopped.signal, stop, [Symbol.dispose]: stop };
}
