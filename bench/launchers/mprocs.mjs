// mprocs: the same, drawn in a terminal; `script` gives it one, as it does not start without.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellCommands, waitingMiB } from './waiting.mjs';

export const mprocsWith = (wait) => ({
  name: `mprocs + ${wait.name}`,
  title: `mprocs + ${wait.name}`,
  peer: true,
  rounds: wait.rounds,
  prepare(chain) {
    const config = join(chain.folder, 'mprocs.yaml');
    const procs = shellCommands(chain, wait).map((shell, index) => [chain.plan[index].name, { shell }]);
    // JSON is YAML.
    writeFileSync(config, JSON.stringify({ procs: Object.fromEntries(procs) }));
    return {
      command: ['script', '-qefc', `stty rows 50 cols 160; exec mprocs --config ${config}`, '/dev/null'],
      cwd: chain.folder,
      env: { REPORT_PATH: chain.reports.path, TERM: 'xterm-256color', SHELL: '/bin/sh' },
      needsMiB: waitingMiB(chain, wait),
      ready: () => chain.reports.all(chain.size),
    };
  },
});
