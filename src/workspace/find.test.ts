import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { workspaceFolder } from '../../tests/support/workspace-files.ts';
import { SkeinError } from '../errors/index.ts';
import { findWorkspace, resolveServiceName } from './index.ts';
import { loadWorkspace } from './load.ts';

function refusal(act: () => unknown): SkeinError {
  try {
    act();
  } catch (error) {
    if (error instanceof SkeinError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('W-3 a workspace is found by walking up, the nearest first', () => {
  using folder = workspaceFolder({
    'workspace.skein.yaml': 'name: a\n',
    'inner/workspace.skein.yaml': 'name: b\n',
    'inner/x/y/z': '',
    'q/z': '',
  });
  expect(findWorkspace(folder.root)).toBe(folder.root);
  expect(findWorkspace(join(folder.root, 'q'))).toBe(folder.root);
  expect(findWorkspace(join(folder.root, 'inner/x/y'))).toBe(join(folder.root, 'inner'));
});

test('W-3 no workspace, and no such folder, are said plainly', async () => {
  using folder = workspaceFolder();
  expect(refusal(() => findWorkspace(folder.root))).toMatchObject({
    code: 'SK1001',
    message: `no workspace.skein.yaml in ${folder.root} or in any folder above it`,
  });
  expect(refusal(() => findWorkspace(join(folder.root, 'no')))).toMatchObject({ code: 'SK1001' });
  await expect(loadWorkspace(folder.root)).rejects.toMatchObject({ code: 'SK1001' });
  mkdirSync(join(folder.root, 'workspace.skein.yaml'));
  expect(findWorkspace(folder.root)).toBe(folder.root);
});

test('W-2 a service is named whole, or bare where that is unique', async () => {
  const services = (...names: string[]): string =>
    names.map((name) => `{ name: ${name}, agent: process }`).join(', ');
  using folder = workspaceFolder({
    'workspace.skein.yaml': `name: s\nmodules: [{ name: m, services: [${services('api', 'db')}] }, { name: n, services: [${services('api')}] }]\n`,
  });
  const workspace = await loadWorkspace(folder.root);
  expect(resolveServiceName(workspace, 'db')).toBe('m/db');
  expect(resolveServiceName(workspace, 'n/api')).toBe('n/api');
  expect(refusal(() => resolveServiceName(workspace, 'api'))).toMatchObject({
    code: 'SK1032',
    message: '`api` names several services: m/api, n/api',
  });
  expect(refusal(() => resolveServiceName(workspace, 'n/ap')).message).toBe(
    'workspace s has no service `n/ap`; did you mean `n/api`?',
  );
  expect(refusal(() => resolveServiceName(workspace, 'bd')).message).toBe(
    'workspace s has no service `bd`; did you mean `db`?',
  );
});
