/** A running, admitted agent: its clients, its abilities, its own log, and its end. */
import type { Client } from '@grpc/grpc-js';
import { SkeinError } from '../../errors/index.ts';
import { AgentService, type GetAgentInformationResponse } from '../../gen/skein/agent/v1/agent_pb.js';
import { BuilderService } from '../../gen/skein/builder/v1/builder_pb.js';
import { RuntimeService } from '../../gen/skein/runtime/v1/runtime_pb.js';
import { type CallableClient, callableClient } from '../wire/index.ts';
import type { AgentExit, Callee } from './caller.ts';
import { judgedClient } from './calls.ts';
import type { AgentLogLine } from './own-log.ts';
import { settlesWithin } from './pause.ts';
import type { SpawnedAgent } from './spawned.ts';

/** How an agent was ended: by itself, or by which signal; and what went wrong on the way. */
export interface AgentEnd {
  readonly by: 'itself' | 'SIGTERM' | 'SIGKILL';
  readonly exit: AgentExit;
  /** Such as a Shutdown that was not answered; empty when all went well. */
  readonly faults: readonly SkeinError[];
}

export class AgentProcess {
  /** Identity of the agent, such as `skein/process`. */
  readonly name: string;
  readonly pid: number;
  readonly information: GetAgentInformationResponse;
  /** As advertised; unknown ones are here too and harm nobody. */
  readonly capabilities: ReadonlySet<string>;
  /** Calls are judged, limited in time and attributed; see `judgedClient`. */
  readonly runtime: CallableClient<typeof RuntimeService>;
  readonly builder: CallableClient<typeof BuilderService>;
  readonly agent: CallableClient<typeof AgentService>;
  /** Aborted when the agent has let go of its services, or is to be ended without: nothing new comes from it. */
  readonly released: AbortSignal;
  readonly #released: AbortController = new AbortController();
  readonly #spawned: SpawnedAgent;
  readonly #channel: Client;
  readonly #callee: Callee;
  #closing: Promise<AgentEnd> | undefined;
  readonly #hurry: AbortController = new AbortController();

  constructor(
    spawned: SpawnedAgent,
    channel: Client,
    callee: Callee,
    information: GetAgentInformationResponse,
  ) {
    this.name = spawned.name;
    this.pid = spawned.pid;
    this.information = information;
    this.capabilities = new Set(information.contract?.capabilities);
    this.runtime = judgedClient(
      RuntimeService,
      callableClient(RuntimeService, channel, spawned.token),
      callee,
    );
    this.builder = judgedClient(
      BuilderService,
      callableClient(BuilderService, channel, spawned.token),
      callee,
    );
    this.agent = judgedClient(AgentService, callableClient(AgentService, channel, spawned.token), callee);
    this.released = this.#released.signal;
    this.#spawned = spawned;
    this.#channel = channel;
    this.#callee = callee;
  }

  /** Settles at the exit of the process, whatever the reason; never rejects. */
  get exited(): Promise<AgentExit> {
    return this.#spawned.exited;
  }

  /** The exit as soon as it is known. */
  get exit(): AgentExit | undefined {
    return this.#spawned.exit;
  }

  /** Whether the end was asked for. */
  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /** Last lines of its own log, oldest first. */
  lastLines(): readonly string[] {
    return this.#spawned.lastLines();
  }

  /** Every line of its own log from now on. @returns what ends the listening. */
  onLog(listener: (line: AgentLogLine) => void): () => void {
    return this.#spawned.log.listen(listener);
  }

  /**
   * Returns where the agent has the ability; called before the operation that needs it.
   * @throws {SkeinError} SK1319; `operation` completes "…, which it needs to …".
   */
  require(capability: string, operation: string): void {
    if (this.capabilities.has(capability)) return;
    throw new SkeinError(
      'SK1319',
      `agent ${this.name} ${this.information.version} does not advertise \`${capability}\`, which it needs to ${operation}`,
    );
  }

  /**
   * Ends the agent: Shutdown with its answer, then SIGTERM, then SIGKILL to its group. Always closes the channel,
   * and leaves neither a process of the group nor a socket. Repeating it waits for the same end.
   * @param options.signal Aborted: no more politeness, SIGKILL at once.
   * @throws {SkeinError} SK1308 when something outlives SIGKILL; SK1609, SK1611
   */
  async close({ signal }: { readonly signal?: AbortSignal } = {}): Promise<AgentEnd> {
    const hurry = (): void => this.#hurry.abort(signal?.reason);
    if (signal?.aborted) hurry();
    signal?.addEventListener('abort', hurry, { once: true });
    try {
      this.#closing ??= this.#end();
      return await this.#closing;
    } finally {
      signal?.removeEventListener('abort', hurry);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #end(): Promise<AgentEnd> {
    const faults: SkeinError[] = [];
    try {
      const by = await this.#persuade(faults);
      await this.#spawned.clear();
      return { by, exit: await this.exited, faults };
    } finally {
      this.#channel.close();
    }
  }

  async #persuade(faults: SkeinError[]): Promise<AgentEnd['by']> {
    if (this.exit !== undefined) return 'itself';
    const isAnswered = await this.#shutdown(faults);
    this.#released.abort();
    if (isAnswered && (await this.#endsInTime())) return 'itself';
    if (this.exit !== undefined) return 'itself';
    if (!this.#hurry.signal.aborted) {
      this.#spawned.signal('SIGTERM');
      if (await this.#endsInTime()) return 'SIGTERM';
    }
    return 'SIGKILL';
  }

  /** Whether Shutdown was answered. */
  async #shutdown(faults: SkeinError[]): Promise<boolean> {
    const { signal } = this.#hurry;
    if (signal.aborted) return false;
    try {
      await this.agent.shutdown({ budgetMs: this.#callee.timeouts.shutdownMs }, { signal });
      return true;
    } catch (error) {
      if (error instanceof SkeinError) faults.push(error);
      else if (!signal.aborted) throw error;
      return false;
    }
  }

  async #endsInTime(): Promise<boolean> {
    const { signal } = this.#hurry;
    const hurried = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await settlesWithin(Promise.race([this.exited, hurried]), this.#callee.timeouts.exitMs);
    return this.exit !== undefined;
  }
}
