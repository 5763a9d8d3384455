/** Linux: everything is read from /proc, but for what netlink tells faster. */
import type { SystemFacts } from '../system.ts';
import {
  bootIdentity,
  givenVariable,
  groupMembers,
  machineIdentity,
  session,
  startIdentity,
  trace,
  traces,
} from './process-table.ts';
import { listeners, portHolder } from './sockets.ts';

export const linux: SystemFacts = {
  groupMembers: async (group, suspects) => groupMembers(group, suspects),
  startIdentity: async (pid) => startIdentity(pid),
  trace: async (pid) => trace(pid),
  traces: async () => traces(),
  session: async (pid) => session(pid),
  givenVariable: async (name, value) => givenVariable(name, value),
  bootIdentity: async () => bootIdentity(),
  machineIdentity: async () => machineIdentity(),
  listeners,
  portHolder,
};
