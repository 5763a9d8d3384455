import { expect, test } from 'vitest';
import { Engine } from './engine.ts';
import { playbookGraph } from './graph.ts';
import type { Policy } from './policy.ts';

/** A mode as another file under `policies/` would add it. */
const buildRoots: Policy = {
  mode: 'build',
  stage: 'build',
  manager: 'builder',
  phases: [
    { phase: 'load', after: 'same-phase', on: 'all', retryFrom: 'load', retries: 'unlimited' },
    { phase: 'build', after: 'same-phase', on: 'roots', retryFrom: 'load', retries: 'unlimited' },
  ],
};

test('F-5 a policy is a table: another mode runs on the same engine, and phases for roots pass the others over', () => {
  const graph = playbookGraph(['lib', 'app'], (id) =>
    id === 'app' ? [{ service: 'lib', wait: 'ready' }] : [],
  );
  const engine = new Engine({ graph, policy: buildRoots, roots: new Set(['app']), attemptsOf: () => 1 });
  const seen: string[] = [];
  const work = [...engine.begin()];
  for (let output = work.shift(); output !== undefined; output = work.shift()) {
    if (output.type !== 'dispatch') continue;
    seen.push(`${output.action.phase} ${output.action.service}`);
    work.push(...engine.step({ type: 'done', action: output.action, hash: null }));
  }
  expect(seen).toEqual(['load lib', 'load app', 'build app']);
  expect(engine.isSettled()).toBe(true);
});
