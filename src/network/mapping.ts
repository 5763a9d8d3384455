/** The words of this folder: views, addresses, and how an address is written. */
import { isIPv6 } from 'node:net';
import type { Api, Endpoint, EndpointId, Port } from '../workspace/index.ts';

/** From where an address is valid (N-4): a process of this machine, a container, the world outside. */
export type Access = 'native' | 'container' | 'public';

/** The one order in which the views of an endpoint are kept (N-7). */
export const accesses: readonly Access[] = ['native', 'container', 'public'];

export interface NetworkInstance {
  readonly access: Access;
  /** Host name or IP address, without brackets. */
  readonly host: string;
  readonly port: Port;
}

/** The addresses of one endpoint, at most one for each view. */
export interface NetworkMapping {
  readonly endpoint: EndpointId;
  readonly instances: readonly NetworkInstance[];
}

/** Ports of the two are separate spaces (N-1). */
export type Transport = 'tcp' | 'udp';

export function transportOf(api: Api): Transport {
  return api === 'udp' ? 'udp' : 'tcp';
}

/** `host:port`, with the brackets that an IPv6 address needs. */
export function authorityOf(address: { readonly host: string; readonly port: number }): string {
  return `${isIPv6(address.host) ? `[${address.host}]` : address.host}:${address.port}`;
}

/** Whether the addresses of an API are usually written as URLs; those of the others are `host:port`. */
export function hasUrl(api: Api): boolean {
  return api === 'http' || api === 'rest' || api === 'connect';
}

/**
 * The address as a URL: `http` or `https` for all that travels on HTTP (gRPC among them), `tcp` and `udp` as they are.
 */
export function urlOf(
  endpoint: Pick<Endpoint, 'api' | 'secured'>,
  address: { readonly host: string; readonly port: number },
): string {
  const raw = endpoint.api === 'tcp' || endpoint.api === 'udp';
  const scheme = raw ? endpoint.api : endpoint.secured ? 'https' : 'http';
  return `${scheme}://${authorityOf(address)}`;
}
