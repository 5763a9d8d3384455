/**
 * All agents of a run: each service gets a session on its agent; an agent that can serve many serves them all
 * from one process, unless a service asks for its own. Launches are shared, limited, and remembered in skein.lock.
 */
import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import PQueue from 'p-queue';
import { SkeinError } from '../../errors/index.ts';
import type { AgentReference, Service } from '../../workspace/index.ts';
import type { AgentProcess } from './agent-process.ts';
import { InstanceFeed } from './instance-feed.ts';
import { launchAgent } from './launch.ts';
import { type AgentLock, lockAgent, readAgentLock, verifyLocked, writeAgentLock } from './lock.ts';
import type { AgentLogLine } from './own-log.ts';
import { type BuiltInAgent, resolveAgent } from './resolve.ts';
import type { Command, ResolvedAgent } from './resolved.ts';
import { AgentSession } from './session.ts';
import type { AgentTimeouts } from './timeouts.ts';

export interface AgentsHostOptions {
  /** Absolute root of the workspace; agents work there. */
  readonly workspaceRoot: string;
  /** Absolute folders of `--agent-path`. */
  readonly agentPaths: readonly string[];
  /** By `publisher/name`. */
  readonly builtIns: ReadonlyMap<string, BuiltInAgent>;
  /** Of the caller: agents are looked for on its PATH, and get its short list of variables (C-17). */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute path of `skein.lock`; absent: nothing is locked. */
  readonly lockFile?: string;
  readonly timeouts?: Partial<AgentTimeouts>;
  /** Agents' own logs. `agent` is the identity. */
  readonly onAgentLog?: (agent: string, line: AgentLogLine) => void;
  /** An agent spoke of an instance that nobody asked for; told once for each. */
  readonly onStray?: (agent: string, instance: string) => void;
}

/** A running agent and the news of its instances. */
interface Hosted {
  readonly process: AgentProcess;
  readonly feed: InstanceFeed;
  /** It goes on without sessions, for the services that are still to come. */
  readonly isKept: boolean;
  /** How many sessions it has. */
  sessions: number;
}

/** Whether a launch is for one service or for all that may share it. */
type Purpose = 'one' | 'all';

const sharedCapability = 'multi-service/v1';

export class AgentsHost implements AsyncDisposable {
  readonly #options: AgentsHostOptions;
  /** Launches that services can share, by command; a launch that failed or a process that ended is not here. */
  readonly #shared: Map<string, Promise<Hosted>> = new Map();
  /** Commands of agents known to serve one service a process. */
  readonly #single: Set<string> = new Set();
  readonly #all: Set<Promise<Hosted>> = new Set();
  readonly #resolved: Map<string, ResolvedAgent> = new Map();
  readonly #services: Map<string, Service> = new Map();
  readonly #ending: AbortController = new AbortController();
  // Many starts at once on few cores would only make every handshake late.
  readonly #queue: PQueue = new PQueue({ concurrency: Math.max(2, availableParallelism()) });
  #lock: Promise<AgentLock> | undefined;

