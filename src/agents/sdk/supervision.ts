/**
 * Processes that belong to an instance: each leads a group of its own, which is on record before it runs (T-7), its output
 * flows into the instance's logs with secrets masked, its end is known with its last lines, and it is stopped as a group
 * until the group is empty.
 */
import type { Writable } from 'node:stream';
import {
  type Exit,
  type GroupMember,
  type GroupProcess,
  type RegisteredGroup,
  type Registrar,
  type Registration,
  signalGroup,
} from '../../processes/index.ts';
import { agentLog } from './agent-log.ts';
import { Deadline } from './deadline.ts';
import { AgentFailure, LAST_LINES } from './failure.ts';
import { type InstanceOutput, LineTail, type LogRecord } from './logs/index.ts';
import type { Variable } from './model.ts';

export interface ProcessOptions {
  /** Program and arguments; a name without `/` is looked up in the PATH of `environment`. */
  readonly command: readonly [string, ...string[]];
  /** Absolute, or relative to the service's folder; default: that folder. */
  readonly cwd?: string;
  /** Complete: nothing is inherited. Values marked secret are masked in the output. */
  readonly environment: readonly Variable[];
  readonly uid?: number;
  readonly gid?: number;
}

export interface SuperviseOptions extends ProcessOptions {
  /** Default `ignore`: reads end at once. */
  readonly stdin?: 'ignore' | 'pipe';
  /** What asks it to end; default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
  /** Sees each line of output, masked; for agents that wait for a word of the service. */
  readonly onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
}

export interface CommandOptions extends ProcessOptions {
  readonly signal: AbortSignal;
  readonly onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
}

export interface CommandOutcome {
  readonly exit: Exit;
  readonly pid: number;
  /** At most 50, oldest first, masked. */
  readonly lastLines: readonly string[];
}

export interface SupervisedProcess {
  /** Also the number of its group. */
  readonly pid: number;
  readonly stdin: Writable | undefined;
  /** Resolves when the process has ended and its output has been read. */
  readonly ended: Promise<CommandOutcome>;
  lastLines(): readonly string[];
  /** Signals the whole group; `false` when it is gone. */
  signal(name: NodeJS.Signals): boolean;
}

/** What a process is started in: whose it is, and where its output goes. */
export interface Surroundings {
  readonly output: InstanceOutput;
  readonly registrar: Registrar;
  readonly registration: Registration;
}

/** `stopTimeoutMs`: what it may take to end after its signal; for whoever has to stop it when this agent is gone. */
type Spawning = SuperviseOptions & { readonly cwd: string; readonly stopTimeoutMs: number };

export type StopResult = 'stopped' | 'forced' | 'timed-out';

/** Somebody else may hold a dead process's output open; its last lines are waited for this long. */
const outputGraceMs = 250;
/** How many times it may be granted while output goes on coming. */
const outputGraces = 20;
/** What is left of the group of a process that ended by itself has this long to follow. */
const remainderGraceMs = 2_000;
/** What a cancelled command has between its signal and SIGKILL. */
const cancelGraceMs = 2_000;

/** All groups of this agent process that were not seen empty, be they of services or of commands. */
const living = new Set<RegisteredGroup>();
/** Processes that are being started. */
const spawning = new Set<Promise<unknown>>();
/** Nothing is started any more. */
let isEnding = false;

/**
 * Before the agent's process ends: SIGKILL to every group that is left, and a wait until they are empty (T-3). From now
 * on nothing can be started. Never rejects: what may still run is told in the agent's log.
 */
export async function endEverything(): Promise<void> {
  isEnding = true;
  // Those that run already do not wait for those that are being started.
  await Promise.all([...living].map(endGroup));
  await Promise.allSettled(spawning);
  await Promise.all([...living].map(endGroup));
}

