#!/usr/bin/env node
// `npm run bench`: measures skein as its user meets it, beside the limits of the machine and beside its peers, and
// writes what came out, with the targets, to bench/RESULTS.md. See README.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { busy, describeMachine } from './harness/machine.mjs';
import { markdown, terminal, withSection } from './harness/report.mjs';
import { buildTools } from './harness/tools.mjs';
import { openWorkplace } from './harness/workplace.mjs';
import { installPeers } from './launchers/peers.mjs';

const SUITES = ['ready', 'relay', 'engine', 'cli'];
/** Those that are run by their names alone: they take minutes, and compare skein with nothing but itself. */
const LONG = ['soak'];
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..');
const RESULTS = join(here, 'RESULTS.md');

const help = `npm run bench -- [options]

  --only NAME    one suite of: ${[...SUITES, ...LONG].join(', ')} (repeatable)
  --launcher NAME  of the ready suite, this one alone (repeatable)
  --rounds N     rounds of each suite, in which all contenders take turns (7)
  --quick        one round, the smallest size: shows that it runs, not how fast
  --cli FILE     another build of skein (dist/cli.js)
  --out FILE     where the results go (bench/RESULTS.md after a full run, nowhere with --only or --quick)
`;

await main();

async function main() {
  const options = readOptions();
  const machine = describeMachine(root);
  const warning = busy();
  if (warning) log(warning);
  const workplace = openWorkplace();
  try {
    const context = {
      rounds: options.rounds,
      launchers: options.launchers,
      quick: options.quick,
      workplace,
      tools: buildTools(workplace.folder),
      peers: options.suites.some((name) => name === 'ready' || name === 'relay') ? installPeers() : {},
      skeinCli: existsSync(options.cli) ? options.cli : undefined,
      root,
      log,
    };
    const sections = [];
    for (const name of options.suites) {
      const suite = await load(name);
      if (!suite) continue;
      log(`suite ${name}`);
      const result = await attempt(suite, context);
      sections.push({ name, title: suite.title, result });
      process.stdout.write(`${terminal(suite.title, result)}\n`);
    }
    const facts = warning ? [...machine, warning] : machine;
    const previous = options.out && existsSync(options.out) ? readFileSync(options.out, 'utf8') : '';
    if (options.out) writeFileSync(options.out, markdown(sections, facts, previous));
    // What takes minutes is put in its place among the results of all others, whenever it is run.
    for (const section of options.quick ? [] : sections.filter(({ name }) => LONG.includes(name)))
      writeFileSync(RESULTS, withSection(readFileSync(RESULTS, 'utf8'), section, facts));
  } finally {
    workplace.close();
  }
}

/** A suite that fails costs its own results only; the exit status says it. */
async function attempt(suite, context) {
  try {
    return await suite.run(context);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    process.exitCode = 1;
    log(error.stack);
    return { tables: [], targets: [], notes: [`failed: ${error.message}`] };
  }
}

/** A suite is a file of its name here that exports `suite`; one that is not there is left out, and said. */
async function load(name) {
  const file = join(here, `${name}.mjs`);
  if (existsSync(file)) return (await import(file)).suite;
  log(`suite ${name}: no bench/${name}.mjs`);
  return undefined;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      launcher: { type: 'string', multiple: true },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      cli: { type: 'string', default: join(root, 'dist', 'cli.js') },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    process.exit(0);
  }
  const unknown = values.only?.find((name) => ![...SUITES, ...LONG].includes(name));
  if (unknown) refuse(`--only: one of ${[...SUITES, ...LONG].join(', ')}, not "${unknown}"`);
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 7));
  if (!Number.isInteger(rounds) || rounds < 1)
    refuse(`--rounds: a whole number from 1, not "${values.rounds}"`);
  const partial = values.quick || values.only !== undefined || values.launcher !== undefined;
  return {
    suites: values.only ?? SUITES,
    launchers: values.launcher,
    rounds,
    quick: values.quick,
    cli: resolve(values.cli),
    out: values.out ? resolve(values.out) : partial ? undefined : RESULTS,
  };
}

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function log(text) {
  process.stderr.write(`${text}\n`);
}
