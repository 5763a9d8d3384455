/** `skein __supervise`: the process that holds a detached run; `skein run --detach` starts it. */
import type { ExitStatus } from '../exit-status.ts';
import { EarlyAgents } from '../run/early-agents.ts';
import type { RunRequest } from '../run/request.ts';

/** `written`: a RunRequest as JSON. */
export async function supervise(written: string): Promise<ExitStatus> {
  const request = JSON.parse(written) as RunRequest;
  const agents = await EarlyAgents.start(request.root);
  return (await import('../run/supervised.ts')).holdDetached(request, agents);
}
