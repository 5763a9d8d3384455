/** Linux: everything is read from /proc, but for what netlink tells faster. */
import type { SystemFacts } from '../system.ts';
import { bootIdentity, groupMembers, isAlive, startIdentity } from './process-table.ts';
import { listeners, portHolder } from './sockets.ts';

export const linux: SystemFacts = {
  groupMembers: async (group, suspects) => groupMembers(group, suspects),
  startIdentity: async (pid) => startIdentity(pid),
  isAlive: async (pid) => isAlive(pid),
  bootIdentity: async () => bootIdentity(),
  listeners,
  portHolder,
};
