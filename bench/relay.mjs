// What it costs to pass on what a service prints: one service writes many lines as fast as it can, the launcher relays
// them to a pipe, whose reader checks that each arrived and in order, or to nowhere.
import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { count, range, ratioText } from './harness/figures.mjs';
import { freeBlock } from './harness/ports.mjs';
import { familyOf, peakMemoryMiB } from './harness/processes.mjs';
import { openReports } from './harness/reports.mjs';
import { rotated, Samples } from './harness/statistics.mjs';
import { skeinRun, writeChain } from './launchers/skein.mjs';

const LINES = 500_000;
const QUICK_LINES = 50_000;
const TIMEOUT_MS = 180_000;

const relays = [
  {
    name: 'skein',
    title: 'skein run',
    peer: false,
    prepare(chain) {
      writeChain({ ...chain, size: 1, width: 1, delayMs: 0 });
      return skeinRun(chain);
    },
  },
  {
    name: 'concurrently',
    title: 'concurrently',
    peer: true,
    prepare: ({ listener, firstPort, lines, reports, peers }) => ({
      command: ['concurrently', `exec ${listener} ${firstPort}`],
      env: { LINES: String(lines), REPORT_PATH: reports.path, PATH: peers.path },
    }),
  },
];

const destinations = [
  { name: 'pipe', title: 'a pipe, checked', measure: toPipe },
  // Nothing can be counted there: the time is that of the service's last write, which the launcher has then read.
  { name: 'null', title: '/dev/null', measure: toNowhere },
];

export const suite = { name: 'relay', title: 'Log lines relayed', run };

async function run(context) {
  const lines = context.quick ? QUICK_LINES : LINES;
  const samples = new Samples();
  const notes = [];
  const out = new Set();
  for (let round = 0; round < context.rounds; round++)
    for (const destination of destinations)
      for (const relay of rotated(relays, round)) {
        const key = `${relay.name}/${destination.name}`;
        if (out.has(key)) continue;
        const result = excuse(relay, context) ?? (await attempt(context, relay, destination, lines));
        if (typeof result === 'string') {
          out.add(key);
          notes.push(`${relay.title} to ${destination.title}: ${result}`);
          context.log(`${key}: ${result}`);
          continue;
        }
        samples.add(`${key}/ms`, round, result.ms);
        if (result.peakMiB !== undefined) samples.add(`${key}/peak`, round, result.peakMiB);
        context.log(`round ${round + 1} ${key}: ${count(result.ms)} ms`);
      }
  return {
    tables: [table(lines, samples)],
    targets: destinations.map(({ name, title }) => ({
      what: `relay to ${title}, of concurrently`,
      value: samples.ratio(`skein/${name}/ms`, `concurrently/${name}/ms`)?.median,
      most: 1,
      unit: '×',
    })),
    notes,
  };
}

function excuse(relay, { skeinCli, peers }) {
  if (relay.name === 'skein' && !skeinCli) return 'not built: run `npm run build`';
  return relay.peer && peers.missing ? `not installed: ${peers.missing}` : undefined;
}

async function attempt(context, relay, destination, lines) {
  try {
    return await measure(context, relay, destination, lines);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return error.message;
  }
}

async function measure({ workplace, tools, peers, skeinCli }, relay, destination, lines) {
  const folder = workplace.newFolder();
  const listener = join(folder, 'listen');
  copyFileSync(tools.listen, listener);
  const firstPort = await freeBlock(1);
  const reports = openReports(join(folder, 'reports'));
  try {
    const start = relay.prepare({ folder, listener, firstPort, reports, lines, peers, skeinCli });
    return await destination.measure({ workplace, tools, folder, reports, lines, start });
  } finally {
    reports.close();
  }
}

async function toPipe({ workplace, tools, folder, lines, start }) {
  const pipe = join(folder, 'output');
  execFileSync('mkfifo', ['-m', '600', pipe]);
  const sink = workplace.launch({
    command: ['/bin/sh', '-c', 'exec "$0" "$1" <"$2"', tools.sink, String(lines), pipe],
    folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const told = new Promise((resolve) => {
    sink.child.stdout
      .setEncoding('utf8')
      .once('data', (text) => resolve({ ...JSON.parse(text), at: performance.now() }));
  });
  const launched = redirected(workplace, start, folder, pipe);
  try {
    const arrived = await launched.before(sink.before(told, TIMEOUT_MS), TIMEOUT_MS).catch(async (error) => {
      launched.kill();
      const { seen } = await sink.before(told, 10_000);
      throw new Error(`${count(seen)} of ${count(lines)} lines arrived: ${error.message}`, { cause: error });
    });
    if (arrived.seen !== lines || arrived.outOfOrder > 0)
      throw new Error(
        `${count(lines - arrived.seen)} of ${count(lines)} lines lost, ${arrived.outOfOrder} out of order`,
      );
    return { ms: arrived.at - launched.startedAt, peakMiB: peakOf(launched) };
  } finally {
    launched.kill();
    sink.kill();
  }
}

async function toNowhere({ workplace, folder, reports, start }) {
  const launched = redirected(workplace, start, folder, '/dev/null');
  try {
    const at = await launched.before(reports.done(), TIMEOUT_MS);
    return { ms: at - launched.startedAt, peakMiB: peakOf(launched) };
  } finally {
    launched.kill();
  }
}

/** Both outputs of the command go straight to `path`, without passing through this process. */
function redirected(workplace, { command, cwd, env }, folder, path) {
  const shell = ['/bin/sh', '-c', 'out=$1; shift; exec "$@" >"$out" 2>&1', 'sh', path, ...command];
  return workplace.launch({ command: shell, cwd, env, folder, stdio: 'ignore' });
}

function peakOf(launched) {
  const supervisors = familyOf(launched.family).filter(({ service }) => !service);
  return peakMemoryMiB(supervisors.map(({ pid }) => pid));
}

function table(lines, samples) {
  return {
    caption: `${count(lines)} lines of one service; time from launch to the last line`,
    columns: ['relay', 'to', 'ms', 'of concurrently', 'peak memory, MiB', 'rounds'],
    rows: relays.flatMap((relay) =>
      destinations.flatMap((destination) => {
        const key = `${relay.name}/${destination.name}`;
        const time = samples.summary(`${key}/ms`);
        if (!time) return [];
        const other = `concurrently/${destination.name}/ms`;
        const peak = range(samples.summary(`${key}/peak`), 0);
        return [
          [
            relay.title,
            destination.title,
            range(time, 0),
            ratioText(samples.ratio(`${key}/ms`, other)),
            peak,
            String(time.count),
          ],
        ];
      }),
    ),
  };
}
