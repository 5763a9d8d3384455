/** Looking up addresses and endpoints, and accepting what the host proposes. */
import { AgentFailure } from './failure.ts';
import type { Access, Address, DependencyMappings, Endpoint, Mapping, Variable } from './model.ts';

/**
 * The proposal narrowed to what the service really serves: `accesses` that are not named are dropped, and so are
 * endpoints that keep no address.
 */
export function acceptMappings(proposed: readonly Mapping[], ...accesses: readonly Access[]): Mapping[] {
  return proposed
    .map(({ endpoint, addresses }) => ({
      endpoint,
      addresses: addresses.filter(({ access }) => accesses.includes(access)),
    }))
    .filter(({ addresses }) => addresses.length > 0);
}

/** The address of an endpoint for an access; `undefined` where there is none. */
export function findAddress(
  mappings: readonly Mapping[],
  endpoint: string,
  access: Access = 'native',
): Address | undefined {
  return mappings
    .find((mapping) => mapping.endpoint === endpoint)
    ?.addresses.find((address) => address.access === access);
}

/**
 * The address of an endpoint for an access.
 * @throws {AgentFailure} ADDRESS_MISSING naming the endpoints that have one
 */
export function requireAddress(
  mappings: readonly Mapping[],
  endpoint: string,
  access: Access = 'native',
): Address {
  const found = findAddress(mappings, endpoint, access);
  if (found !== undefined) return found;
  const known = mappings.map((mapping) => mapping.endpoint).join(', ') || 'none';
  throw new AgentFailure(
    'ADDRESS_MISSING',
    `endpoint ${endpoint} has no ${access} address (endpoints with one: ${known})`,
  );
}

/** The address of a dependency's endpoint, already chosen by the host for this service's access. */
export function dependencyAddress(
  dependencies: readonly DependencyMappings[],
  service: string,
  endpoint: string,
): Address | undefined {
  return dependencies
    .find((dependency) => dependency.service === service)
    ?.mappings.find((mapping) => mapping.endpoint === endpoint)?.addresses[0];
}

/** `host:port`, with brackets around an IPv6 address. */
export function authorityOf({ host, port }: Pick<Address, 'host' | 'port'>): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** `http` or `https` for all that travels on HTTP (gRPC among them), `tcp` and `udp` as they are. */
export function urlOf(
  { api, secured }: Pick<Endpoint, 'api' | 'secured'>,
  address: Pick<Address, 'host' | 'port'>,
): string {
  const raw = api === 'tcp' || api === 'udp';
  const scheme = raw ? api : secured ? 'https' : 'http';
  return `${scheme}://${authorityOf(address)}`;
}

/** A variable's value; `undefined` where it is not set. The last one of a name counts. */
export function variable(environment: readonly Variable[], name: string): string | undefined {
  return environment.findLast((one) => one.name === name)?.value;
}
