/**
 * The life of an agent's program: one process and one channel, whichever agents it serves, its own log, and its end
 * (A-9, A-10).
 */

import type { DescService } from '@bufbuild/protobuf';
import type { Client } from '@grpc/grpc-js';
import { SkeinError } from '../../errors/index.ts';
import { AgentService } from '../../gen/skein/agent/v1/agent_pb.js';
import type { AgentExit, AgentLogLine, SpawnedAgent } from '../program/index.ts';
import { settlesWithin } from '../program/index.ts';
import { type CallableClient, callableClient } from '../wire/index.ts';
import type { Callee } from './caller.ts';
import { judgedClient } from './calls.ts';

/** How an agent was ended: by itself, or by which signal; and what went wrong on the way. */
export interface AgentEnd {
  readonly by: 'itself' | 'SIGTERM' | 'SIGKILL';
  readonly exit: AgentExit;
  /** Such as a Shutdown that was not answered; empty when all went well. */
  readonly faults: readonly SkeinError[];
}

export class AgentLife {
  /** Aborted when the agent has let go of its services, or is to be ended without: nothing new happens in it. */
  readonly released: AbortSignal;
  /** Aborted when the end is not to wait for anything any more. */
  readonly hurried: AbortSignal;
  readonly callee: Callee;
  readonly #spawned: SpawnedAgent;
  readonly #channel: Client;
  readonly #released: AbortController = new AbortController();
  readonly #hurry: AbortController = new AbortController();
  /** Settles when everything that the agent had to tell was taken. */
  #delivered: Promise<unknown> = Promise.resolve();
  #streamsEnd: Promise<void> | undefined;
  #closing: Promise<AgentEnd> | undefined;
  #isAsked = false;

  /** `callee`: the program as errors name it. */
  constructor(spawned: SpawnedAgent, channel: Client, callee: Callee) {
    this.callee = callee;
    this.released = this.#released.signal;
    this.hurried = this.#hurry.signal;
    this.#spawned = spawned;
    this.#channel = channel;
  }

  get pid(): number {
    return this.#spawned.pid;
  }

  /** Settles at the exit of the process, whatever the reason; never rejects. */
  get exited(): Promise<AgentExit> {
    return this.#spawned.exited;
  }

  /** The exit as soon as it is known. */
  get exit(): AgentExit | undefined {
    return this.#spawned.exit;
  }

  /** Whether the end was asked for, before it came by itself. */
  get isClosing(): boolean {
    return this.#isAsked;
  }

  /** Last lines of its own log, oldest first. */
  lastLines(): readonly string[] {
    return this.#spawned.lastLines();
  }

  /** Every line of its own log from now on. @returns what ends the listening. */
  onLog(listener: (line: AgentLogLine) => void): () => void {
    return this.#spawned.log.listen(listener);
  }

  /** Calls are judged, limited in time and attributed to `callee`; see `judgedClient`. */
  client<Service extends DescService>(service: Service, callee: Callee): CallableClient<Service> {
    return judgedClient(service, callableClient(service, this.#channel, this.#spawned.token), callee);
  }

  /**
   * The end leaves time for these streams to be read to theirs, within `shutdownMs`: what the agent holds of its
   * services' output comes after they are gone.
   */
  awaitStreams(streams: readonly Promise<unknown>[]): void {
    this.#delivered = Promise.allSettled([this.#delivered, ...streams]);
  }

  /**
   * Ends the agent: Shutdown with its answer, its streams to their end, the end of its life-line, then SIGTERM,
   * then SIGKILL to its group. Always closes the channel, and leaves neither a process of the group nor a socket.
   * Repeating it waits for the same end.
   * @param options.signal Aborted: no more politeness, SIGKILL at once.
   * @throws {SkeinError} SK1308 when something outlives SIGKILL; SK1609, SK1611
   */
  async close({ signal }: { readonly signal?: AbortSignal } = {}): Promise<AgentEnd> {
    const hurry = (): void => this.#hurry.abort(signal?.reason);
    if (signal?.aborted) hurry();
    signal?.addEventListener('abort', hurry, { once: true });
    try {
      if (this.exit === undefined) this.#isAsked = true;
      this.#closing ??= this.#end();
      return await this.#closing;
    } finally {
      signal?.removeEventListener('abort', hurry);
    }
  }

  /** Settles when everything that the agent has to tell is taken, `shutdownMs` after the first call, or when hurried. */
  streamsEnd(): Promise<void> {
    this.#streamsEnd ??= this.#within(this.#delivered, this.callee.timeouts.shutdownMs);
    return this.#streamsEnd;
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
    if (this.exit !== undefined) {
      await this.streamsEnd();
      return 'itself';
    }
    const isAnswered = await this.#shutdown(faults);
    this.#released.abort();
    if (isAnswered) {
      await this.streamsEnd();
      // Nobody listens any more: an agent that waited for its output to be taken can go.
      this.#spawned.hangUp();
      if (await this.#endsInTime()) return 'itself';
    }
    if (this.exit !== undefined) return 'itself';
    if (!this.hurried.aborted) {
      this.#spawned.signal('SIGTERM');
      if (await this.#endsInTime()) return 'SIGTERM';
    }
    return 'SIGKILL';
  }

  /** Whether Shutdown was answered. */
  async #shutdown(faults: SkeinError[]): Promise<boolean> {
    const signal = this.hurried;
    if (signal.aborted) return false;
    try {
      const agent = this.client(AgentService, this.callee);
      await agent.shutdown({ budgetMs: this.callee.timeouts.shutdownMs }, { signal });
      return true;
    } catch (error) {
      if (error instanceof SkeinError) faults.push(error);
      else if (!signal.aborted) throw error;
      return false;
    }
  }

  async #endsInTime(): Promise<boolean> {
    await this.#within(this.exited, this.callee.timeouts.exitMs);
    return this.exit !== undefined;
  }

  /** Waits, and not longer than `ms`, nor on when hurried. */
  async #within(promise: Promise<unknown>, ms: number): Promise<void> {
    const signal = this.hurried;
    if (signal.aborted) return;
    let stopWaiting: () => void = () => undefined;
    const hurried = new Promise<void>((resolve) => {
      stopWaiting = resolve;
      signal.addEventListener('abort', stopWaiting, { once: true });
    });
    try {
      await settlesWithin(Promise.race([promise, hurried]), ms);
    } finally {
      signal.removeEventListener('abort', stopWaiting);
    }
  }
}
