/**
 * `runtime-configuration`: what a service exposes to its dependents, with references to its own addresses filled in.
 * `${self:<endpoint>}` is the URL of an `http`, `rest` or `connect` endpoint and `host:port` of any other; `|host`,
 * `|port`, `|authority` and `|url` say which part; `$$` is a plain `$` (C-7).
 */

import { isSecretConfiguration, soleKey } from '../../../secrets/index.ts';
import {
  type Address,
  AgentFailure,
  authorityOf,
  type Configuration,
  type ConfigurationValue,
  type Endpoint,
  findAddress,
  type Mapping,
  urlOf,
  type Violation,
} from '../../sdk/index.ts';

export type WrittenConfiguration = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

export interface OwnNetwork {
  readonly endpoints: readonly Endpoint[];
  /** The addresses that the service will serve. */
  readonly mappings: readonly Mapping[];
}

/** @throws {AgentFailure} CONFIGURATION_INVALID, with every violation at once */
export function exposedConfigurations(written: WrittenConfiguration, network: OwnNetwork): Configuration[] {
  const violations: Violation[] = [];
  const exposed = Object.entries(written).map(([group, content]): Configuration => {
    const isText = typeof content === 'string';
    const texts = isText ? { [soleKey]: content } : content;
    const values = Object.entries(texts).map(([key, text]): ConfigurationValue => {
      const pointer = `/runtime-configuration/${escaped(group)}${isText ? '' : `/${escaped(key)}`}`;
      const value = resolved(text, network, (message) => violations.push({ pointer, message }));
      return { key, value, secret: isSecretConfiguration({ group, key, value }) };
    });
    return { group, values };
  });
  if (violations.length === 0) return exposed;
  const summary = violations.map(({ pointer, message }) => `${pointer}: ${message}`).join('; ');
  throw new AgentFailure('CONFIGURATION_INVALID', `spec ${summary}`, {
    violations,
    remedy: `Name an endpoint of this service, as in \${self:http|authority}; write $$ for a plain $.`,
  });
}

type Part = 'host' | 'port' | 'authority' | 'url';
const selfReference = /^self:([a-z][a-z0-9-]*)(?:\|(host|port|authority|url))?$/;

function resolved(text: string, network: OwnNetwork, refuse: (message: string) => void): string {
  return text.replace(
    /\$\$|\$\{([^}]*)(\}?)/g,
    (written: string, body: string | undefined, closed: string) => {
      if (body === undefined) return '$';
      const [, name, part] = selfReference.exec(body) ?? [];
      const outcome =
        closed === '' || name === undefined
          ? { refusal: `${written} is not a reference to an own endpoint, such as \${self:http|port}` }
          : addressed(name, part as Part | undefined, network);
      if ('value' in outcome) return outcome.value;
      refuse(outcome.refusal);
      return written;
    },
  );
}

function addressed(
  name: string,
  part: Part | undefined,
  { endpoints, mappings }: OwnNetwork,
): { readonly value: string } | { readonly refusal: string } {
  const endpoint = endpoints.find((one) => one.name === name);
  if (endpoint === undefined) {
    const known = endpoints.map((one) => one.name).join(', ') || 'none';
    return { refusal: `there is no endpoint ${name}; the service has ${known}` };
  }
  const address = findAddress(mappings, name);
  if (address === undefined) return { refusal: `endpoint ${name} has no address in this run` };
  return { value: partOf(part, endpoint, address) };
}

function partOf(part: Part | undefined, endpoint: Endpoint, address: Address): string {
  switch (part) {
    case 'host':
      return address.host;
    case 'port':
      return String(address.port);
    case 'authority':
      return authorityOf(address);
    case 'url':
      return urlOf(endpoint, address);
    case undefined:
      return hasUrl(endpoint) ? urlOf(endpoint, address) : authorityOf(address);
  }
}

function hasUrl({ api }: Endpoint): boolean {
  return api === 'http' || api === 'rest' || api === 'connect';
}

/** A part of a JSON pointer (RFC 6901). */
function escaped(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}
