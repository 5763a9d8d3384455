/** `AgentService`: who the agents of the process are, and its end. */
import { create } from '@bufbuild/protobuf';
import { type AgentService, ShutdownResponseSchema } from '../../gen/skein/agent/v1/agent_pb.js';
import type { Agents } from './agents.ts';
import { CallFault, type ServiceMethods } from './server.ts';

/** `shutdown` resolves when every service was let go; the process ends after the answer. */
export function agentService(
  agents: Agents,
  shutdown: (budgetMs: number) => Promise<void>,
): ServiceMethods<typeof AgentService> {
  return {
    getAgentInformation: async ({ agent }) => {
      const found = await agents.find(agent);
      if (found === undefined)
        throw new CallFault(
          'not-found',
          `there is no agent ${agent} here; there are ${agents.names.join(', ')}`,
        );
      return found.information();
    },
    shutdown: async (request) => {
      await shutdown(request.budgetMs);
      return create(ShutdownResponseSchema);
    },
  };
}
