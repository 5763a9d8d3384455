/** Engines for tests: graphs in a few words, and what an engine wants as text. */
import type { Wait } from '../../workspace/index.ts';
import { Engine } from './engine.ts';
import { type PlaybookGraph, playbookGraph } from './graph.ts';
import { runPolicy } from './policies/run.ts';
import type { Action, Phase } from './policy.ts';
import type { Output } from './protocol.ts';

/** Of a run, in order. */
export const phases: readonly Phase[] = ['load', 'init', 'start'];

/** By service, its dependencies; a wait that is not written is `ready`. */
export function graphOf(
  edges: Readonly<Record<string, readonly (string | readonly [string, Wait])[]>>,
): PlaybookGraph {
  return playbookGraph(Object.keys(edges), (service) =>
    (edges[service] ?? []).map((edge) =>
      typeof edge === 'string' ? { service: edge, wait: 'ready' } : { service: edge[0], wait: edge[1] },
    ),
  );
}

/** An engine of the run's policy. */
export function engineFor(graph: PlaybookGraph, attempts: number = Number.POSITIVE_INFINITY): Engine {
  return new Engine({ graph, policy: runPolicy, roots: new Set(), attemptsOf: () => attempts });
}

export function act(phase: Phase, service: string, round = 0): Action {
  return { phase, service, round };
}

/** `load api #0`, `pause api 1`, `unpause api`. */
export function label(outputs: readonly Output[]): string[] {
  return outputs.map(labelOf);
}

function labelOf(output: Output): string {
  switch (output.type) {
    case 'dispatch':
      return `${output.action.phase} ${output.action.service} #${output.action.round}`;
    case 'pause':
      return `pause ${output.service} ${output.attempt}`;
    case 'give-up':
      return `give-up ${output.service} ${output.attempts}`;
    case 'unpause':
      return `unpause ${output.service}`;
  }
}

/** An action is done; what that makes possible. */
export function finish(engine: Engine, action: Action, hash: string | null = null): string[] {
  return label(engine.step({ type: 'done', action, hash }));
}

/** Drives every dispatched action to its end at once; gates open when a service has started. */
export function drain(engine: Engine, graph: PlaybookGraph, outputs: readonly Output[]): string[] {
  const seen: string[] = [];
  const work = [...outputs];
  for (let output = work.shift(); output !== undefined; output = work.shift()) {
    seen.push(labelOf(output));
    if (output.type !== 'dispatch') continue;
    const { action } = output;
    work.push(...engine.step({ type: 'done', action, hash: 'same' }));
    if (action.phase === 'start')
      for (const dependent of graph.dependents.get(action.service) ?? [])
        work.push(...engine.step({ type: 'gate', dependent, dependency: action.service, open: true }));
  }
  return seen;
}
