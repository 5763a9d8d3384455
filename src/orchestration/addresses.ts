/** The addresses of a service as people and programs of this machine use them; pure. */
import { authorityOf, hasUrl, type NetworkMapping, urlOf } from '../network/index.ts';
import type { Service } from '../workspace/index.ts';
import type { EndpointAddress } from './events.ts';

/** One for each endpoint that has a native address. */
export function addressesOf(
  service: Service,
  mappings: readonly NetworkMapping[],
): readonly EndpointAddress[] {
  return service.endpoints.flatMap((endpoint) => {
    const native = mappings
      .find((mapping) => mapping.endpoint === endpoint.id)
      ?.instances.find(({ access }) => access === 'native');
    if (native === undefined) return [];
    const url = hasUrl(endpoint.api) ? urlOf(endpoint, native) : null;
    return [{ endpoint: endpoint.id, address: authorityOf(native), url }];
  });
}
