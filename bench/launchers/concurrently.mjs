// concurrently: every command at once, each behind its wait script.
import { shellCommands, waitingMiB } from './waiting.mjs';

export const concurrentlyWith = (wait) => ({
  name: `concurrently + ${wait.name}`,
  title: `concurrently + ${wait.name}`,
  peer: true,
  rounds: wait.rounds,
  prepare: (chain) => ({
    command: ['concurrently', ...shellCommands(chain, wait)],
    env: { REPORT_PATH: chain.reports.path },
    needsMiB: waitingMiB(chain, wait),
    ready: () => chain.reports.all(chain.size),
  }),
});