async function endGroup(group: RegisteredGroup): Promise<void> {
  try {
    const { outcome } = await group.kill();
    const strays = await group.endStrays({ signal: 'SIGKILL', timeoutMs: 0 });
    if (outcome === 'timed-out') agentLog('error', `process group ${group.process.pid} may still run`);
    else if ('survivors' in strays) agentLog('error', strayText(group, strays.survivors));
    else living.delete(group);
  } catch (error) {
    agentLog('error', `process group ${group.process.pid} could not be ended`, error);
  }
}

function strayText({ process }: RegisteredGroup, strays: readonly GroupMember[]): string {
  const names = strays.map(({ pid, command }) => `${pid} (${command})`).join(', ');
  return `process group ${process.pid} left running outside of it: ${names}`;
}

export class Supervised implements SupervisedProcess {
  readonly #registered: RegisteredGroup;
  readonly #stopSignal: NodeJS.Signals;
  readonly #tail = new LineTail(LAST_LINES);
  readonly #output: Promise<unknown>;
  readonly #cleared: Promise<void>;
  readonly ended: Promise<CommandOutcome>;
  /** Read so far. */
  #records = 0;
  /** The first stop that was asked for. */
  #stopping: Promise<StopResult> | undefined;

  /** @throws {SkeinError} SK1601–SK1607, SK1610, SK1613, SK1614; AgentFailure INTERRUPTED where the agent is ending */
  static async spawn(options: Spawning, surroundings: Surroundings): Promise<Supervised> {
    if (isEnding) throw new AgentFailure('INTERRUPTED', 'the agent is ending', { retryable: true });
    const spawned = Supervised.#spawn(options, surroundings);
    spawning.add(spawned);
    try {
      return await spawned;
    } finally {
      spawning.delete(spawned);
    }
  }

