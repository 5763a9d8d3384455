/**
 * The process of an agent: started in a group of its own, on record (T-7), with a life-line, told its token and its
 * socket by one line, its output read as its log. Owns the group, what the agent registers, and the socket's
 * folder; speaks no gRPC.
 */
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { SkeinError, SkeinFaults } from '../../errors/index.ts';
import {
  callerVariables,
  type Exit,
  type GroupProcess,
  LineSplitter,
  type Lines,
  type OutputStream,
  type RegisteredGroup,
  Registrar,
  readRegistry,
  registryFolder,
  settle,
  settlementFault,
  signalGroup,
} from '../../processes/index.ts';
import { type AgentExit, describeExit } from './exit.ts';
import { AgentLog } from './own-log.ts';
import { settlesWithin } from './pause.ts';
import type { Program } from './program.ts';
import { AGENT_VARIABLE, type Bootstrap, PROTOCOL } from './protocol.ts';
import { makeSocketFolder, type SocketFolder } from './socket-folder.ts';

/** How long the output may lag behind the exit where a child still holds the pipes. */
const outputLagMs = 500;

export interface SpawnAgentOptions {
  /** Of the caller; only the short list of C-17 is passed on. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute working folder: the root of the workspace that it is started for. */
  readonly directory: string;
  /** Judges each stdout line; `true` where it was the handshake, which is not log. */
  readonly takeLine: (text: string) => boolean;
}

export class SpawnedAgent {
  readonly name: string;
  readonly pid: number;
  readonly log: AgentLog;
  readonly token: string;
  /** Where the agent was told to listen. */
  readonly socket: string;
  /** Never rejects. */
  readonly exited: Promise<AgentExit>;
  /** Aborted at the exit, with an SK1311 as its reason. */
  readonly gone: AbortSignal;
  readonly #registered: RegisteredGroup;
  /** Absolute folder of the records of process groups, the agent's own among them. */
  readonly #records: string;
  readonly #folder: SocketFolder;
  readonly #gone: AbortController = new AbortController();
  #exit: AgentExit | undefined;

  /** @throws {SkeinError} SK1307, SK1308, SK1613, SK1614 */
  static async start(agent: Program, options: SpawnAgentOptions): Promise<SpawnedAgent> {
    const folder = makeSocketFolder({ runtimeDirectory: options.environment['XDG_RUNTIME_DIR'] });
    const registrar = new Registrar(registryFolder(options.environment));
    try {
      const registered = await registrar.spawn(
        {
          command: agent.command,
          cwd: options.directory,
          environment: agentEnvironment(options.environment),
          stdin: 'pipe',
        },
        {
          workspaceRoot: options.directory,
          purpose: { kind: 'agent', agent: agent.identity },
          socket: folder.socket,
        },
      );
      return new SpawnedAgent(agent, registered, registrar.folder, folder, options.takeLine);
    } catch (error) {
      folder.remove();
      if (isUnregistered(error)) throw error;
      throw new SkeinError(
        'SK1308',
        `agent ${agent.identity} (${agent.command.join(' ')}) cannot be started`,
        {
          ...(agent.place && { place: agent.place }),
          cause: error,
        },
      );
    }
  }

  private constructor(
    agent: Program,
    registered: RegisteredGroup,
    records: string,
    folder: SocketFolder,
    takeLine: (text: string) => boolean,
  ) {
    const group = registered.process;
    this.name = agent.identity;
    this.pid = group.pid;
    this.log = new AgentLog();
    this.token = randomBytes(32).toString('hex');
    this.socket = folder.socket;
    this.gone = this.#gone.signal;
    this.#registered = registered;
    this.#records = records;
    this.#folder = folder;
    const read = [
      readLines(group.stdout, 'stdout', this.log, takeLine),
      readLines(group.stderr, 'stderr', this.log, () => false),
    ];
    this.exited = this.#awaitExit(Promise.all(read));
    this.#writeBootstrap();
  }

