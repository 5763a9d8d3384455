// `npm test`: every check of the project, one after the other, with the seconds and the counts of each.
// Exit status 1 when anything failed, or, where CI is set, when a test was skipped.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const reports = mkdtempSync(join(tmpdir(), 'skein-test-'));
const wanted = process.argv.slice(2);

const suites = [
  { name: 'build', script: 'build' },
  { name: 'types', script: 'types' },
  { name: 'package types', script: 'build:types' },
  { name: 'package', script: 'package' },
  { name: 'lint', script: 'lint' },
  { name: 'boundaries', script: 'boundaries' },
  { name: 'dead code', script: 'deadcode' },
  { name: 'proto', script: 'proto' },
  { name: 'unit', script: 'test:unit', vitest: true },
  { name: 'integration', script: 'test:integration', vitest: true },
  { name: 'e2e', script: 'test:e2e', vitest: true },
].filter((suite) => wanted.length === 0 || wanted.includes(suite.name));

function run(suite) {
  const report = join(reports, `${suite.name}.json`);
  const reporters = suite.vitest
    ? ['--', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    : [];
  const began = performance.now();
  console.log(`\n── ${suite.name} ──`);
  const { status } = spawnSync('npm', ['run', '--silent', suite.script, ...reporters], {
    cwd: root,
    stdio: 'inherit',
  });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const counts = suite.vitest
    ? countsOf(report, status)
    : { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
  return { name: suite.name, seconds, ...counts };
}

/** A runner that died before its report, or failed without a failed test, is one failure. */
function countsOf(report, status) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    const failed = numFailedTests === 0 && status !== 0 ? 1 : numFailedTests;
    return { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests };
  } catch (error) {
    console.error(`no report of this suite: ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

const results = suites.map(run);
rmSync(reports, { recursive: true, force: true });

console.log('\nsuite            seconds  passed  failed  skipped');
for (const { name, seconds, passed, failed, skipped } of results)
  console.log(
    `${name.padEnd(16)} ${seconds.padStart(7)} ${String(passed).padStart(7)} ${String(failed).padStart(7)} ${String(skipped).padStart(8)}`,
  );

const total = (key) => results.reduce((sum, result) => sum + result[key], 0);
const skipped = total('skipped');
const skippedInCi = process.env.CI && skipped > 0;
if (skippedInCi)
  console.log(`\n${skipped} tests were skipped; in CI every component that they need must be there`);
const failed = total('failed') + (skippedInCi ? 1 : 0);
console.log(`\n${total('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;
