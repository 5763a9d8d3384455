import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { GetAgentInformationResponseSchema } from '../../gen/skein/agent/v1/agent_pb.js';
import { admit } from './admission.ts';
import type { Found, ResolvedAgent } from './resolved.ts';

const executable: Found = { kind: 'executable', file: '/bin/skein-agent-redis' };
const agent = (changes: Partial<ResolvedAgent>): ResolvedAgent => ({
  identity: 'acme/redis',
  command: ['x'],
  found: executable,
  ...changes,
});
const information = (name: string, version = '1.2.3') =>
  create(GetAgentInformationResponseSchema, {
    contract: { protocol: 1, capabilities: ['new/v7'] },
    name,
    version,
  });

test('A-6 an agent with a contract is admitted, whatever else it can do', () => {
  expect(() => admit(agent({ range: '^1' }), information('acme/redis'))).not.toThrow();
});

test('A-13 an outside program has to be the agent that is asked for', () => {
  expect(() => admit(agent({}), information('evil/redis'))).toThrow(
    'acme/redis is asked for, but the executable /bin/skein-agent-redis on PATH is the agent evil/redis',
  );
  // A path is taken at its word.
  expect(() =>
    admit(agent({ found: { kind: 'path', path: '/w/x' } }), information('any/name')),
  ).not.toThrow();
});

test.each([
  ['2', /is 1\.2\.3, but `acme\/redis:2` is asked for/],
  ['??', /`\?\?` is no range of versions/],
])('A-13 range %s is judged by the version that the agent says', (range, says) => {
  expect(() => admit(agent({ range }), information('acme/redis'))).toThrow(says);
});
