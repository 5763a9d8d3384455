// What a command costs that only answers: against a Node process that does nothing.
import { spawn } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { count, range, ratioText } from './harness/figures.mjs';
import { freeBlock } from './harness/ports.mjs';
import { rotated, Samples } from './harness/statistics.mjs';
import { launchSkein, skeinEnvironment, writeChain } from './launchers/skein.mjs';

const LEAST_ROUNDS = 15;
const READY_TIMEOUT_MS = 60_000;
const SERVICES = { size: 5, width: 2, delayMs: 20 };

export const suite = { name: 'cli', title: 'Commands that only answer', run };

async function run(context) {
  const { workplace, tools, skeinCli, log } = context;
  if (!skeinCli)
    return { tables: [], targets: targets(new Samples()), notes: ['not built: run `npm run build`'] };
  const [live, idle] = [await chainIn(workplace, tools), await chainIn(workplace, tools)].map((chain) => ({
    ...chain,
    skeinCli,
  }));
  writeChain(idle);
  const { launched } = await launchSkein(workplace, live, READY_TIMEOUT_MS);
  try {
    const samples = new Samples();
    const commands = contenders(skeinCli, live, idle);
    const rounds = context.quick ? 3 : Math.max(LEAST_ROUNDS, context.rounds);
    // One round first that is not counted: whoever comes first would pay for reading the files from the disk.
    for (let round = -1; round < rounds; round++)
      for (const command of rotated(commands, Math.max(round, 0))) {
        const took = await time(command);
        if (round >= 0) samples.add(command.name, round, took);
      }
    log(`${rounds} rounds, node -e 0: ${count(samples.summary('node').median)} ms`);
    return { tables: [table(commands, samples)], targets: targets(samples), notes: [] };
  } finally {
    await launched.stop('SIGTERM', 10_000);
    launched.kill();
  }
}

async function chainIn(workplace, tools) {
  const folder = workplace.newFolder();
  const listener = join(folder, 'listen');
  copyFileSync(tools.listen, listener);
  return { ...SERVICES, folder, listener, firstPort: await freeBlock(SERVICES.size) };
}

function contenders(skeinCli, live, idle) {
  const skein = (chain, ...args) => ({
    args: [skeinCli, ...args],
    cwd: join(chain.folder, 'workspace'),
    env: { ...process.env, ...skeinEnvironment(chain.folder) },
  });
  return [
    { name: 'node', title: 'node -e 0', statuses: [0], args: ['-e', '0'], env: process.env },
    { name: 'help', title: 'skein --help', statuses: [0], ...skein(idle, '--help') },
    { name: 'status without', title: 'skein status, no run', statuses: [1], ...skein(idle, 'status') },
    { name: 'status live', title: 'skein status, a live run', statuses: [0], ...skein(live, 'status') },
  ];
}

/** Milliseconds from spawn to exit. @throws when the exit status is another than the command's right one */
function time({ title, args, statuses, cwd, env }) {
  return new Promise((resolve, reject) => {
    const from = performance.now();
    const child = spawn(process.execPath, args, { cwd, env, stdio: 'ignore' });
    child.once('error', reject);
    child.once('exit', (status, signal) => {
      if (statuses.includes(status)) resolve(performance.now() - from);
      else
        reject(
          new Error(`${title} ended with ${signal ?? `status ${status}`}, not ${statuses.join(' or ')}`),
        );
    });
  });
}

function table(commands, samples) {
  return {
    columns: ['command', 'ms', 'of node -e 0', 'rounds'],
    rows: commands.map(({ name, title }) => {
      const took = samples.summary(name);
      return [title, range(took, 0), ratioText(samples.ratio(name, 'node')), String(took.count)];
    }),
  };
}

function targets(samples) {
  const of = (name) => samples.ratio(name, 'node')?.median;
  return [
    { what: '`skein --help`, of `node -e 0`', value: of('help'), most: 1.6, unit: '×' },
    {
      what: '`skein status` without a run, of `node -e 0`',
      value: of('status without'),
      most: 2.5,
      unit: '×',
    },
    { what: '`skein status` of a live run, of `node -e 0`', value: of('status live'), most: 2.5, unit: '×' },
  ];
}
