// pm2 in the foreground (pm2-runtime), its daemon's folder inside the launch's own.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellCommands, waitingMiB } from './waiting.mjs';

export const pm2With = (wait) => ({
  name: `pm2 + ${wait.name}`,
  title: `pm2 + ${wait.name}`,
  peer: true,
  rounds: wait.rounds,
  prepare(chain) {
    const config = join(chain.folder, 'ecosystem.config.json');
    const apps = shellCommands(chain, wait).map((shell, index) => ({
      name: chain.plan[index].name,
      script: '/bin/sh',
      args: ['-c', shell],
      interpreter: 'none',
      autorestart: false,
    }));
    writeFileSync(config, JSON.stringify({ apps }));
    return {
      command: ['pm2-runtime', 'start', config],
      cwd: chain.folder,
      env: { REPORT_PATH: chain.reports.path, PM2_HOME: join(chain.folder, 'pm2') },
      needsMiB: waitingMiB(chain, wait),
      ready: () => chain.reports.all(chain.size),
    };
  },
});
