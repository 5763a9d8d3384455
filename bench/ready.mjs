// How long until everything is ready, what does the launcher weigh, and what does it take while nothing happens: chains
// of cheap services, where all that differs is the launcher.
import { copyFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { planChain } from '../fixtures/chain/plan.mjs';
import { count, ms, percent, range, ratioText, rounded } from './harness/figures.mjs';
import { block, freeBlock, refusing, taken } from './harness/ports.mjs';
import { cpuMs, familyOf, memoryMiB } from './harness/processes.mjs';
import { openReports } from './harness/reports.mjs';
import { rotated, Samples } from './harness/statistics.mjs';
import { launchers } from './launchers/index.mjs';

/** Layers of `width`; the floor is (layers × DELAY_MS). */
const SIZES = [
  { size: 20, width: 4 },
  { size: 100, width: 10 },
  { size: 200, width: 20 },
];
const DELAY_MS = 100;
/** wait-on for 200 services takes minutes on a small machine. */
const READY_TIMEOUT_MS = 300_000;
const STOP_TIMEOUT_MS = 30_000;
/** Some ten seconds after it has become quiet, V8 compacts its heap once more: that is work of the start. */
const SETTLE_MS = 15_000;
/** Idle time is measured in the first rounds only, ten seconds each; that of the limits says nothing. */
const IDLE_ROUNDS = 3;
const PEER_IDLE_ROUNDS = 1;

export const suite = { name: 'ready', title: 'From launch to all ready', run };

async function run(context) {
  const sizes = context.quick ? SIZES.slice(0, 1) : SIZES;
  const wanted = launchers.filter(({ name }) => context.launchers?.includes(name) ?? true);
  const samples = new Samples();
  const notes = [];
  const out = new Set();
  for (let round = 0; round < context.rounds; round++)
    for (const shape of sizes)
      for (const launcher of rotated(wanted, round)) {
        const key = `${launcher.name}/${shape.size}`;
        const why = excuse(launcher, round, context);
        if (out.has(key) || why === 'later') continue;
        const result = why ?? (await attempt(context, launcher, shape, round < idleRounds(launcher)));
        if (typeof result === 'string') {
          out.add(key);
          notes.push(`${launcher.title}, ${shape.size} services: ${result}`);
          context.log(`${key}: ${result}`);
          continue;
        }
        for (const [name, value] of Object.entries(result.figures))
          if (value !== undefined) samples.add(`${key}/${name}`, round, value);
        notes.push(...result.notes.map((note) => `${launcher.title}, ${shape.size} services: ${note}`));
        context.log(`round ${round + 1} ${key}: ${ms(result.figures.ready)}`);
      }
  return {
    tables: sizes.map((shape) => table(shape, samples)),
    targets: targets(sizes, samples),
    notes: [...new Set(notes)],
  };
}

/** Why `launcher` is not measured in this round; undefined when it is. */
function excuse(launcher, round, { skeinCli, peers }) {
  if (launcher.name === 'skein' && !skeinCli) return 'not built: run `npm run build`';
  if (!launcher.peer) return undefined;
  if (peers.missing) return `not installed: ${peers.missing}`;
  return round < launcher.rounds ? undefined : 'later';
}

function idleRounds({ name, peer }) {
  if (name.startsWith('limit')) return 0;
  return peer ? PEER_IDLE_ROUNDS : IDLE_ROUNDS;
}

/** The figures of one launch, or why there are none. A limit that fails is a fault of the benchmark, and thrown. */
async function attempt(context, launcher, shape, idle) {
  try {
    const ports = block(await freeBlock(shape.size), shape.size);
    const result = await measure(context, launcher, shape, idle, ports);
    const kept = await taken(ports);
    if (kept.length > 0) throw new Error(`ports ${kept.join(', ')} are still taken afterwards`);
    return result;
  } catch (error) {
    if (!(error instanceof Error) || launcher.name.startsWith('limit')) throw error;
    return error.message;
  }
}

async function measure({ workplace, tools, peers, skeinCli, quick }, launcher, { size, width }, idle, ports) {
  const folder = workplace.newFolder();
  const listener = join(folder, 'listen');
  copyFileSync(tools.listen, listener);
  const [firstPort] = ports;
  const reports = openReports(join(folder, 'reports'));
  const plan = planChain({ services: size, width, edges: 'all' });
  const chain = {
    size,
    width,
    delayMs: DELAY_MS,
    firstPort,
    plan,
    folder,
    listener,
    reports,
    tools,
    skeinCli,
  };
  const { command, cwd, env, stdio, ready, stopSignal, needsMiB = 0 } = launcher.prepare(chain);
  const availableMiB = (process.availableMemory?.() ?? freemem()) / 2 ** 20;
  if (needsMiB > availableMiB * 0.8) {
    reports.close();
    return `not measured: its wait scripts need some ${rounded(needsMiB)} MiB, ${rounded(availableMiB)} are free`;
  }
  const path = launcher.peer ? { PATH: peers.path } : {};
  const launched = workplace.launch({ command, cwd, env: { ...env, ...path }, stdio, folder });
  const notes = [];
  try {
    const readyAt = await launched.before(ready(launched, chain), READY_TIMEOUT_MS);
    const refused = await refusing(ports);
    if (refused.length > 0) throw new Error(`said ready while ${refused.length} of ${size} ports refused`);
    const mine = familyOf(launched.family);
    const supervisors = mine.filter(({ service }) => !service).map(({ pid }) => pid);
    const figures = {
      ready: readyAt - launched.startedAt,
      memory: memoryMiB(supervisors),
      processes: supervisors.length,
      idle: idle
        ? await idlePercent(supervisors, ...(quick ? [1_000, 3_000] : [SETTLE_MS, 10_000]))
        : undefined,
    };
    if (stopSignal) notes.push(...(await stopKindly(launched, stopSignal)));
    return { figures, notes };
  } finally {
    reports.close();
    launched.kill();
  }
}

/** CPU that `pids` take while nothing happens, in per cent of one core. */
async function idlePercent(pids, settleMs, durationMs) {
  await pause(settleMs);
  const [before, from] = [cpuMs(pids), performance.now()];
  await pause(durationMs);
  const after = cpuMs(pids);
  return before === undefined ? undefined : ((after - before) / (performance.now() - from)) * 100;
}

/** What is worth a note about how a launcher stops when it is asked to. */
async function stopKindly(launched, signal) {
  const how = await launched.stop(signal, STOP_TIMEOUT_MS);
  const left = familyOf(launched.family).length;
  return [
    ...(how.startsWith('not ended') ? [how] : []),
    ...(left > 0 ? [`${left} processes were left after ${signal}`] : []),
  ];
}

function table({ size, width }, samples) {
  const floor = (size / width) * DELAY_MS;
  return {
    caption: `${size} services in ${size / width} layers of ${width}, each listens ${DELAY_MS} ms after its start (floor ${count(floor)} ms)`,
    columns: [
      'launcher',
      'ready, ms',
      'of the Node limit',
      'memory, MiB PSS',
      'processes',
      'idle CPU',
      'rounds',
    ],
    rows: launchers.flatMap(({ name, title }) => {
      const key = `${name}/${size}`;
      const ready = samples.summary(`${key}/ready`);
      if (!ready) return [];
      return [
        [
          title,
          range(ready, 0),
          ratioText(samples.ratio(`${key}/ready`, `limit-node/${size}/ready`)),
          range(samples.summary(`${key}/memory`), 1),
          range(samples.summary(`${key}/processes`), 0),
          percent(samples.summary(`${key}/idle`)?.median),
          String(ready.count),
        ],
      ];
    }),
  };
}

function targets(sizes, samples) {
  const measured = (size) => sizes.some((shape) => shape.size === size);
  const overLimit = (size) => samples.ratio(`skein/${size}/ready`, `limit-node/${size}/ready`)?.median;
  const all = [
    {
      size: 100,
      what: 'ready, 100 services, of the Node limit',
      value: overLimit(100),
      most: 1.15,
      unit: '×',
    },
    {
      size: 200,
      what: 'ready, 200 services, of the Node limit',
      value: overLimit(200),
      most: 1.2,
      unit: '×',
    },
    {
      size: 200,
      what: 'memory of supervisor and agents, 200 services',
      value: samples.summary('skein/200/memory')?.median,
      most: 150,
      unit: ' MiB',
    },
    {
      size: 200,
      what: 'idle CPU, 200 services, of a core',
      value: samples.summary('skein/200/idle')?.median,
      most: 0.5,
      unit: ' %',
    },
  ];
  return all.filter(({ size }) => measured(size)).map(({ size: _, ...target }) => target);
}
