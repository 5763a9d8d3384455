// `npm test`: every check of the project, one after the other, with the seconds and the counts of each; with names of
// suites as arguments, those alone. Exit status 1 when anything failed, or, where CI is set, when a test was skipped
// without an excuse. SKEIN_NEWEST_NODE, the folder of another Node's binary, adds a run of the example with that Node.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const reports = mkdtempSync(join(tmpdir(), 'skein-test-'));
const wanted = process.argv.slice(2);
const newestNode = process.env.SKEIN_NEWEST_NODE;

/** Tests that a machine may be unable to run although every component is there: a part of the title, and why. */
const excuses = [
  ['on ::1', 'this machine may have no ::1'],
  ['of disk space', 'a container may forbid mounts'],
  ['with a full disk', 'a container may forbid mounts'],
  ['with a state folder that cannot be written', 'a container may forbid mounts'],
];

const all = [
  { name: 'build', script: 'build' },
  { name: 'types', script: 'types' },
  { name: 'package types', script: 'build:types' },
  { name: 'package', script: 'package' },
  { name: 'lint', script: 'lint' },
  { name: 'boundaries', script: 'boundaries' },
  { name: 'dead code', script: 'deadcode' },
  { name: 'proto', script: 'proto' },
  { name: 'unit', script: 'test:unit', vitest: [] },
  { name: 'integration', script: 'test:integration', vitest: [] },
  { name: 'flow', script: 'test:flow', vitest: [] },
  { name: 'agents', script: 'test:agents', vitest: [] },
  { name: 'e2e', script: 'test:e2e', vitest: [] },
  { name: 'ending', script: 'test:ending', vitest: [] },
  { name: 'recovery', script: 'test:recovery', vitest: [] },
  { name: 'chaos', script: 'test:chaos', vitest: [] },
  ...(newestNode
    ? [{ name: 'newest node', script: 'test:e2e', vitest: ['tests/e2e/shop.test.ts'], path: newestNode }]
    : []),
];
const unknown = wanted.filter((name) => !all.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(`no such suite: ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

const results = all.filter(({ name }) => wanted.length === 0 || wanted.includes(name)).map(run);
rmSync(reports, { recursive: true, force: true });
conclude();

function run(suite) {
  const report = join(reports, `${suite.name}.json`);
  const words = suite.vitest
    ? ['--', ...suite.vitest, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    : [];
  const began = performance.now();
  console.log(`\n── ${suite.name} ──`);
  const { status } = spawnSync('npm', ['run', '--silent', suite.script, ...words], {
    cwd: root,
    stdio: 'inherit',
    env: suite.path ? { ...process.env, PATH: `${suite.path}${delimiter}${process.env.PATH}` } : process.env,
  });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const counts = suite.vitest
    ? countsOf(report, status)
    : { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: [], failures: [] };
  return { name: suite.name, seconds, ...counts };
}

/** A runner that died before its report, or failed without a failed test, is one failure. */
function countsOf(report, status) {
  try {
    const tests = JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap(
      (file) => file.assertionResults,
    );
    const passed = tests.filter((test) => test.status === 'passed').length;
    const failed = tests.filter((test) => test.status === 'failed').length;
    const skipped = tests.filter((test) => test.status !== 'passed' && test.status !== 'failed');
    return {
      passed,
      failed: failed === 0 && status !== 0 ? 1 : failed,
      skipped: skipped.map((test) => test.fullName),
      failures: tests
        .filter((test) => test.status === 'failed')
        .map((test) => ({ name: test.fullName, why: test.failureMessages.join('\n') })),
    };
  } catch (error) {
    console.error(`no report of this suite: ${error.message}`);
    return { passed: 0, failed: 1, skipped: [], failures: [] };
  }
}

/** The table, what was skipped by name, and the closing line. */
function conclude() {
  console.log('\nsuite            seconds  passed  failed  skipped');
  for (const { name, seconds, passed, failed, skipped } of results)
    console.log(
      [
        name.padEnd(16),
        ...[seconds, passed, failed, skipped.length].map((value) => String(value).padStart(7)),
      ].join(' '),
    );
  const failures = results.flatMap((result) => result.failures);
  if (failures.length > 0) console.log('\nfailed:');
  for (const { name, why } of failures) console.log(`  ${name}\n${why.replace(/^/gm, '    ')}`);
  const skipped = results.flatMap((result) => result.skipped);
  const reasonOf = (name) => excuses.find(([part]) => name.includes(part))?.[1];
  if (skipped.length > 0) console.log('\nskipped:');
  for (const name of skipped) console.log(`  ${name}${reasonOf(name) ? ` (${reasonOf(name)})` : ''}`);
  const unexcused = process.env.CI ? skipped.filter((name) => !reasonOf(name)).length : 0;
  if (unexcused > 0)
    console.log(`${unexcused} of them without an excuse: in CI every component that they need must be there`);

  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const failed = sum('failed') + (unexcused > 0 ? 1 : 0);
  console.log(`\n${sum('passed')} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
