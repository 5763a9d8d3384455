/** What services depend on (W-8): names become identities, and each named endpoint exists and may be reached. */
import { type ErrorCode, formatPlace, nearest, SkeinError } from '../errors/index.ts';
import type { DependencyBody } from './bodies.ts';
import type { Path } from './document.ts';
import type { ServiceDraft } from './draft.ts';
import type { Layout } from './layout.ts';
import type { Endpoint, EndpointId, Service, ServiceDependency, ServiceId, Wait } from './model.ts';
import { serviceId } from './names.ts';
import { mayReach } from './reach.ts';
import type { Candidate } from './service.ts';

/** Gives each service its dependencies; what is wrong goes to `faults` (SK1050 to SK1054). */
export function connect(layout: Layout, faults: SkeinError[]): ReadonlyMap<ServiceId, Service> {
  const resolver = new Resolver(layout, faults);
  return new Map(
    [...layout.services.values()].map((candidate) => [
      candidate.service.id,
      { ...candidate.service, dependencies: resolver.dependenciesOf(candidate) },
    ]),
  );
}

class Resolver {
  readonly #layout: Layout;
  readonly #faults: SkeinError[];
  readonly #namesByModule: ReadonlyMap<string, readonly string[]>;

  constructor(layout: Layout, faults: SkeinError[]) {
    this.#layout = layout;
    this.#faults = faults;
    this.#namesByModule = new Map(
      layout.modules.map((module) => [
        module.name,
        module.services.map((id) => id.slice(module.name.length + 1)),
      ]),
    );
  }

  dependenciesOf({ draft: consumer }: Candidate): readonly ServiceDependency[] {
    const firsts = new Map<string, ServiceDependency>();
    for (const [index, body] of (consumer.body['service-dependencies'] ?? []).entries()) {
      const path = [...consumer.path, 'service-dependencies', index];
      const dependency = body && this.#dependency(consumer, body, path);
      if (dependency === undefined) continue;
      const key = `${dependency.service} ${dependency.kind}`;
      const first = firsts.get(key);
      if (first === undefined) firsts.set(key, dependency);
      else
        this.#fault(
          'SK1054',
          `${consumer.id} declares its ${dependency.kind} dependency on ${dependency.service} twice: here and at ${formatPlace(first.place)}`,
          consumer,
          path,
        );
    }
    return [...firsts.values()];
  }

  #dependency(consumer: ServiceDraft, body: DependencyBody, path: Path): ServiceDependency | undefined {
    const module = body.module ?? consumer.module;
    const producer = this.#layout.services.get(serviceId(module, body.name));
    if (producer === undefined) {
      // A module that was misread is no ground to call a service unknown.
      if (!consumer.doubts.about([...path, 'module'])) this.#unknownProducer(consumer, module, body, path);
      return undefined;
    }
    if (producer.service.id === consumer.id) {
      this.#fault('SK1054', `${consumer.id} depends on itself`, consumer, [...path, 'name']);
      return undefined;
    }
    return {
      service: producer.service.id,
      endpoints: this.#endpoints(consumer, producer, body, path),
      kind: body.kind ?? 'runtime',
      wait: this.#wait(consumer, producer, body, path),
      place: consumer.document.place([...path, 'name']),
    };
  }

  #endpoints(
    consumer: ServiceDraft,
    producer: Candidate,
    body: DependencyBody,
    path: Path,
  ): readonly EndpointId[] {
    const { service } = producer;
    if (body.endpoints === undefined)
      return service.endpoints
        .filter((endpoint) => mayReach(consumer.module, service.module, endpoint))
        .map((endpoint) => endpoint.id);
    const ids: EndpointId[] = [];
    for (const [index, name] of body.endpoints.entries()) {
      if (name === undefined) continue;
      const endpoint = service.endpoints.find((candidate) => candidate.name === name);
      if (endpoint === undefined)
        this.#unknownEndpoint(consumer, producer, name, [...path, 'endpoints', index]);
      else if (!mayReach(consumer.module, service.module, endpoint))
        this.#outOfReach(consumer, producer, endpoint, [...path, 'endpoints', index]);
      else if (!ids.includes(endpoint.id)) ids.push(endpoint.id);
    }
    return ids;
  }

  #wait(consumer: ServiceDraft, { draft, service }: Candidate, body: DependencyBody, path: Path): Wait {
    const wait = body.wait ?? (service.kind === 'job' || body.kind === 'completion' ? 'completed' : 'ready');
    if (body.kind === 'completion' && wait !== 'completed')
      this.#fault(
        'SK1054',
        `${consumer.id} asks for the completion of ${service.id} and waits for \`${wait}\`: a completion dependency waits for \`completed\``,
        consumer,
        [...path, 'wait'],
      );
    if (wait === 'completed' && service.kind !== 'job' && !draft.doubts.about([...draft.path, 'kind']))
      this.#fault(
        'SK1053',
        `${consumer.id} waits for ${service.id} to complete, but ${service.id} is a service, not a job: it never completes`,
        consumer,
        [...path, body.wait === undefined ? 'kind' : 'wait'],
      );
    return wait;
  }

  #unknownProducer(consumer: ServiceDraft, module: string, body: DependencyBody, path: Path): void {
    const names = this.#namesByModule.get(module);
    if (names === undefined) {
      if (this.#layout.incomplete) return;
      const hint = hintOf(nearest(module, this.#namesByModule.keys()));
      const message = `${consumer.id} depends on ${serviceId(module, body.name)}, but the workspace has no module \`${module}\`${hint}`;
      this.#fault('SK1050', message, consumer, [...path, 'module']);
      return;
    }
    if (this.#layout.incompleteModules.has(module)) return;
    const message = `${consumer.id} depends on ${serviceId(module, body.name)}, but module \`${module}\` has no service \`${body.name}\``;
    this.#fault('SK1050', message + this.#meantProducer(body.name, names), consumer, [...path, 'name']);
  }

  #meantProducer(name: string, names: readonly string[]): string {
    const elsewhere = this.#layout.modules
      .map((module) => module.name)
      .filter((module) => this.#layout.services.has(serviceId(module, name)));
    if (elsewhere.length > 0)
      return `; there is ${elsewhere.map((module) => serviceId(module, name)).join(', ')} (\`module: ${elsewhere[0]}\`)`;
    return hintOf(nearest(name, names));
  }

  #unknownEndpoint(consumer: ServiceDraft, { draft, service }: Candidate, name: string, path: Path): void {
    // An endpoint that was misread may be the one that is meant.
    if (draft.doubts.about([...draft.path, 'endpoints'])) return;
    const names = service.endpoints.map((endpoint) => endpoint.name);
    const known =
      names.length === 0 ? ': it declares none' : ` among ${names.map((known) => `\`${known}\``).join(', ')}`;
    const message = `${consumer.id} depends on endpoint \`${name}\` of ${service.id}, which has no such endpoint${known}`;
    this.#fault('SK1051', message + hintOf(nearest(name, names)), consumer, path);
  }

  #outOfReach(consumer: ServiceDraft, { draft, service }: Candidate, endpoint: Endpoint, path: Path): void {
    const index = draft.body.endpoints?.findIndex((body) => body?.name === endpoint.name) ?? -1;
    if (draft.doubts.about([...draft.path, 'endpoints', index, 'visibility'])) return;
    const message =
      `${consumer.id} may not reach ${endpoint.id}: the endpoint is ${endpoint.visibility}, which only services of ` +
      `module \`${service.module}\` reach, and the consumer is of module \`${consumer.module}\``;
    this.#fault('SK1052', message, consumer, path);
  }

  #fault(code: ErrorCode, message: string, consumer: ServiceDraft, path: Path): void {
    this.#faults.push(new SkeinError(code, message, { place: consumer.document.place(path) }));
  }
}

function hintOf(meant: string | undefined): string {
  return meant === undefined ? '' : `; did you mean \`${meant}\`?`;
}
