/** `skein start SERVICE…`. */
import type { CommonOptions } from '../common-options.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { print, requireRun } from './live-run.ts';

/** Those that run already are left as they are (F-21). */
export async function start(services: readonly string[], options: CommonOptions): Promise<ExitStatus> {
  const { client } = await requireRun(options.cwd);
  // A start may last; whether anybody is there to do it is told soon.
  await client.getSnapshot({});
  await client.start({ services: [...services] });
  print(options, { services }, `${services.join(', ')} ${services.length === 1 ? 'runs' : 'run'}`);
  return exitStatus.done;
}
