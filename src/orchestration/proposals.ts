/** Which addresses a service is proposed: derived from the workspace, or of the operating system's choice (N-1, N-2). */
import type { SkeinError } from '../errors/index.ts';
import {
  assignPorts,
  type NetworkMapping,
  occupiedPorts,
  propose,
  proposeAgain,
  refuseOccupiedPorts,
  TemporaryPorts,
  transportOf,
} from '../network/index.ts';
import type { Endpoint, EndpointId, Port, Service, Workspace } from '../workspace/index.ts';
import type { Clock } from './clock.ts';

export interface ProposalOptions {
  readonly workspace: Workspace;
  /** From `--port`. */
  readonly overrides: ReadonlyMap<EndpointId, Port>;
  readonly temporary: boolean;
  readonly clock: Clock;
}

/** What Init proposes to a service. */
export interface Proposal {
  readonly mappings: readonly NetworkMapping[];
  /** Everything that skein would propose; on a reload more than `mappings` where a view was dropped before (N-9). */
  readonly proposable: readonly NetworkMapping[];
}

/** How long the plan gate's own check of every port stands for the check before the first Init. */
const CHECK_STANDS_MS = 2_000;

export class Proposals implements AsyncDisposable {
  readonly #options: ProposalOptions;
  readonly #ports: Map<EndpointId, Port>;
  readonly #temporary: TemporaryPorts | undefined;
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  /** @throws {SkeinError} SK1201, SK1202 */
  constructor(options: ProposalOptions) {
    this.#options = options;
    this.#ports = new Map(assignPorts(options.workspace, { overrides: options.overrides }));
    this.#temporary = options.temporary ? new TemporaryPorts() : undefined;
  }

  /**
   * For the plan gate: settles the port of every endpoint, and answers those that somebody else holds. Ports of `leaving`
   * are held by services that are stopped before these are started; they are looked at again then.
   * @throws {SkeinError} SK1204, SK1211
   */
  async prepare(
    services: readonly Service[],
    signal: AbortSignal,
    leaving: readonly Service[] = [],
  ): Promise<readonly SkeinError[]> {
    const settled = services.flatMap(({ endpoints }) => endpoints);
    await Promise.all(
      settled.map(async (endpoint) => {
        if (this.#temporary !== undefined && this.#isTemporary(endpoint))
          this.#ports.set(endpoint.id, await this.#temporary.reserve(endpoint.id, transportOf(endpoint.api)));
      }),
    );
    const freed = new Set(this.#checkedPorts(leaving).values());
    const checked = [...this.#checkedPorts(services)].filter(([, port]) => !freed.has(port));
    const faults = await occupiedPorts(services, new Map(checked), { signal });
    this.#checkedAtMs = leaving.length > 0 ? Number.NEGATIVE_INFINITY : this.#options.clock.now();
    return faults;
  }

  /**
   * Ports for a workspace that has changed (F-17); those of `running` stay as they are.
   * @throws {SkeinError} SK1201, SK1202
   */
  admit(workspace: Workspace, running: readonly Service[]): void {
    const overrides = new Map(this.#options.overrides);
    for (const { id } of running.flatMap(({ endpoints }) => endpoints)) {
      const port = this.#ports.get(id);
      if (port !== undefined) overrides.set(id, port);
    }
    for (const [id, port] of assignPorts(workspace, { overrides })) this.#ports.set(id, port);
  }

  /** Whether the address of a service that this run does not start is known all the same: its port is no temporary one. */
  get areKnownOfOthers(): boolean {
    return this.#temporary === undefined;
  }

  /** The ports of a service that somebody else starts, free for it to bind. @throws {SkeinError} SK1204 */
  async settle(service: Service): Promise<void> {
    if (this.#temporary === undefined) return;
    for (const endpoint of service.endpoints)
      if (this.#isTemporary(endpoint))
        this.#ports.set(endpoint.id, await this.#temporary.reserve(endpoint.id, transportOf(endpoint.api)));
    await this.release(service);
  }

  /** Everything that skein would propose to the service; its ports are settled. */
  expected(service: Service): readonly NetworkMapping[] {
    return propose(service, this.#ports);
  }

  /**
   * What Init proposes: what was accepted before is kept (N-9).
   * @throws {SkeinError} SK1210, SK1211 when a port has been taken since the plan gate looked (N-3).
   */
  async propose(
    service: Service,
    accepted: readonly NetworkMapping[] | undefined,
    signal: AbortSignal,
  ): Promise<Proposal> {
    const isFirst = accepted === undefined;
    if (isFirst && this.#options.clock.now() - this.#checkedAtMs > CHECK_STANDS_MS)
      await refuseOccupiedPorts(service, this.#checkedPorts([service]), { signal });
    const proposable = this.expected(service);
    return { mappings: isFirst ? proposable : proposeAgain(proposable, accepted), proposable };
  }

  /** Lets go of what kept the service's temporary ports, so that it can bind them (N-2). */
  async release(service: Service): Promise<void> {
    if (this.#temporary === undefined) return;
    for (const endpoint of service.endpoints) await this.#temporary.release(endpoint.id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#temporary?.[Symbol.asyncDispose]();
  }

  /** A temporary port is held by skein itself and needs no check. */
  #checkedPorts(services: readonly Service[]): ReadonlyMap<EndpointId, Port> {
    const endpoints = services.flatMap((service) => service.endpoints);
    return new Map(
      endpoints.flatMap((endpoint): [EndpointId, Port][] => {
        const port = this.#ports.get(endpoint.id);
        return port === undefined || this.#isTemporary(endpoint) ? [] : [[endpoint.id, port]];
      }),
    );
  }

  /** A declared or overridden port comes before a temporary one (N-1). */
  #isTemporary({ id, port }: Endpoint): boolean {
    return this.#options.temporary && port === undefined && !this.#options.overrides.has(id);
  }
}
