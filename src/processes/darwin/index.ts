/** macOS: ps, lsof and sysctl are asked. Their parsers are checked on recorded output; not yet run on that system. */
import type { SystemFacts } from '../system.ts';
import { parseLsofListeners, parseLsofName, parseLsofPid, parseLsofPids } from './lsof.ts';
import { parseGiven, parseKin, parseProcessList, parseTraces, parseVariable } from './ps.ts';
import { ask } from './query.ts';
import { sessionOf } from './session.ts';

const ps = '/bin/ps';
const lsof = '/usr/sbin/lsof';
const sysctl = '/usr/sbin/sysctl';
const traceColumns = ['-ww', '-o', 'pid=,pgid=,stat=,lstart='] as const;

export const darwin: SystemFacts = {
  async groupMembers(group) {
    const processes = parseProcessList(await ask(ps, ['-axww', '-o', 'pid=,pgid=,stat=,command=']));
    return processes.filter((entry) => entry.group === group && !entry.state.startsWith('Z'));
  },
  async startIdentity(pid) {
    return (await ask(ps, ['-o', 'lstart=', '-p', String(pid)])).trim() || undefined;
  },
  async trace(pid) {
    return parseTraces(await ask(ps, [...traceColumns, '-p', String(pid)]))[0];
  },
  async traces() {
    return parseTraces(await ask(ps, ['-ax', ...traceColumns]));
  },
  session: sessionOf,
  async givenVariable(name, value) {
    return parseGiven(await ask(ps, ['-axwwE', '-o', 'pid=,command=']), name, value);
  },
  // The identity of the hardware takes a slow tool; without one, a record of another boot is taken for this machine's.
  async machineIdentity() {
    return '';
  },
  async bootIdentity() {
    return (await ask(sysctl, ['-n', 'kern.bootsessionuuid'])).trim();
  },
  async listeners() {
    return parseLsofListeners(await ask(lsof, ['-nP', '-iTCP', '-sTCP:LISTEN', '-FPtn']));
  },
  async holders(sockets) {
    const ports = [...new Set(sockets.map(({ port }) => `-iTCP:${port}`))];
    return parseLsofPids(await ask(lsof, ['-nP', ...ports, '-sTCP:LISTEN', '-Fp']));
  },
  async kin(pid) {
    const session = await sessionOf(pid);
    const kin = parseKin(await ask(ps, ['-o', 'pid=,ppid=,pgid=,lstart=', '-p', String(pid)]));
    return kin && { ...kin, session };
  },
  async variable(pid, name) {
    return parseVariable(await ask(ps, ['-wwE', '-o', 'command=', '-p', String(pid)]), name);
  },
  async commandLine(pid) {
    return (await ask(ps, ['-ww', '-o', 'command=', '-p', String(pid)])).trim() || `[${pid}]`;
  },
  async portHolder(port) {
    const pid = parseLsofPid(await ask(lsof, ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fp']));
    // lsof shows a user's own processes only, so that somebody else's holder looks like nobody.
    if (pid === undefined) return undefined;
    const [command, directory] = await Promise.all([
      ask(ps, ['-ww', '-o', 'command=', '-p', String(pid)]),
      ask(lsof, ['-a', '-p', String(pid), '-d', 'cwd', '-Fn']),
    ]);
    return { kind: 'process', pid, command: command.trim(), workingDirectory: parseLsofName(directory) };
  },
};
