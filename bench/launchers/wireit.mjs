// wireit: scripts that are services, each ready when it prints that it listens. It knows the graph; no wait scripts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const wireit = {
  name: 'wireit',
  title: 'wireit (services with readiness)',
  peer: true,
  rounds: 2,
  prepare(chain) {
    const { plan, listener, firstPort, delayMs, folder } = chain;
    const scripts = Object.fromEntries(plan.map(({ name }) => [name, 'wireit']));
    const rules = Object.fromEntries(
      plan.map(({ name, dependencies }, index) => [
        name,
        {
          command: `exec ${listener} ${firstPort + index} ${delayMs}`,
          service: { readyWhen: { lineMatches: 'listening on' } },
          dependencies: dependencies.map((dependency) => plan[dependency].name),
        },
      ]),
    );
    // A script without a command keeps the services that it depends on running.
    const all = { dependencies: plan.map(({ name }) => name) };
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({
        name: 'chain',
        version: '1.0.0',
        private: true,
        scripts: { ...scripts, all: 'wireit' },
        wireit: { ...rules, all },
      }),
    );
    return {
      command: ['npm', 'run', '--silent', 'all'],
      cwd: folder,
      env: { REPORT_PATH: chain.reports.path, NO_UPDATE_NOTIFIER: '1' },
      ready: () => chain.reports.all(chain.size),
    };
  },
};