  constructor(options: AgentsHostOptions) {
    this.#options = options;
    // Each launch listens: many are no leak.
    setMaxListeners(0, this.#ending.signal);
  }

  /**
   * Starts an agent before any service asks for it, such as while the workspace is still being read. A launch that
   * fails is told to the first service that needs it, and tried afresh for the next.
   */
  warm(identity: string, command: Command): void {
    const agent: ResolvedAgent = { identity, command, found: { kind: 'built-in' } };
    if (!this.#shared.has(keyOf(agent))) this.#launchShared(agent).catch(() => undefined);
  }

  /** The program that a reference means, remembered. @throws {SkeinError} as `resolveAgent` */
  resolve(reference: AgentReference): ResolvedAgent {
    const key =
      reference.kind === 'path'
        ? reference.path
        : `${reference.publisher}/${reference.name}:${reference.version ?? ''}`;
    const known = this.#resolved.get(key);
    if (known !== undefined) return known;
    const { workspaceRoot, agentPaths, builtIns, environment } = this.#options;
    const agent = resolveAgent(reference, {
      workspaceRoot,
      agentPaths,
      builtIns,
      path: environment['PATH'] ?? '',
    });
    this.#resolved.set(key, agent);
    return agent;
  }

  /**
   * A session of `service` on its agent; services that share an agent share its launch. The caller disposes of it.
   * @throws {SkeinError} as `resolveAgent` and `launchAgent`; SK1303, SK1304 (lock); SK1329 after the host was disposed
   * of; the reason of `signal`, whose abort ends this wait and no launch that others share.
   */
  async acquire(service: Service, { signal }: { readonly signal: AbortSignal }): Promise<AgentSession> {
    signal.throwIfAborted();
    if (this.#ending.signal.aborted)
      throw new SkeinError('SK1329', `the host of agents is closed; ${service.id} gets none`);
    const agent = this.resolve(service.agent);
    this.#services.set(service.id, service);
    // A run's signal is waited on by each of its services.
    setMaxListeners(0, signal);
    const hosted = await heedful(this.#hostFor(agent, service.isolate), signal, (late) =>
      this.#giveBack(late),
    );
    return new AgentSession(service, hosted.process, hosted.feed, () => this.#giveBack(hosted));
  }

  /** Ends every agent, each with its own time. @throws {SkeinError} what could not be ended, after all were tried */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** As disposing; an aborted `signal` ends them at once. */
  async close(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    this.#ending.abort(new SkeinError('SK1329', 'the host of agents is closed'));
    const ends = await Promise.allSettled([...this.#all].map((launch) => this.#end(launch, options)));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** A process with room for one more session, which is counted. */
  async #hostFor(agent: ResolvedAgent, isolate: boolean): Promise<Hosted> {
    const key = keyOf(agent);
    if (isolate || this.#single.has(key)) return take(await this.#launch(agent, 'one'));
    const hosted = await (this.#shared.get(key) ?? this.#launchShared(agent));
    if (hosted.isKept) return take(hosted);
    this.#single.add(key);
    // The launch that was meant to be shared serves the first one.
    return take(hosted.sessions === 0 ? hosted : await this.#launch(agent, 'one'));
  }

  #launchShared(agent: ResolvedAgent): Promise<Hosted> {
    const key = keyOf(agent);
    const launch = this.#launch(agent, 'all');
    this.#shared.set(key, launch);
    const forget = (): void => {
      if (this.#shared.get(key) === launch) this.#shared.delete(key);
    };
    launch.then(({ process }) => process.exited.then(forget), forget);
    return launch;
  }

  #launch(agent: ResolvedAgent, purpose: Purpose): Promise<Hosted> {
    const launch = this.#queue.add(() => this.#start(agent, purpose));
    this.#all.add(launch);
    const forget = (): void => void this.#all.delete(launch);
    launch.then(({ process }) => process.exited.then(forget), forget);
    return launch;
  }

  async #start(agent: ResolvedAgent, purpose: Purpose): Promise<Hosted> {
    const { environment, workspaceRoot, timeouts, onAgentLog, onStray, lockFile } = this.#options;
    if (lockFile !== undefined) await this.#verifyBeforeLaunch(agent, lockFile);
    const process = await launchAgent(agent, {
      signal: this.#ending.signal,
      environment,
      directory: workspaceRoot,
      ...(timeouts && { timeouts }),
      ...(onAgentLog && { onLog: (line) => onAgentLog(agent.identity, line) }),
      locate: (instance, pointer) => this.#services.get(instance)?.specPlace(pointer),
    });
    try {
      if (lockFile !== undefined) await this.#recordLaunched(agent, process.information.version, lockFile);
    } catch (error) {
      await process.close();
      throw error;
    }
    const feed = new InstanceFeed(process, (instance) => onStray?.(agent.identity, instance));
    return {
      process,
      feed,
      isKept: purpose === 'all' && process.capabilities.has(sharedCapability),
      sessions: 0,
    };
  }

  /** A package tells its version before it is executed. */
  async #verifyBeforeLaunch(agent: ResolvedAgent, file: string): Promise<void> {
    this.#lock ??= readAgentLock(file);
    const lock = await this.#lock;
    if (agent.found.kind === 'package') verifyLocked(lock, agent, agent.found.version);
  }

  /** One write at a time, each of the whole lock. */
  async #recordLaunched(agent: ResolvedAgent, version: string, file: string): Promise<void> {
    const before = this.#lock ?? readAgentLock(file);
    const after = before.then(async (lock) => {
      verifyLocked(lock, agent, version);
      const next = lockAgent(lock, agent, version);
      if (next !== lock) await writeAgentLock(file, next);
      return next;
    });
    // A refused agent leaves the lock as it was.
    this.#lock = after.catch(() => before);
    await after;
  }

  async #giveBack(hosted: Hosted): Promise<void> {
    hosted.sessions -= 1;
    if (!hosted.isKept && hosted.sessions === 0) await this.#endHosted(hosted, {});
  }

  async #end(launch: Promise<Hosted>, options: { readonly signal?: AbortSignal }): Promise<void> {
    // A launch that failed left nothing, and its error is with those who asked for it.
    const hosted = await launch.catch(() => undefined);
    if (hosted !== undefined) await this.#endHosted(hosted, options);
  }

  async #endHosted({ process, feed }: Hosted, options: { readonly signal?: AbortSignal }): Promise<void> {
    try {
      await process.close(options);
    } finally {
      await feed[Symbol.asyncDispose]();
    }
  }
}

function take(hosted: Hosted): Hosted {
  hosted.sessions += 1;
  return hosted;
}

/** Agents are one where their name and their command are one. */
function keyOf({ identity, command }: ResolvedAgent): string {
  return [identity, ...command].join('\0');
}

/** `promise`, or the reason of `signal`; what comes after that goes to `late`. */
function heedful<T>(promise: Promise<T>, signal: AbortSignal, late: (value: T) => Promise<void>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abandon = (): void => {
      reject(signal.reason as Error);
      // Nobody waits for this launch any more; an end that fails is met again when the host is closed.
      promise.then(late).catch(() => undefined);
    };
    signal.addEventListener('abort', abandon, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon));
  });
}
