// `npm run chaos`: every case of the chaos suite (T-13), and what came of each into the last section of bench/RESULTS.md.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeMachine } from '../bench/harness/machine.mjs';
import { withSection } from '../bench/harness/report.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const results = join(root, 'bench', 'RESULTS.md');
const folder = mkdtempSync(join(tmpdir(), 'skein-chaos-'));
const report = join(folder, 'report.json');

const machine = describeMachine(root);
run('npm', ['run', '--silent', 'build']);
const words = ['run', '--project', 'chaos', '--reporter=default', '--reporter=json'];
const began = performance.now();
const { status } = run(join(root, 'node_modules', '.bin', 'vitest'), [
  ...words,
  `--outputFile.json=${report}`,
]);
const seconds = Math.round((performance.now() - began) / 1_000);
if (existsSync(report)) {
  const tests = JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap((file) => file.assertionResults);
  writeFileSync(results, withSection(readFileSync(results, 'utf8'), section(tests), machine));
}
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;

function run(program, args) {
  return spawnSync(program, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, SKEIN_CHAOS: 'all' },
  });
}

/** The killings as a table of victims and moments, then the damages. */
function section(tests) {
  const killings = tests.flatMap((test) => {
    const [, victim, moment] = /^T-13 (.*), killed at: (.*)$/.exec(test.title) ?? [];
    return victim === undefined ? [] : [{ victim, moment, came: came(test) }];
  });
  const moments = [...new Set(killings.map(({ moment }) => moment))];
  const victims = [...new Set(killings.map(({ victim }) => victim))];
  const cell = (victim, moment) =>
    killings.find((one) => one.victim === victim && one.moment === moment)?.came ?? '–';
  const damages = tests.filter(({ title }) => !title.includes(', killed at: '));
  const count = (wanted) => tests.filter((test) => test.status === wanted).length;
  const skipped = tests.length - count('passed') - count('failed');
  const tables = [
    {
      caption:
        'Written by `npm run chaos`. A run of 20 services of several agents is killed in part, beside strangers with the same command lines. `ok`: after `skein stop` nothing of the run is alive, no record, no port and no socket is left, and every stranger lives.',
      columns: ['killed', ...moments],
      rows: victims.map((victim) => [victim, ...moments.map((moment) => cell(victim, moment))]),
    },
    {
      columns: ['everybody killed, with', ''],
      rows: damages.map((test) => [test.title.replace('T-13 everybody killed, with ', ''), came(test)]),
    },
  ];
  const notes = [`${count('passed')} passed, ${count('failed')} failed, ${skipped} skipped, in ${seconds} s`];
  return {
    title: 'Chaos: parts of a run are killed at each of its moments',
    result: { tables, notes, targets: [] },
  };
}

function came({ status }) {
  return { passed: 'ok', failed: 'FAILED' }[status] ?? 'skipped: mounts are not allowed';
}
