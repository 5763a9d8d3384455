// skein itself, driven as a user drives it. The one place of the benchmarks that knows its output.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { generateChain } from '../../fixtures/chain/generate.mjs';

export const skein = {
  name: 'skein',
  title: 'skein run',
  peer: false,
  prepare(chain) {
    writeChain(chain);
    return {
      ...skeinRun(chain, ['--json']),
      stopSignal: 'SIGTERM',
      stdio: ['ignore', 'pipe', 'pipe'],
      ready: (launched) => runIsReady(launched.child.stdout),
    };
  },
};

/** Writes the workspace of `chain` into its folder: fixed ports, so that the bench can connect to them. */
export function writeChain({ size, width, delayMs, firstPort, folder, listener, reports, lines }) {
  generateChain({
    services: size,
    width,
    delayMs,
    basePort: firstPort,
    lines,
    report: reports?.path,
    command: [listener],
    out: join(folder, 'workspace'),
  });
}

/** The command `skein run` for the chain in `folder`, with what skein keeps for the user kept in the folder too. */
export function skeinRun({ folder, skeinCli }, flags = []) {
  const workspace = join(folder, 'workspace');
  return {
    command: [process.execPath, skeinCli, 'run', '--cwd', workspace, ...flags],
    cwd: workspace,
    env: skeinEnvironment(folder),
  };
}

/** Sockets, registry and caches inside `folder`: a benchmark meets no run of the user's, and leaves nothing behind. */
export function skeinEnvironment(folder) {
  const names = { XDG_RUNTIME_DIR: 'runtime', XDG_STATE_HOME: 'state', XDG_CACHE_HOME: 'cache' };
  return Object.fromEntries(
    Object.entries(names).map(([variable, name]) => {
      const path = join(folder, name);
      mkdirSync(path, { recursive: true, mode: 0o700 });
      return [variable, path];
    }),
  );
}

/**
 * Starts a run and waits until it says that all is ready.
 * @param {import('../harness/workplace.mjs').Workplace} workplace
 * @param {object} chain as `writeChain` and `skeinRun` take it
 * @param {number} timeoutMs
 * @returns {Promise<{ launched: object, readyMs: number }>} from launch to ready
 * @throws when the run ends or is late; what it wrote on standard error is in the message
 */
export async function launchSkein(workplace, chain, timeoutMs) {
  const { ready, ...start } = skein.prepare(chain);
  const launched = workplace.launch({ ...start, folder: chain.folder });
  const at = await launched.before(ready(launched), timeoutMs);
  return { launched, readyMs: at - launched.startedAt };
}

/** Resolves with the time of the first line of `run --json` that says the run is ready; reads on afterwards. */
function runIsReady(stdout) {
  return new Promise((resolve, reject) => {
    createInterface({ input: stdout }).on('line', (line) => {
      try {
        if (saysReady(JSON.parse(line))) resolve(performance.now());
      } catch (error) {
        reject(
          new Error(`skein run --json wrote a line that is not JSON: ${line.slice(0, 200)}`, {
            cause: error,
          }),
        );
      }
    });
  });
}

/** A document of the run itself, not of one of its services, in state `ready`. */
function saysReady(document) {
  return document.state === 'ready' && document.service === undefined;
}
