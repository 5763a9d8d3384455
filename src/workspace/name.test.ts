import { describe, expect, test } from 'vitest';
import { workspaceFolder } from '../../tests/support/workspace-files.ts';
import { workspaceName } from './index.ts';

describe('the name alone', () => {
  test.each([
    ['of a workspace', 'name: site\nservices: []\n', 'site'],
    ['of a workspace with faults', 'name: site\nservice: oops\n', 'site'],
    ['where it is no text', 'name: 5\n', 'unnamed'],
    ['where there is none', 'services: []\n', 'unnamed'],
    ['of a file that is not YAML', 'name: [\n', 'unnamed'],
    ['of an empty file', '', 'unnamed'],
    ['of a list', '- name: site\n', 'unnamed'],
  ])('%s', async (_, text, name) => {
    using folder = workspaceFolder({ 'workspace.skein.yaml': text });
    expect(await workspaceName(folder.root)).toBe(name);
  });

  test('of a folder without a workspace', async () => {
    using folder = workspaceFolder({ 'other.yaml': 'name: site\n' });
    expect(await workspaceName(folder.root)).toBe('unnamed');
  });
});
