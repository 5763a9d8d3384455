import { describe, expect, test } from 'vitest';
import { workspaceFolder } from '../../tests/support/workspace-files.ts';
import { loadWorkspace, type Service } from '../workspace/index.ts';
import { sameDefinition } from './definition.ts';

async function api(body: string, before = ''): Promise<Service> {
  using folder = workspaceFolder({
    'workspace.skein.yaml': `name: shop\n${before}services:\n  - name: db\n    agent: process\n${body}`,
  });
  const { services } = await loadWorkspace(folder.root);
  const service = [...services.values()].at(-1);
  if (service === undefined) throw new Error('it has services');
  return { ...service, directory: '/shop' };
}

const plain = `  - name: api
    agent: process
    endpoints: [{ name: http, api: http }]
    environment: { A: one }
    spec: { command: x, place: here }
`;

describe('F-17 whether a service is declared as before', () => {
  test('does not depend on where in its file', async () => {
    expect(sameDefinition(await api(plain), await api(plain, '\n# a line more\n\n'))).toBe(true);
  });

  test.each([
    ['a variable', plain.replace('one', 'two')],
    ['a setting of the agent, whatever its name', plain.replace('here', 'there')],
    ['an endpoint', plain.replace('name: http', 'name: web')],
    ['a dependency', `${plain}    service-dependencies: [{ name: db }]\n`],
    ['the restart policy', `${plain}    restart: never\n`],
  ])('depends on %s', async (_, body) => {
    expect(sameDefinition(await api(plain), await api(body))).toBe(false);
  });
});
