/** Who may see an address (N-11): the hand-out of a dependency's addresses, judged edge by edge and endpoint by endpoint. */
import { SkeinError } from '../errors/index.ts';
import {
  type Endpoint,
  mayReach,
  type Service,
  type ServiceDependency,
  type Workspace,
} from '../workspace/index.ts';
import type { NetworkMapping } from './mapping.ts';

/** Says why the consumer's module may not reach an endpoint, for when `mayReach` says that it may not. */
export function whyOutOfReach(
  consumerModule: string,
  producerModule: string,
  endpoint: Pick<Endpoint, 'id' | 'visibility'>,
): string {
  return `${endpoint.id} is ${endpoint.visibility} to module ${producerModule}, and the consumer is of module ${consumerModule}`;
}

export interface HandOut {
  /** The composition to judge by; without one nothing is handed out. */
  readonly composition: Workspace | undefined;
  readonly consumer: Pick<Service, 'id' | 'module'>;
  /** Its whole declaration, with the endpoints that its agent brought at Load. */
  readonly producer: Pick<Service, 'id' | 'module' | 'endpoints'>;
  readonly edge: Pick<ServiceDependency, 'service' | 'kind' | 'endpoints'>;
  /** What was accepted for the producer (N-5). */
  readonly mappings: readonly NetworkMapping[];
}

/**
 * The producer's mappings that go to the consumer for one edge: runtime edges only, the endpoints that the edge names, and
 * of these the ones that the consumer's module may reach.
 * @throws {SkeinError} SK1230 (no composition, or one without these services), SK1231 (a mapping of an endpoint that the
 *   producer does not declare).
 */
export function visibleMappings(handOut: HandOut): readonly NetworkMapping[] {
  const { composition, consumer, producer, edge, mappings } = handOut;
  const place = { service: consumer.id };
  if (
    composition === undefined ||
    !composition.services.has(consumer.id) ||
    !composition.services.has(producer.id)
  )
    throw new SkeinError(
      'SK1230',
      `${consumer.id} asked for the addresses of ${producer.id}, and there is no composition of both to judge that by`,
      { place },
    );
  if (edge.kind !== 'runtime' || edge.service !== producer.id) return [];
  const declared = new Map(producer.endpoints.map((endpoint) => [endpoint.id, endpoint]));
  return mappings.filter((mapping) => {
    const endpoint = declared.get(mapping.endpoint);
    if (endpoint === undefined)
      throw new SkeinError(
        'SK1231',
        `${producer.id} has an address for ${mapping.endpoint}, which it does not declare`,
        {
          place,
        },
      );
    return edge.endpoints.includes(endpoint.id) && mayReach(consumer.module, producer.module, endpoint);
  });
}
