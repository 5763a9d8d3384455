// What a result was measured on: without it a figure means nothing.
import { spawnSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';

/** @returns {string[]} one fact a line */
export function describeMachine(root) {
  const processors = cpus();
  return [
    `${processors.length} cores, ${processors[0]?.model.trim() ?? 'unknown'}; ${Math.round(totalmem() / 2 ** 20).toLocaleString('en-US')} MiB of memory`,
    `${type()} ${release()}, Node ${process.version}`,
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, commit ${commitOf(root)}`,
    `load before: ${loadavg()[0].toFixed(2)}`,
  ];
}

/** Why the figures of this machine may not be worth much now; undefined when it is quiet. */
export function busy() {
  const [load] = loadavg();
  return load > 0.3 * cpus().length
    ? `the machine is busy (load ${load.toFixed(2)}): figures will vary`
    : undefined;
}

function commitOf(root) {
  const git = (...args) => spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' }).stdout?.trim() ?? '';
  const commit = git('rev-parse', '--short=12', 'HEAD') || 'unknown';
  return git('status', '--porcelain') === '' ? commit : `${commit} with changes`;
}