  static async #spawn(
    options: Spawning,
    { output, registrar, registration }: Surroundings,
  ): Promise<Supervised> {
    for (const { value, secret } of options.environment) if (secret) output.mask.add(value);
    const { command, cwd, environment, uid, gid, stdin, stopSignal, stopTimeoutMs } = options;
    const group = await registrar.spawn(
      {
        command,
        cwd,
        environment: Object.fromEntries(environment.map(({ name, value }) => [name, value])),
        ...(uid !== undefined && { uid }),
        ...(gid !== undefined && { gid }),
        ...(stdin !== undefined && { stdin }),
      },
      {
        ...registration,
        ...(stopSignal !== undefined && { stopSignal }),
        stopTimeoutMs,
        followsStrays: true,
      },
    );
    return new Supervised(group, options, output);
  }

  private constructor(group: RegisteredGroup, options: SuperviseOptions, output: InstanceOutput) {
    this.#registered = group;
    this.#stopSignal = options.stopSignal ?? 'SIGTERM';
    living.add(group);
    const observe = (record: LogRecord): void => {
      this.#tail.add(record);
      this.#records += 1;
      if (options.onLine) for (const line of record.text.split('\n')) options.onLine(line, record.stream);
    };
    this.#output = Promise.all(
      (['stdout', 'stderr'] as const).map((stream) =>
        output
          .pump(this.#group[stream], stream, observe)
          .catch((error: unknown) =>
            agentLog('error', `reading ${stream} of ${output.instance} failed`, error),
          ),
      ),
    );
    this.ended = this.#awaitEnd();
    this.#cleared = this.#clearRemainder();
    // Whoever is interested in the end also sees its failure; without anybody it must not end the agent.
    this.ended.catch(() => undefined);
  }

  get #group(): GroupProcess {
    return this.#registered.process;
  }

  get pid(): number {
    return this.#group.pid;
  }

  get stdin(): Writable | undefined {
    return this.#group.stdin;
  }

  get exit(): Exit | undefined {
    return this.#group.exit;
  }

  lastLines(): readonly string[] {
    return this.#tail.lines();
  }

  signal(name: NodeJS.Signals): boolean {
    return signalGroup(this.#group, name);
  }

  /**
   * Its signal, a wait until the group is empty, SIGKILL when the deadline comes; then the same for what has left the
   * group and is proven to be its own.
   * @throws {SkeinError} SK1609, SK1611, SK1614
   */
  stop(deadline: Deadline): Promise<StopResult> {
    const stopping = this.#stopWhole(deadline);
    this.#stopping ??= stopping;
    return stopping;
  }

  async #stopWhole(deadline: Deadline): Promise<StopResult> {
    const outcome = await this.#stopGroup(deadline);
    if (outcome === 'timed-out') return outcome;
    const options = { signal: this.#stopSignal, timeoutMs: noTimeoutMs, abort: deadline.signal };
    const strays = await this.#registered.endStrays(options);
    if (!('survivors' in strays)) living.delete(this.#registered);
    else agentLog('error', strayText(this.#registered, strays.survivors));
    return strays.outcome === 'timed-out' ? 'timed-out' : outcome;
  }

  async #stopGroup(deadline: Deadline): Promise<StopResult> {
    const outcome = await this.#signalAndWait(deadline);
    if (outcome !== 'timed-out' && !this.#registered.hasStrays) living.delete(this.#registered);
    return outcome;
  }

  async #signalAndWait(deadline: Deadline): Promise<StopResult> {
    if (deadline.signal.aborted) return (await this.#registered.kill()).outcome;
    try {
      const options = { signal: this.#stopSignal, timeoutMs: noTimeoutMs, abort: deadline.signal };
      return (await this.#registered.stop(options)).outcome;
    } catch (error) {
      if (!deadline.signal.aborted) throw error;
      return (await this.#registered.kill()).outcome;
    }
  }

  async #awaitEnd(): Promise<CommandOutcome> {
    const exit = await this.#group.exited;
    await this.#outputRead();
    return { exit, pid: this.pid, lastLines: this.lastLines() };
  }

  /** A leader that ended by itself leaves nothing of its group behind. */
  async #clearRemainder(): Promise<void> {
    try {
      await this.#group.exited;
      using grace = new Deadline(remainderGraceMs);
      await (this.#stopping ?? this.#stopGroup(grace));
    } catch (error) {
      agentLog('error', `what process group ${this.pid} left behind could not be stopped`, error);
    }
  }

  /** Resolves when the group of a process that ended by itself is gone too, and its output has been read to its end. */
  async settled(): Promise<void> {
    await this.#cleared;
    await this.#outputRead();
  }

  /** A pipe that somebody outside the group still holds may never end: then nothing comes for a while. */
  async #outputRead(): Promise<void> {
    const ended = this.#output.then(() => true);
    for (let graces = 0; graces < outputGraces; graces++) {
      const before = this.#records;
      using grace = new Deadline(outputGraceMs);
      if (await Promise.race([ended, grace.passed().then(() => false)])) return;
      if (this.#records === before) return;
    }
  }
}

/** The deadline is kept by its signal. */
const noTimeoutMs = 24 * 60 * 60 * 1000;

/**
 * Runs a command to its end; an aborted `signal` stops it and is thrown.
 * @throws {SkeinError} SK1601–SK1607, SK1610, SK1613, SK1614
 */
export async function runCommand(
  options: CommandOptions & { readonly cwd: string },
  surroundings: Surroundings,
): Promise<CommandOutcome> {
  const { signal } = options;
  signal.throwIfAborted();
  const command = await Supervised.spawn({ ...options, stopTimeoutMs: cancelGraceMs }, surroundings);
  const cancel = (): void => {
    const deadline = new Deadline(cancelGraceMs);
    command
      .stop(deadline)
      .catch((error: unknown) =>
        agentLog('error', `a cancelled command (${command.pid}) could not be stopped`, error),
      )
      .finally(() => deadline[Symbol.dispose]());
  };
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const outcome = await command.ended;
    await command.settled();
    signal.throwIfAborted();
    return { ...outcome, lastLines: command.lastLines() };
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
