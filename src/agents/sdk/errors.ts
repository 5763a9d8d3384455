/** What can go wrong while an agent is launched and served: SK1701–SK1799. */
import type { ErrorTable } from '../../errors/index.ts';

export const agentSdkErrors: ErrorTable = {
  SK1701: {
    title: 'The bootstrap line cannot be used',
    remedy:
      'Let skein start the agent, or give it on stdin the line that `skein run --agent-debug NAME` prints, whole and unchanged.',
  },
  SK1702: {
    title: 'The agent and its host speak no protocol in common',
    remedy: 'Upgrade the older of the two: skein itself, or the agent.',
  },
  SK1703: {
    title: 'The agent cannot listen on its socket',
    remedy:
      'Check that the folder of the socket exists, belongs to this user and holds no socket of that name.',
  },
};