  get #group(): GroupProcess {
    return this.#registered.process;
  }

  get exit(): AgentExit | undefined {
    return this.#exit;
  }

  lastLines(): readonly string[] {
    return this.#exit?.lastLines ?? this.log.lastLines();
  }

  /** Signals the whole group; `false` when it is gone. @throws {SkeinError} SK1609 */
  signal(signal: NodeJS.Signals): boolean {
    return signalGroup(this.#group, signal);
  }

  /** Ends the life-line: the agent is told that its host has nothing more to say to it. */
  hangUp(): void {
    this.#group.stdin?.end();
  }

  /**
   * Ends whatever is left of the group at once, waits until it is gone, ends what the agent has left running, and removes
   * the socket's folder.
   * @throws {SkeinError} SK1308 when something outlives SIGKILL; SK1609, SK1611, SK1613 to SK1617, SK1620
   */
  async clear(): Promise<void> {
    try {
      this.#group.stdin?.destroy();
      const killed = await this.#registered.kill();
      if (killed.outcome === 'timed-out')
        throw new SkeinError(
          'SK1308',
          `agent ${this.name}: ${killed.survivors.map(({ pid }) => pid).join(', ')} of its group ${this.pid} may still run`,
          { remedy: `Look at them with \`ps -o pid,stat,args -g ${this.pid}\`.` },
        );
      await this.exited;
      await this.#clearOrphans();
    } finally {
      this.#folder.remove();
    }
  }

  /** An agent that ended in order has left nothing; one that was killed has left what its records tell (T-13). */
  async #clearOrphans(): Promise<void> {
    const orphans = readRegistry(this.#records).filter(
      ({ record }) => record.reservation?.parent === this.#registered.secret,
    );
    const settlements = await settle([orphans], { timeoutMs: 0 });
    const faults = settlements.flatMap((settlement) => settlementFault(settlement) ?? []);
    if (faults.length > 0) throw new SkeinFaults(faults);
  }

  async #awaitExit(outputRead: Promise<unknown>): Promise<AgentExit> {
    const exit = await this.#group.exited.catch(unknownExit);
    this.#endGroup();
    await settlesWithin(outputRead, outputLagMs);
    this.#group.stdout.destroy();
    this.#group.stderr.destroy();
    this.#exit = { ...exit, lastLines: this.log.lastLines() };
    this.#gone.abort(
      new SkeinError('SK1311', `agent ${this.name} ${describeExit(exit)} before it could take calls`, {
        lastLines: this.#exit.lastLines,
      }),
    );
    return this.#exit;
  }

  /** What it left in its own group would hold the pipes, and nothing else ends it; services have groups of their own. */
  #endGroup(): void {
    try {
      signalGroup(this.#group, 'SIGKILL');
    } catch (error) {
      // `clear` meets the same refusal and reports it.
      if (!(error instanceof SkeinError)) throw error;
    }
  }

  #writeBootstrap(): void {
    const bootstrap: Bootstrap = {
      token: this.token,
      socket: this.socket,
      protocols: [PROTOCOL],
      processGroups: this.#records,
    };
    // A broken pipe says that the process is gone; its exit tells why.
    this.#group.stdin?.on('error', () => undefined);
    this.#group.stdin?.write(`${JSON.stringify(bootstrap)}\n`);
  }
}

/** Whether it is no fault of the agent's program: nothing at all can be started. */
function isUnregistered(error: unknown): boolean {
  return error instanceof SkeinError && (error.code === 'SK1613' || error.code === 'SK1614');
}

/** The exit of a process whose status somebody else has collected (SK1608): it is gone, and no more is known. */
function unknownExit(error: unknown): Exit {
  if (error instanceof SkeinError)
    return { kind: 'signalled', signal: `an unknown cause (${error.message})` };
  throw error;
}

function agentEnvironment(caller: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const environment: Record<string, string> = { [AGENT_VARIABLE]: '1' };
  for (const name of callerVariables) {
    const value = caller[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

/** Resolves when the stream has ended or was destroyed. */
function readLines(
  readable: Readable,
  stream: OutputStream,
  log: AgentLog,
  takeLine: (text: string) => boolean,
): Promise<void> {
  const splitter = new LineSplitter(stream, { maxPieceBytes: 16 * 1024 });
  const take = (arrived: readonly Lines[]): void => {
    for (const { text, timeMs, partial } of arrived)
      for (const line of text.split('\n'))
        if (partial || !takeLine(line)) log.take({ text: line, stream, timeMs });
  };
  return new Promise((resolve) => {
    readable.on('data', (chunk: Buffer) => take(splitter.push(chunk, Date.now())));
    // A reset of the pipe ends it as an end does.
    readable.on('error', () => undefined);
    readable.once('close', () => {
      take(splitter.end(Date.now()));
      resolve();
    });
  });
}
