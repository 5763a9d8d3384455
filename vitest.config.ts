import { defineConfig, type ViteUserConfig } from 'vitest/config';

/**
 * Suites by what they cross: nothing (unit), a process (integration), the built command (e2e), and the built command after
 * something was killed or damaged (recovery).
 */
const config: ViteUserConfig = defineConfig({
  test: {
    // Real processes on two cores: few workers, generous limits, no retries.
    maxWorkers: 2,
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts', 'scripts/*.test.mjs'], testTimeout: 20_000 } },
      {
        test: {
          name: 'integration',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/e2e/**', 'tests/recovery/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      ...['e2e', 'recovery'].map((name) => ({
        test: { name, include: [`tests/${name}/**/*.test.ts`], testTimeout: 120_000, hookTimeout: 120_000 },
      })),
    ],
  },
});

export default config;
