/**
 * Which port each endpoint of a native run has (N-1): a function of the workspace, so that every run, every machine and
 * every choice of services gives the same answer.
 */
import { hash } from 'node:crypto';
import { SkeinError, SkeinFaults } from '../errors/index.ts';
import type { Endpoint, EndpointId, Port, Workspace } from '../workspace/index.ts';
import { type Transport, transportOf } from './mapping.ts';

/** Derived ports lie in 10000–31999: below the ephemeral ranges of Linux (32768 up) and macOS (49152 up). */
export const firstDerivedPort = 10_000;
export const lastDerivedPort = 31_999;

const derivedPorts = lastDerivedPort - firstDerivedPort + 1;

export interface PortOptions {
  /** Keeps apart runs that share a machine: part of what is hashed. */
  readonly scope?: string;
  /** From `--port`; each wins over what the file declares. */
  readonly overrides?: ReadonlyMap<EndpointId, Port>;
}

/**
 * The port of every endpoint of the whole composition, in the order of identities (N-1). Overrides first, then declared
 * ports, then the hash; an endpoint that is overridden keeps its own derived port reserved, so that moving one endpoint
 * moves no other.
 * @throws {SkeinError} SK1201 (two endpoints fixed to one port, both named), SK1202 (more endpoints than ports).
 */
export function assignPorts(workspace: Workspace, options: PortOptions = {}): ReadonlyMap<EndpointId, Port> {
  const overrides = options.overrides ?? new Map<EndpointId, Port>();
  const endpoints = [...workspace.services.values()].flatMap((service) => service.endpoints).sort(byIdentity);
  const fixed = fixedPorts(endpoints, overrides);
  const taken: Record<Transport, Set<number>> = { tcp: new Set(), udp: new Set() };
  for (const endpoint of endpoints)
    for (const port of [endpoint.port, overrides.get(endpoint.id)])
      if (port !== undefined) taken[transportOf(endpoint.api)].add(port);

  const ports = new Map<EndpointId, Port>();
  for (const endpoint of endpoints) {
    const own = fixed.get(endpoint.id);
    if (endpoint.port === undefined) {
      const derived = derivePort(workspace.name, endpoint, options.scope, taken[transportOf(endpoint.api)]);
      ports.set(endpoint.id, own ?? derived);
    } else if (own !== undefined) ports.set(endpoint.id, own);
  }
  return ports;
}

function byIdentity(a: Endpoint, b: Endpoint): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function fixedPorts(
  endpoints: readonly Endpoint[],
  overrides: ReadonlyMap<EndpointId, Port>,
): ReadonlyMap<EndpointId, Port> {
  const fixed = new Map<EndpointId, Port>();
  const owners = new Map<string, Endpoint>();
  const faults: SkeinError[] = [];
  for (const endpoint of endpoints) {
    const port = overrides.get(endpoint.id) ?? endpoint.port;
    if (port === undefined) continue;
    const key = `${transportOf(endpoint.api)} ${port}`;
    const owner = owners.get(key);
    if (owner === undefined) owners.set(key, endpoint);
    else faults.push(sharedPort(port, owner, endpoint));
    fixed.set(endpoint.id, port);
  }
  if (faults.length > 0) throw new SkeinFaults(faults);
  return fixed;
}

function sharedPort(port: Port, one: Endpoint, other: Endpoint): SkeinError {
  const transport = transportOf(one.api).toUpperCase();
  return new SkeinError('SK1201', `${transport} port ${port} is fixed for both ${one.id} and ${other.id}`, {
    place: other.place,
  });
}

/** SHA-256 of the identity; on a collision of the identity with a counter, until a port is free. Takes what it returns. */
function derivePort(
  workspace: string,
  endpoint: Endpoint,
  scope: string | undefined,
  taken: Set<number>,
): Port {
  if (taken.size >= derivedPorts && !hasFreePort(taken))
    throw new SkeinError(
      'SK1202',
      `no port in ${firstDerivedPort}–${lastDerivedPort} is left for ${endpoint.id}`,
      {
        place: endpoint.place,
      },
    );
  const identity = scope === undefined || scope === '' ? endpoint.id : `${endpoint.id}/${scope}`;
  for (let attempt = 0; ; attempt++) {
    const port = hashedPort(
      attempt === 0 ? `${workspace}/${identity}` : `${workspace}/${identity}#${attempt}`,
    );
    if (taken.has(port)) continue;
    taken.add(port);
    return port as Port;
  }
}

/** The first 32 bits of the digest, folded into the range; the bias of the remainder is below one in 190,000. */
function hashedPort(text: string): number {
  return firstDerivedPort + (Number.parseInt(hash('sha256', text, 'hex').slice(0, 8), 16) % derivedPorts);
}

function hasFreePort(taken: ReadonlySet<number>): boolean {
  for (let port = firstDerivedPort; port <= lastDerivedPort; port++) if (!taken.has(port)) return true;
  return false;
}
