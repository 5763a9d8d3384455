/** The variables by which skein delivers what a service may know (C-15): its own facts, addresses, and configurations. */
import { type RunPlace, SkeinError } from '../errors/index.ts';
import {
  type Access,
  authorityOf,
  hasUrl,
  type NetworkInstance,
  type NetworkMapping,
  urlOf,
  visibleMappings,
} from '../network/index.ts';
import {
  type Endpoint,
  type EndpointId,
  mayReach,
  type Service,
  type ServiceDependency,
  type ServiceId,
  type Workspace,
} from '../workspace/index.ts';
import type { ExposedConfiguration } from './exposed.ts';
import { carrierName, type Variable } from './variable.ts';

/** What a service is told about the run that it is part of. */
export interface RunFacts {
  readonly environment: string;
  /** Empty or absent outside a naming scope. */
  readonly namingScope?: string;
  /** How the service runs: `native`, `container`. */
  readonly runtimeContext: string;
  /** Named data set of tests; empty or absent where none is asked for. */
  readonly fixture?: string;
}

/** Where values come from; everything that resolving reads. */
export interface Sources {
  readonly workspace: Workspace;
  readonly service: Service;
  /** The view that the service has of addresses (C-12). */
  readonly access: Access;
  readonly selfMappings: readonly NetworkMapping[];
  /** What was accepted for a service (N-5); `undefined` when it is not part of this run. */
  readonly mappingsOf: (producer: ServiceId) => readonly NetworkMapping[] | undefined;
  /**
   * Where a service can be expected that this run leaves to somebody else: references may name it, and nothing is said of it
   * by itself (W-14).
   */
  readonly elsewhere?: (producer: ServiceId) => readonly NetworkMapping[] | undefined;
  /** What a service exposes; `undefined` when it is not part of this run. */
  readonly configurationsOf: (producer: ServiceId) => readonly ExposedConfiguration[] | undefined;
}

export interface Carriers {
  readonly variables: readonly Variable[];
  /** For the log, at WARN: what the service depends on and is not told the address of. */
  readonly warnings: readonly string[];
}

/**
 * @throws {SkeinError} SK1111 (two values for one name), SK1112 (a name that no variable can have), SK1230 and SK1231 (a
 *   hand-out that cannot be judged).
 */
export function carriersOf(sources: Sources, run: RunFacts): Carriers {
  const builder = new CarrierBuilder(sources);
  builder.facts(run);
  builder.self();
  for (const edge of sources.service.dependencies) if (edge.kind === 'runtime') builder.dependency(edge);
  return builder;
}

class CarrierBuilder implements Carriers {
  readonly variables: Variable[] = [];
  readonly warnings: string[] = [];
  readonly #sources: Sources;
  readonly #place: RunPlace;
  /** What each name stands for, to tell two of one name apart. */
  readonly #subjects = new Map<string, string>();

  constructor(sources: Sources) {
    this.#sources = sources;
    this.#place = { service: sources.service.id };
  }

  facts(run: RunFacts): void {
    const { workspace, service } = this.#sources;
    const facts = [
      ['WORKSPACE', workspace.name],
      ['MODULE', service.module],
      ['SERVICE', service.name],
      ['ENVIRONMENT', run.environment],
      ['NAMING_SCOPE', run.namingScope ?? ''],
      ['RUNTIME_CONTEXT', run.runtimeContext],
      ['FIXTURE', run.fixture ?? ''],
    ] as const;
    for (const [name, value] of facts) if (value !== '') this.#add([name], value, false, `the fact ${name}`);
  }

  self(): void {
    const { service, selfMappings } = this.#sources;
    const byEndpoint = new Map(selfMappings.map((mapping) => [mapping.endpoint, mapping]));
    for (const endpoint of service.endpoints)
      this.#address(['SELF', endpoint.name, endpoint.api], endpoint, byEndpoint.get(endpoint.id));
  }

  dependency(edge: ServiceDependency): void {
    const { workspace, service, mappingsOf, configurationsOf } = this.#sources;
    const producer = workspace.services.get(edge.service);
    const mappings = mappingsOf(edge.service);
    if (producer === undefined || mappings === undefined) {
      this.warnings.push(
        `${service.id} is not given the endpoints of ${edge.service}, which is not part of this run`,
      );
      return;
    }
    const visible = visibleMappings({ composition: workspace, consumer: service, producer, edge, mappings });
    const byEndpoint = new Map<EndpointId, NetworkMapping>(
      visible.map((mapping) => [mapping.endpoint, mapping]),
    );
    for (const endpoint of producer.endpoints)
      if (edge.endpoints.includes(endpoint.id) && mayReach(service.module, producer.module, endpoint))
        this.#address(
          ['ENDPOINT', producer.module, producer.name, endpoint.name, endpoint.api],
          endpoint,
          byEndpoint.get(endpoint.id),
        );
    for (const { group, values } of configurationsOf(edge.service) ?? [])
      for (const { key, value, secret } of values) {
        const kind = secret ? 'SERVICE_SECRET_CONFIGURATION' : 'SERVICE_CONFIGURATION';
        const subject = `${key} of ${group} of ${producer.id}`;
        this.#add([kind, producer.module, producer.name, group, key], value, secret, subject);
      }
  }

  #address(parts: readonly string[], endpoint: Endpoint, mapping: NetworkMapping | undefined): void {
    const { service, access } = this.#sources;
    const name = carrierName(parts, this.#place);
    const instance = instanceFor(mapping, access);
    if (instance === undefined)
      this.warnings.push(`${service.id} is not given ${name}: ${endpoint.id} has no ${access} address`);
    else this.#add(parts, addressOf(endpoint, instance), false, `the address of ${endpoint.id}`);
  }

  #add(parts: readonly string[], value: string, secret: boolean, subject: string): void {
    const name = carrierName(parts, this.#place);
    const other = this.#subjects.get(name);
    if (other !== undefined)
      throw new SkeinError(
        'SK1111',
        `${name} of ${this.#place.service} would be both ${other} and ${subject}`,
        {
          place: this.#place,
        },
      );
    this.#subjects.set(name, subject);
    this.variables.push({ name, value, secret });
  }
}

export function instanceFor(
  mapping: NetworkMapping | undefined,
  access: Access,
): NetworkInstance | undefined {
  return mapping?.instances.find((instance) => instance.access === access);
}

/** An address written as its API is used: a URL for `http`, `rest` and `connect`, `host:port` for the others. */
export function addressOf(endpoint: Endpoint, instance: NetworkInstance): string {
  return hasUrl(endpoint.api) ? urlOf(endpoint, instance) : authorityOf(instance);
}
