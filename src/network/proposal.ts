/** What skein proposes to an agent at Init: an address for each endpoint and each view (N-4, N-5). */
import { SkeinError } from '../errors/index.ts';
import type { Endpoint, EndpointId, Port, Service } from '../workspace/index.ts';
import type { Access, NetworkInstance, NetworkMapping } from './mapping.ts';

/** A native service listens on loopback (N-10). */
const loopbackHost = '127.0.0.1';

/** The hosts of the views besides the native one; a view whose host is absent is not proposed. */
export interface ViewHosts {
  /** As containers know this machine, or the name in the container network. */
  readonly container?: string;
  /** As the world outside knows this machine; used for endpoints whose exposure is public alone. */
  readonly public?: string;
}

/**
 * One mapping for each endpoint of the service, in its order, with every view that skein would allow.
 * @throws {SkeinError} SK1231 when `ports` holds no port for one of the endpoints.
 */
export function propose(
  service: Pick<Service, 'id' | 'endpoints'>,
  ports: ReadonlyMap<EndpointId, Port>,
  hosts: ViewHosts = {},
): readonly NetworkMapping[] {
  return service.endpoints.map((endpoint) => {
    const port = ports.get(endpoint.id);
    if (port === undefined)
      throw new SkeinError(
        'SK1231',
        `there is no port for ${endpoint.id}: the workspace does not declare it`,
        {
          place: { service: service.id, phase: 'init', endpoint: endpoint.id },
        },
      );
    return { endpoint: endpoint.id, instances: views(endpoint, hosts).map((view) => ({ ...view, port })) };
  });
}

function views(endpoint: Endpoint, hosts: ViewHosts): Pick<NetworkInstance, 'access' | 'host'>[] {
  const proposed: { access: Access; host: string }[] = [{ access: 'native', host: loopbackHost }];
  if (hosts.container !== undefined) proposed.push({ access: 'container', host: hosts.container });
  if (hosts.public !== undefined && endpoint.exposure === 'public')
    proposed.push({ access: 'public', host: hosts.public });
  return proposed;
}

/**
 * The proposal of a reload: addresses that were accepted are kept (N-9); endpoints that are new are proposed afresh.
 */
export function proposeAgain(
  proposal: readonly NetworkMapping[],
  accepted: readonly NetworkMapping[],
): readonly NetworkMapping[] {
  const kept = new Map(accepted.map((mapping) => [mapping.endpoint, mapping]));
  return proposal.map((mapping) => kept.get(mapping.endpoint) ?? mapping);
}
