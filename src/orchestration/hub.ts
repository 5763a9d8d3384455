/** The hub of managers: one runner for each service of the flow, with its agent's session, its news and its output. */
import type { AgentSession } from '../agents/host/index.ts';
import { SkeinError } from '../errors/index.ts';
import type { Service, ServiceId } from '../workspace/index.ts';
import { dataFolder } from './data-folders.ts';
import type { LogChunk } from './events.ts';
import { InstanceNews, type NewsItem } from './instance-news.ts';
import { logChunk } from './messages.ts';
import { Runner } from './runner.ts';
import { type Standing, wanted } from './standing.ts';
import type { World } from './world.ts';

/** A service of the run with everything that belongs to it. */
export interface Member {
  /** With its endpoints as its Load has told them. */
  readonly service: Service;
  readonly runner: Runner;
  readonly news: InstanceNews;
  standing: Standing;
  process: MemberProcess;
}

/** Whether the last process that was started still runs, as far as its agent tells. */
export type MemberProcess =
  | { readonly kind: 'none' }
  /** `generation` as its agent counts them. */
  | { readonly kind: 'running'; readonly generation: bigint };

export const noProcess: MemberProcess = { kind: 'none' };

export interface HubListener {
  heard(member: Member, item: NewsItem): void;
  agentLost(member: Member, fault: SkeinError): void;
}

/** Takes output; the agent keeps what follows while the returned promise is pending. */
export type LogListener = (chunk: LogChunk) => void | Promise<void>;

export class Hub {
  /** In the order of registration: producers first, then those that joined later. */
  readonly #members = new Map<ServiceId, Member>();
  readonly #world: World;
  readonly #listener: HubListener;
  readonly #sessions = new Map<ServiceId, AgentSession>();
  readonly #logListeners = new Set<LogListener>();

  constructor(world: World, listener: HubListener) {
    this.#world = world;
    this.#listener = listener;
    this.enrol(world.services);
  }

  get members(): ReadonlyMap<ServiceId, Member> {
    return this.#members;
  }

  /** Makes members of these services (F-17). */
  enrol(services: Iterable<Service>): void {
    for (const service of services) this.#members.set(service.id, this.#memberOf(service));
  }

  /** These are members no more, and their agents are let go of (F-18); what ran of them has been stopped. */
  async dismiss(services: readonly Service[]): Promise<void> {
    const sessions = services.flatMap(({ id }) => this.#sessions.get(id) ?? []);
    for (const service of services) {
      this.#members.delete(service.id);
      this.#sessions.delete(service.id);
      this.#world.state.forget(service);
    }
    await Promise.all(sessions.map((session) => session[Symbol.asyncDispose]()));
  }

  /** @throws {SkeinError} SK1405 */
  member(id: ServiceId): Member {
    const member = this.members.get(id);
    if (member !== undefined) return member;
    const option = this.#world.composition.excluded.get(id);
    const why = option === undefined ? 'takes no part in this run' : `is left out of this run by ${option}`;
    throw new SkeinError('SK1405', `${id} ${why}`, { place: { service: id } });
  }

  /**
   * A session on the service's agent: the one it has, or, where its agent is gone, one on a fresh process.
   * @throws {SkeinError} SK13xx
   */
  async acquire(service: Service, signal: AbortSignal): Promise<AgentSession> {
    const member = this.member(service.id);
    const former = this.#sessions.get(service.id);
    if (former !== undefined && !former.lost.aborted) return former;
    const session = await this.#world.host.acquire(service, { signal });
    await former?.[Symbol.asyncDispose]();
    this.#sessions.set(service.id, session);
    session.onEvent((event) => member.news.take(event));
    session.onLog((chunk) => this.#tellLog(logChunk(service.id, chunk)));
    session.onFault((fault) => this.#world.warn(service.id, 'agent', fault.message));
    session.lost.addEventListener(
      'abort',
      () => this.#listener.agentLost(member, session.lost.reason as SkeinError),
      { once: true },
    );
    return session;
  }

  /** The agent that knew the service is gone; a fresh one will know nothing of it. */
  hasLostAgent(service: ServiceId): boolean {
    return this.#sessions.get(service)?.lost.aborted ?? false;
  }

  /** Whether the service's agent keeps the log file by itself; false before it has been acquired. */
  writesOwnLog(service: ServiceId): boolean {
    return this.#sessions.get(service)?.process.capabilities.has('log-file/v1') ?? false;
  }

  /** Disposing ends it. */
  onLog(listener: LogListener): Disposable {
    this.#logListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#logListeners.delete(listener) };
  }

  #tellLog(chunk: LogChunk): void | Promise<void> {
    const pending = [...this.#logListeners]
      .map((listener) => listener(chunk))
      .filter((taken) => taken !== undefined);
    return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
  }

  #memberOf(service: Service): Member {
    const world = this.#world;
    const { state } = world;
    const { root, name: workspaceName } = world.workspace;
    const runner = new Runner(service, {
      run: world.options.runId,
      workspaceName,
      workspaceRoot: root,
      runDirectory: world.options.runDirectory,
      dataDirectory: dataFolder(root, service.id),
      logFile: world.options.logFile(service),
      writer: state.writerOf(service),
      handedOut: () => state.handedTo(service),
      acquire: (signal) => this.acquire(service, signal),
      propose: (accepted, signal) => world.proposals.propose(service, accepted, signal),
      releasePorts: () => world.proposals.release(service),
      environment: (mappings) => world.environment(service.id, mappings),
      records: world.registrar.folder,
      adopt: (leaders, stopTimeoutMs) =>
        world.unrecordedGroups.adopt(
          leaders,
          { workspaceRoot: root, workspace: workspaceName, run: world.options.runId, service: service.id },
          stopTimeoutMs,
        ),
      warn: (phase, message) => world.warnOnce(service.id, phase, message),
    });
    const member: Member = {
      get service() {
        return state.service(service.id);
      },
      runner,
      news: new InstanceNews(service.id, (item) => this.#listener.heard(member, item)),
      standing: wanted,
      process: noProcess,
    };
    return member;
  }
}
