import { defineConfig, type TestProjectConfiguration, type ViteUserConfig } from 'vitest/config';

/**
 * Suites by what they cross: nothing (unit), a process (integration), a whole flow (flow), the contract of agents (agents),
 * the built command (e2e), its failures and its end (ending), the same after something was killed or damaged (recovery), and
 * by chance (chaos).
 */
const config: ViteUserConfig = defineConfig({
  test: {
    // Real processes on two cores: few workers, generous limits, no retries.
    maxWorkers: 2,
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts', 'scripts/*.test.mjs'], testTimeout: 20_000 } },
      suite('integration', ['control', 'processes'], 60_000),
      suite('flow', ['flow'], 60_000),
      suite('agents', ['agents', 'postgres', 'sdk'], 60_000),
      suite('e2e', ['e2e'], 120_000),
      suite('ending', ['ending'], 120_000),
      suite('recovery', ['recovery'], 120_000),
      suite('chaos', ['chaos'], 120_000),
    ],
  },
});

/** One suite of the folders under `tests/`. */
function suite(name: string, folders: readonly string[], testTimeout: number): TestProjectConfiguration {
  const include = folders.map((folder) => `tests/${folder}/**/*.test.ts`);
  return { test: { name, include, testTimeout, hookTimeout: testTimeout } };
}

export default config;
