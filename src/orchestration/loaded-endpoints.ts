/**
 * What a Load tells of a service's endpoints; pure. Which endpoints there are, what they speak, who may reach them and on
 * which fixed port is the workspace's to say: ports (N-1), references (C-9) and readiness have been settled by it
 * before anything is loaded. Whether they speak TLS and which protobuf services they serve is the agent's to say.
 */
import type { Endpoint, Service } from '../workspace/index.ts';
import type { AnsweredEndpoint } from './messages.ts';

export interface LoadedEndpoints {
  /** Those declared, in their order. */
  readonly endpoints: readonly Endpoint[];
  /** Where the agent says otherwise than the workspace. */
  readonly warnings: readonly string[];
}

/** `answered` empty: the endpoints are exactly as declared. */
export function loadedEndpoints(
  { id, endpoints }: Pick<Service, 'id' | 'endpoints'>,
  answered: readonly AnsweredEndpoint[],
): LoadedEndpoints {
  if (answered.length === 0) return { endpoints, warnings: [] };
  const byName = new Map(answered.map((endpoint) => [endpoint.name, endpoint]));
  const warnings = endpoints.flatMap((endpoint) => {
    const answer = byName.get(endpoint.name);
    if (answer === undefined) return [`the agent of ${id} does not have ${endpoint.id}, which is declared`];
    return contradictions(endpoint, answer).map(
      (what) => `the agent of ${id} says that ${endpoint.id} ${what}`,
    );
  });
  const declared = new Set(endpoints.map(({ name }) => name));
  for (const name of byName.keys())
    if (!declared.has(name))
      warnings.push(`the agent of ${id} has an endpoint ${name}, which is not declared and gets no address`);
  return { endpoints: endpoints.map((endpoint) => refined(endpoint, byName.get(endpoint.name))), warnings };
}

/** Stands for what dependents can see of a Load (F-8). */
export function hashEndpoints(endpoints: readonly Endpoint[]): string {
  return JSON.stringify(
    endpoints.map(({ name, api, secured, grpcServices }) => [name, api, secured, grpcServices]),
  );
}

function refined(endpoint: Endpoint, answer: AnsweredEndpoint | undefined): Endpoint {
  if (answer === undefined) return endpoint;
  return { ...endpoint, secured: answer.secured, grpcServices: answer.grpcServices };
}

/** What is left unsaid contradicts nothing. */
function contradictions(endpoint: Endpoint, answer: AnsweredEndpoint): readonly string[] {
  return (['api', 'visibility', 'exposure', 'port'] as const).flatMap((key) =>
    answer[key] === undefined || answer[key] === endpoint[key]
      ? []
      : [`has the ${key} ${answer[key]}; it is declared with ${endpoint[key] ?? 'none'}`],
  );
}
