// The plan that both limits read: see programs/limit.c.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @returns {string} the file's path */
export function writeLimitPlan({ plan, listener, delayMs, firstPort, folder }) {
  const file = join(folder, 'plan.txt');
  const rows = plan.map(({ dependencies }) => [dependencies.length, ...dependencies].join(' '));
  writeFileSync(file, `${[`${listener} ${delayMs} ${plan.length} ${firstPort}`, ...rows].join('\n')}\n`);
  return file;
}

/** When the limit prints `ready`. */
export function saidReady(launched) {
  return new Promise((resolve) => {
    launched.child.stdout.once('data', () => resolve(performance.now()));
  });
}
