import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { version } from './version.ts';

test('the version of the built-in agents is that of the package', () => {
  const file = new URL('../../../package.json', import.meta.url);
  expect(version).toBe((JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version);
});
