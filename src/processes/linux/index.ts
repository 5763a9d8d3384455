/** Linux: everything is read from /proc, but for what netlink tells faster. */
import type { SystemFacts } from '../system.ts';
import { commandLine } from './proc.ts';
import {
  bootIdentity,
  givenVariable,
  groupMembers,
  kin,
  machineIdentity,
  session,
  startIdentity,
  trace,
  traces,
  variable,
} from './process-table.ts';
import { holders, listeners, portHolder } from './sockets.ts';

export const linux: SystemFacts = {
  groupMembers: async (group, suspects) => groupMembers(group, suspects),
  startIdentity: async (pid) => startIdentity(pid),
  trace: async (pid) => trace(pid),
  traces: async () => traces(),
  session: async (pid) => session(pid),
  givenVariable: async (name, value, among) => givenVariable(name, value, among),
  bootIdentity: async () => bootIdentity(),
  machineIdentity: async () => machineIdentity(),
  listeners,
  holders: async (sockets, suspects) => holders(sockets, suspects),
  kin: async (pid) => kin(pid),
  variable: async (pid, name) => variable(pid, name),
  commandLine: async (pid) => commandLine(pid),
  portHolder,
};
