/**
 * What the services of a run have published, and the one place from which dependents are served: endpoints after Load,
 * accepted addresses and exposed configurations after Init (F-13). Each service has one writer, its runner; a reader
 * gets only what it may see (N-11).
 */
import type { ExposedConfiguration } from '../configuration/index.ts';
import { type NetworkMapping, visibleMappings } from '../network/index.ts';
import type { Service, ServiceDependency, ServiceId, Workspace } from '../workspace/index.ts';

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

export class SharedState {
  readonly #workspace: Workspace;
  readonly #published = new Map<ServiceId, Published>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Replaces what the service published before; called by its runner alone. */
  publish(service: ServiceId, published: Published): void {
    this.#published.set(service, published);
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
      const producer = this.#workspace.services.get(edge.service);
      const published = this.#published.get(edge.service);
      if (producer === undefined || published === undefined || edge.kind !== 'runtime') return [];
      const mappings = visibleMappings({
        composition: this.#workspace,
        consumer,
        producer,
        edge,
        mappings: published.mappings,
      });
      return [{ producer, edge, mappings, configurations: published.configurations }];
    });
  }
}
