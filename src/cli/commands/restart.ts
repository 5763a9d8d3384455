/** `skein restart SERVICE`. */
import type { CommonOptions } from '../common-options.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { print, requireRun } from './live-run.ts';

export async function restart(service: string, options: CommonOptions): Promise<ExitStatus> {
  const { client } = await requireRun(options.cwd);
  // A restart may last; whether anybody is there to do it is told soon.
  await client.getSnapshot({});
  const { pid } = await client.restart({ service });
  const text =
    pid === undefined ? `${service} was started again` : `${service} was started again as process ${pid}`;
  print(options, { service, pid: pid ?? null }, text);
  return exitStatus.done;
}
