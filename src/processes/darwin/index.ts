/** macOS: ps, lsof and sysctl are asked. Their parsers are checked on recorded output; not yet run on that system. */
import type { SystemFacts } from '../system.ts';
import { parseLsofListeners, parseLsofName, parseLsofPid } from './lsof.ts';
import { parseProcessList } from './ps.ts';
import { ask } from './query.ts';

const ps = '/bin/ps';
const lsof = '/usr/sbin/lsof';
const sysctl = '/usr/sbin/sysctl';

export const darwin: SystemFacts = {
  async groupMembers(group) {
    const processes = parseProcessList(await ask(ps, ['-axww', '-o', 'pid=,pgid=,stat=,command=']));
    return processes.filter((entry) => entry.group === group && !entry.state.startsWith('Z'));
  },
  async startIdentity(pid) {
    return (await ask(ps, ['-o', 'lstart=', '-p', String(pid)])).trim() || undefined;
  },
  async isAlive(pid) {
    const state = (await ask(ps, ['-o', 'stat=', '-p', String(pid)])).trim();
    return state !== '' && !state.startsWith('Z');
  },
  async bootIdentity() {
    return (await ask(sysctl, ['-n', 'kern.bootsessionuuid'])).trim();
  },
  async listeners() {
    return parseLsofListeners(await ask(lsof, ['-nP', '-iTCP', '-sTCP:LISTEN', '-FPtn']));
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
