/**
 * All agents of a run: each service gets a session on its agent; an agent that can serve many serves them all
 * from one process, unless a service asks for its own, and a program that is many agents is one process for them all.
 * Launches are shared, limited, and remembered in skein.lock.
 */
import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import PQueue from 'p-queue';
import { SkeinError } from '../../errors/index.ts';
import type { AgentReference, Service } from '../../workspace/index.ts';
import type { AgentLogLine, BuiltInAgent, Command, Program, StartedProgram } from '../program/index.ts';
import type { AgentProcess } from './agent-process.ts';
import { Hosted, type Purpose } from './hosted.ts';
import { admitAgent, type LaunchOptions, serveProgram, startAgent } from './launch.ts';
import { type AgentLock, lockAgent, readAgentLock, verifyLocked, writeAgentLock } from './lock.ts';
import { resolveAgent } from './resolve.ts';
import type { ResolvedAgent } from './resolved.ts';
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
  /** Agents' own logs. `agent` is the identity that the program was launched for. */
  readonly onAgentLog?: (agent: string, line: AgentLogLine) => void;
  /** An agent spoke of an instance that nobody asked for; told once for each. */
  readonly onStray?: (agent: string, instance: string) => void;
}

/** An admitted agent and the program that it is part of. */
interface Admitted {
  readonly hosted: Hosted;
  readonly process: AgentProcess;
}

export class AgentsHost implements AsyncDisposable {
  readonly #options: AgentsHostOptions;
  /** Launches that services can share, by program; a launch that failed or a process that ended is not here. */
  readonly #shared: Map<string, Promise<Hosted>> = new Map();
  /** Agents known to serve one service a process. */
  readonly #single: Set<string> = new Set();
  /** Programs known to be one agent alone, so that each identity gets a process of its own. */
  readonly #separate: Set<string> = new Set();
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
   * Takes over a program that was started before there was a host, such as while the workspace was still being read. One
   * that does not come to serve is told to the first service that needs it, and tried afresh for the next.
   */
  adopt(started: StartedProgram): void {
    this.#launchShared(programKey(started.program.command), started.program, started).catch(() => undefined);
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
   * @throws {SkeinError} as `resolveAgent`, `startAgent` and `admitAgent`; SK1303, SK1304 (lock); SK1329 after the host was disposed
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
    const { hosted, process } = await heedful(this.#hostFor(agent, service.isolate), signal, (late) =>
      this.#giveBack(late.hosted),
    );
    return new AgentSession(service, process, hosted.feed(process), () => this.#giveBack(hosted));
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

  /** The agent on a process with room for one more session, which is counted. */
  async #hostFor(agent: ResolvedAgent, isolate: boolean): Promise<Admitted> {
    await this.#verifyBeforeLaunch(agent);
    if (isolate || this.#single.has(agentKey(agent))) return this.#ownProcess(agent);
    const program = programKey(agent.command);
    const key = this.#separate.has(program) ? agentKey(agent) : program;
    const hosted = await (this.#shared.get(key) ?? this.#launchShared(key, agent));
    const process = await this.#admitShared(hosted, key, agent);
    if (process === undefined) {
      this.#separate.add(program);
      return this.#hostFor(agent, isolate);
    }
    if (hosted.isKept) return take(hosted, process);
    this.#single.add(agentKey(agent));
    // The launch that was meant to be shared serves the first one.
    return hosted.sessions === 0 ? take(hosted, process) : this.#ownProcess(agent);
  }

  async #ownProcess(agent: ResolvedAgent): Promise<Admitted> {
    const hosted = await this.#launch(agent, 'one');
    try {
      const process = await hosted.admit(agent);
      if (process === undefined) throw new Error(`the process of ${agent.identity} serves somebody else`);
      return take(hosted, process);
    } catch (error) {
      await hosted.end({ signal: AbortSignal.abort() });
      throw error;
    }
  }

  /** A program that is refused for the only agent that it was asked for is of no use. */
  async #admitShared(hosted: Hosted, key: string, agent: ResolvedAgent): Promise<AgentProcess | undefined> {
    try {
      return await hosted.admit(agent);
    } catch (error) {
      if (!hosted.isOnlyFor(agent)) throw error;
      this.#shared.delete(key);
      await hosted.end({ signal: AbortSignal.abort() });
      throw error;
    }
  }

  #launchShared(key: string, program: Program, started?: StartedProgram): Promise<Hosted> {
    const launch = this.#launch(program, 'all', started);
    this.#shared.set(key, launch);
    const forget = (): void => {
      if (this.#shared.get(key) === launch) this.#shared.delete(key);
    };
    launch.then(({ life }) => life.exited.then(forget), forget);
    return launch;
  }

  #launch(program: Program, purpose: Purpose, started?: StartedProgram): Promise<Hosted> {
    const launch = this.#queue.add(() => this.#start(program, purpose, started));
    this.#all.add(launch);
    // What cannot be cleared is met again when the host is closed.
    this.#clearAfterExit(launch).catch(() => undefined);
    return launch;
  }

  /** A program that ended by itself leaves a socket, and perhaps some of its group. */
  async #clearAfterExit(launch: Promise<Hosted>): Promise<void> {
    const hosted = await launch.catch(() => undefined);
    if (hosted !== undefined) {
      await hosted.life.exited;
      await hosted.end({});
    }
    this.#all.delete(launch);
  }

  async #start(program: Program, purpose: Purpose, started: StartedProgram | undefined): Promise<Hosted> {
    const { environment, workspaceRoot, timeouts, onAgentLog, onStray } = this.#options;
    const options: LaunchOptions = {
      signal: this.#ending.signal,
      environment,
      directory: workspaceRoot,
      ...(timeouts && { timeouts }),
      ...(onAgentLog && { onLog: (line) => onAgentLog(program.identity, line) }),
      locate: (instance, pointer) => this.#services.get(instance)?.specPlace(pointer),
    };
    const life = await (started === undefined
      ? startAgent(program, options)
      : serveProgram(started, options));
    return new Hosted(life, {
      purpose,
      admit: async (agent) => {
        const process = await admitAgent(life, agent, this.#ending.signal);
        await this.#recordLaunched(agent, process.information.version);
        return process;
      },
      onStray: (instance) => onStray?.(program.identity, instance),
    });
  }

  /** A package tells its version before it is executed. */
  async #verifyBeforeLaunch(agent: ResolvedAgent): Promise<void> {
    const file = this.#options.lockFile;
    if (file === undefined) return;
    this.#lock ??= readAgentLock(file);
    const lock = await this.#lock;
    if (agent.found.kind === 'package') verifyLocked(lock, agent, agent.found.version);
  }

  /** One write at a time, each of the whole lock. */
  async #recordLaunched(agent: ResolvedAgent, version: string): Promise<void> {
    const file = this.#options.lockFile;
    if (file === undefined) return;
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
    if (!hosted.isKept && hosted.sessions === 0) await hosted.end({});
  }

  async #end(launch: Promise<Hosted>, options: { readonly signal?: AbortSignal }): Promise<void> {
    // A launch that failed left nothing, and its error is with those who asked for it.
    const hosted = await launch.catch(() => undefined);
    await hosted?.end(options);
  }
}

function take(hosted: Hosted, process: AgentProcess): Admitted {
  hosted.sessions += 1;
  return { hosted, process };
}

/** Programs are one where their command is one. */
function programKey(command: Command): string {
  return command.join('\0');
}

/** Agents are one where their name and their command are one. */
function agentKey({ identity, command }: ResolvedAgent): string {
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
