// Ten minutes of 50 services that crash and are reloaded at random: whether what skein holds grows with what has happened.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { count, rounded } from './harness/figures.mjs';
import { cpuMs, familyOf, hasProc, memoryMiB } from './harness/processes.mjs';
import { skeinEnvironment } from './launchers/skein.mjs';

const SERVICES = 50;
const SAMPLE_MS = 10_000;
const SAVE_MS = 200;
/** Of the whole time: what is sampled before is the start; the same share at the end is compared with what follows it. */
const SETTLING = 0.2;

export const suite = { name: 'soak', title: 'Soak: 50 services that crash and are reloaded at random', run };

async function run({ quick, workplace, skeinCli, log }) {
  if (!skeinCli || !hasProc)
    return { tables: [], targets: [], notes: ['needs a build, and the /proc of Linux'] };
  const minutes = quick ? 1 : Number(process.env.SOAK_MINUTES ?? 10);
  const folder = workplace.newFolder();
  const workspace = writeWorkspace(folder);
  const launched = workplace.launch({
    command: [process.execPath, skeinCli, 'run', '--cwd', workspace, '--no-fail-fast', '--json'],
    cwd: workspace,
    env: skeinEnvironment(folder),
    stdio: ['ignore', 'pipe', 'pipe'],
    folder,
  });
  const happened = countEvents(launched.child.stdout);
  const samples = [];
  const until = Date.now() + minutes * 60_000;
  const saving = save(workspace, until);
  while (Date.now() < until) {
    await launched.before(sleep(SAMPLE_MS), SAMPLE_MS * 2);
    samples.push({ ...sample(launched.family), ...happened });
    log(`soak: ${JSON.stringify(samples.at(-1))}`);
  }
  const saved = await saving;
  const outcome = await launched.stop('SIGTERM', 60_000);
  const left = familyOf(launched.family).length;
  return report({ samples, saved, outcome, left, minutes, folder });
}

/** Every second service crashes after some seconds, time and again; the others are reloaded when their file changes. */
function writeWorkspace(folder) {
  const workspace = join(folder, 'workspace');
  const services = Array.from({ length: SERVICES }, (_, index) => {
    const name = `s${String(index).padStart(2, '0')}`;
    mkdirSync(join(workspace, 'src', name), { recursive: true });
    writeFileSync(join(workspace, 'src', name, 'source'), '0');
    const crashes = index % 2 === 0;
    return {
      name,
      agent: 'process',
      restart: { policy: 'always', attempts: 1_000_000, backoff: '500ms' },
      spec: crashes
        ? { command: ['/bin/sh', '-c', `echo up; sleep ${1 + (index % 7)}.${index % 10}; echo down; exit 1`] }
        : { command: ['/bin/sh', '-c', 'echo up; exec sleep 3600'], watch: [`src/${name}`] },
    };
  });
  writeFileSync(join(workspace, 'workspace.skein.yaml'), JSON.stringify({ name: 'soak', services }));
  return workspace;
}

/** Saves a source of a random service, again and again. @returns {Promise<number>} how often */
async function save(workspace, until) {
  let saved = 0;
  while (Date.now() < until) {
    const index = Math.floor((Math.random() * SERVICES) / 2) * 2 + 1;
    const name = `s${String(index).padStart(2, '0')}`;
    writeFileSync(join(workspace, 'src', name, 'source'), String(++saved));
    await sleep(SAVE_MS);
  }
  return saved;
}

/** Counts what the run says, as it says it. */
function countEvents(stdout) {
  const happened = { starts: 0, reloads: 0, ends: 0 };
  let rest = '';
  stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!line.includes('"phase":')) continue;
      const { phase, cause } = JSON.parse(line);
      if (phase === 'reload') happened.reloads++;
      if (phase === 'process' && cause.startsWith('started')) happened.starts++;
      if (phase === 'process' && !cause.startsWith('started')) happened.ends++;
    }
  });
  return happened;
}

/** Of supervisor and agents. */
function sample(family) {
  const pids = familyOf(family)
    .map(({ pid }) => pid)
    .filter((pid) => isNode(pid));
  return {
    memory: memoryMiB(pids),
    descriptors: pids.reduce((sum, pid) => sum + entries(`/proc/${pid}/fd`), 0),
    threads: pids.reduce((sum, pid) => sum + entries(`/proc/${pid}/task`), 0),
    cpu: cpuMs(pids),
  };
}

function isNode(pid) {
  return entries(`/proc/${pid}/task`) > 1;
}

function entries(path) {
  try {
    return readdirSync(path).length;
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'EACCES' || error.code === 'ESRCH') return 0;
    throw error;
  }
}

function report({ samples, saved, outcome, left, minutes, folder }) {
  const settled = samples.slice(Math.floor(samples.length * SETTLING));
  const share = Math.max(1, Math.floor(samples.length * SETTLING));
  const early = settled.slice(0, share);
  const late = settled.slice(-share);
  const last = samples.at(-1);
  const growth = (key) => medianOf(late, key) / medianOf(early, key);
  const row = (what, key, digits = 0) => [
    what,
    rounded(medianOf(early, key), digits),
    rounded(medianOf(late, key), digits),
    `${growth(key).toFixed(2)} ×`,
  ];
  const records = recordsIn(folder);
  return {
    tables: [
      {
        caption: `${minutes} minutes: ${count(saved)} saves, ${count(last.reloads)} reloads, ${count(last.starts)} starts, ${count(last.ends)} ends`,
        columns: ['supervisor and agents', 'after the start', 'at the end', 'growth'],
        rows: [
          row('memory, MiB PSS', 'memory', 1),
          row('open descriptors', 'descriptors'),
          row('threads', 'threads'),
        ],
      },
    ],
    targets: [
      { what: 'soak: memory, growth', value: growth('memory'), most: 1.1, unit: '×' },
      { what: 'soak: descriptors, growth', value: growth('descriptors'), most: 1.05, unit: '×' },
      { what: 'soak: processes left after the stop', value: left, most: 0, unit: '' },
      { what: 'soak: records left after the stop', value: records, most: 0, unit: '' },
    ],
    notes: [`the run ${outcome}`],
  };
}

/** Process groups that are still on record. */
function recordsIn(folder) {
  return entries(join(folder, 'state', 'skein', 'process-groups'));
}

function medianOf(samples, key) {
  const sorted = samples.map((one) => one[key]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
