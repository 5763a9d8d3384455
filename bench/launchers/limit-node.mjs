// The floor of Node, and what skein is compared with: programs/limit.mjs.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { saidReady, writeLimitPlan } from './limit-plan.mjs';

const program = fileURLToPath(new URL('../programs/limit.mjs', import.meta.url));

export const limitNode = {
  name: 'limit-node',
  title: 'Node launcher with perfect knowledge',
  peer: false,
  prepare(chain) {
    // Node cannot make an anonymous pipe for its children to share; a named one of its own is the same to them.
    const pipe = join(chain.folder, 'limit-reports');
    execFileSync('mkfifo', ['-m', '600', pipe]);
    return {
      command: [process.execPath, program, writeLimitPlan(chain), pipe],
      stdio: ['ignore', 'pipe', 'pipe'],
      ready: saidReady,
    };
  },
};
