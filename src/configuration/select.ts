/** Which endpoint a reference names (C-8): the one function that the check and the resolution both ask. */
import { type ErrorCode, nearest } from '../errors/index.ts';
import { whyOutOfReach } from '../network/index.ts';
import { type Endpoint, mayReach, type Service } from '../workspace/index.ts';

export type Selection =
  | { readonly kind: 'selected'; readonly endpoint: Endpoint }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly reason: string };

/**
 * An exact name wins and nothing else may answer; one out of reach is refused for that reason. Without an exact name the
 * candidates are the endpoints of that API within reach, and there must be exactly one. Order is never part of the answer.
 */
export function selectEndpoint(
  reference: { readonly token: string },
  producer: Pick<Service, 'id' | 'module' | 'endpoints'>,
  consumerModule: string,
): Selection {
  const { token } = reference;
  const named = producer.endpoints.find((endpoint) => endpoint.name === token);
  if (named !== undefined)
    return mayReach(consumerModule, producer.module, named)
      ? { kind: 'selected', endpoint: named }
      : { kind: 'refused', code: 'SK1106', reason: whyOutOfReach(consumerModule, producer.module, named) };

  const speaking = producer.endpoints.filter((endpoint) => endpoint.api === token);
  const reachable = speaking.filter((endpoint) => mayReach(consumerModule, producer.module, endpoint));
  const [only, ...others] = reachable;
  if (only !== undefined && others.length === 0) return { kind: 'selected', endpoint: only };
  if (only !== undefined) {
    const names = reachable.map((endpoint) => endpoint.id).sort();
    return {
      kind: 'refused',
      code: 'SK1107',
      reason: `several endpoints speak ${token}: ${names.join(', ')}`,
    };
  }
  if (speaking.length > 0) {
    const reasons = speaking
      .map((endpoint) => whyOutOfReach(consumerModule, producer.module, endpoint))
      .sort();
    return { kind: 'refused', code: 'SK1106', reason: reasons.join('; ') };
  }
  return { kind: 'refused', code: 'SK1105', reason: unknown(token, producer) };
}

function unknown(token: string, producer: Pick<Service, 'id' | 'endpoints'>): string {
  const names = producer.endpoints.map((endpoint) => endpoint.name).sort();
  const guess = nearest(token, names);
  if (guess !== undefined) return `${producer.id} has no endpoint \`${token}\`; did you mean \`${guess}\`?`;
  return `${producer.id} has no endpoint \`${token}\`; it has ${names.join(', ') || 'none'}`;
}
