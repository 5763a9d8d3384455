/**
 * What the services of a run have published, and the one place from which dependents are served: endpoints after Load,
 * accepted addresses and exposed configurations after Init (F-13). Each service has one writer, its runner; a reader
 * gets only what it may see (N-11).
 */
import type { ExposedConfiguration } from '../configuration/index.ts';
import { type NetworkMapping, visibleMappings } from '../network/index.ts';
import type { Endpoint, Service, ServiceDependency, ServiceId, Workspace } from '../workspace/index.ts';

/** What a service published at its Init. */
export interface Published {
  readonly mappings: readonly NetworkMapping[];
  readonly configurations: readonly ExposedConfiguration[];
}

/** What a dependency hands to one consumer. */
export interface HandedOut extends Published {
  readonly producer: Service;
  readonly edge: ServiceDependency;
}

/** Publishes for one service; each call replaces what was published by the same one before. */
export interface Writer {
  /** After Load: the endpoints that are declared, as the agent knows them. */
  loaded(endpoints: readonly Endpoint[]): void;
  /** After Init, both at once. */
  initialized(published: Published): void;
}

export class SharedState {
  readonly #services: Map<ServiceId, Service>;
  #composition: Workspace;
  readonly #published = new Map<ServiceId, Published>();
  readonly #written = new Set<ServiceId>();

  constructor(workspace: Workspace) {
    this.#services = new Map(workspace.services);
    this.#composition = { ...workspace, services: this.#services };
  }

  /** The workspace, with the endpoints of every service as its Load has told them; those not loaded yet as declared. */
  get composition(): Workspace {
    return this.#composition;
  }

  /** Another workspace from now on (F-17); of the services that have published, or may, nothing changes. */
  recompose(workspace: Workspace): void {
    for (const id of [...this.#services.keys()]) if (!this.#written.has(id)) this.#services.delete(id);
    for (const [id, service] of workspace.services)
      if (!this.#written.has(id)) this.#services.set(id, service);
    this.#composition = { ...workspace, services: this.#services };
  }

  /** What the service has published is gone, and it may have another writer (F-18). */
  forget(service: Service): void {
    this.#written.delete(service.id);
    this.#published.delete(service.id);
    this.#services.set(service.id, service);
  }

  /** @throws {Error} where the service has a writer already: a second one would be a bug. */
  writerOf({ id }: Pick<Service, 'id'>): Writer {
    if (this.#written.has(id)) throw new Error(`${id} has a writer already`);
    this.#written.add(id);
    return {
      loaded: (endpoints) => void this.#services.set(id, { ...this.service(id), endpoints }),
      initialized: (published) => void this.#published.set(id, published),
    };
  }

  /** The service in the composition. @throws {Error} for one that the workspace does not have: a bug. */
  service(id: ServiceId): Service {
    const service = this.#services.get(id);
    if (service === undefined) throw new Error(`the workspace has no ${id}`);
    return service;
  }

  published(service: ServiceId): Published | undefined {
    return this.#published.get(service);
  }

  /**
   * What the consumer's run-time dependencies hand to it; one that has published nothing is left out.
   * @throws {SkeinError} SK1230 for a consumer that is no part of the composition.
   */
  handedTo(consumer: Service): readonly HandedOut[] {
    return consumer.dependencies.flatMap((edge) => {
      const producer = this.#services.get(edge.service);
      const published = this.#published.get(edge.service);
      if (producer === undefined || published === undefined || edge.kind !== 'runtime') return [];
      const mappings = visibleMappings({
        composition: this.composition,
        consumer,
        producer,
        edge,
        mappings: published.mappings,
      });
      return [{ producer, edge, mappings, configurations: published.configurations }];
    });
  }
}
