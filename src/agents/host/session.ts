/**
 * One service and its agent: the clients narrowed to the service's instance, its news and output, and the loss of its
 * agent. What a method rejects with names the service and the phase.
 */
import type { DescMessage, Message, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { SkeinError } from '../../errors/index.ts';
import type { GetAgentInformationResponse } from '../../gen/skein/agent/v1/agent_pb.js';
import type { BuilderService } from '../../gen/skein/builder/v1/builder_pb.js';
import type { InstanceEvent, LogChunk, RuntimeService } from '../../gen/skein/runtime/v1/runtime_pb.js';
import type { Service } from '../../workspace/index.ts';
import { type AgentExit, describeExit } from '../program/index.ts';
import type { CallableClient } from '../wire/index.ts';
import type { AgentProcess } from './agent-process.ts';
import type { InstanceFeed } from './instance-feed.ts';
import type { PolledPhase } from './instance-poll.ts';

/** The request of a method without its instance, which the session adds. */
export type InstanceRequest<Input extends DescMessage> = Omit<
  Exclude<MessageInitShape<Input>, Message>,
  'instance'
>;

export interface SessionCallOptions {
  /** Ends the call and the work that it asked for, for this instance alone. */
  readonly signal: AbortSignal;
  /** Milliseconds; absent: the deadline of the phase. */
  readonly timeoutMs?: number;
}

type Methods = (typeof RuntimeService)['method'];
type Judged<Name extends keyof Methods> = Promise<MessageShape<Methods[Name]['output']>>;
type RequestOf<Name extends keyof Methods> = InstanceRequest<Methods[Name]['input']>;

export class AgentSession implements AsyncDisposable {
  readonly service: Service;
  readonly process: AgentProcess;
  /** Aborted, with an SK1320 as its reason, when the agent's process ended without having been asked to. */
  readonly lost: AbortSignal;
  readonly #lost: AbortController = new AbortController();
  readonly #closed: AbortController = new AbortController();
  readonly #feed: InstanceFeed;
  readonly #release: () => Promise<void>;
  readonly #leaveFeed: () => void;
  readonly #events: Set<(event: InstanceEvent) => void> = new Set();
  readonly #logs: Set<(chunk: LogChunk) => void | Promise<void>> = new Set();
  readonly #faults: Set<(error: SkeinError) => void> = new Set();
  #poll: Promise<void> | undefined;
  /** Calls that have ended, well or not. */
  readonly #ended: Record<PolledPhase, number> = { load: 0, init: 0, start: 0 };

  /** `release` gives the process back to whoever owns it. */
  constructor(service: Service, process: AgentProcess, feed: InstanceFeed, release: () => Promise<void>) {
    this.service = service;
    this.process = process;
    this.lost = this.#lost.signal;
    this.#feed = feed;
    this.#release = release;
    this.#leaveFeed = feed.add(service.id, {
      event: (event) => tell(this.#events, event),
      log: (chunk) => this.#tellLog(chunk),
      fault: (error) => tell(this.#faults, error),
    });
    void process.exited.then((exit) => this.#agentEnded(exit));
  }

  get information(): GetAgentInformationResponse {
    return this.process.information;
  }

  /** For builds; its requests name the instance themselves. */
  get builder(): CallableClient<typeof BuilderService> {
    return this.process.builder;
  }

  /** News of this instance. @returns what ends the listening. */
  onEvent(listener: (event: InstanceEvent) => void): () => void {
    return listen(this.#events, listener);
  }

  /** Output of this instance; while a returned promise is pending, the agent keeps what follows. */
  onLog(listener: (chunk: LogChunk) => void | Promise<void>): () => void {
    return listen(this.#logs, listener);
  }

  /** Pieces that were refused, streams that broke off (SK1326, SK1334). */
  onFault(listener: (error: SkeinError) => void): () => void {
    return listen(this.#faults, listener);
  }

  async load(request: RequestOf<'load'>, options: SessionCallOptions): Judged<'load'> {
    this.process.require('runtime/v1', `run ${this.service.id}`);
    const named = { ...this.#named(request), agent: this.process.asked };
    const answer = await this.#counted('load', this.process.runtime.load(named, options));
    this.#poll ??= this.#feed.poll(this.service.id, this.#closed.signal, (phase) => this.#ended[phase]);
    return answer;
  }

  init(request: RequestOf<'init'>, options: SessionCallOptions): Judged<'init'> {
    return this.#counted('init', this.process.runtime.init(this.#named(request), options));
  }

  start(request: RequestOf<'start'>, options: SessionCallOptions): Judged<'start'> {
    return this.#counted('start', this.process.runtime.start(this.#named(request), options));
  }

  test(request: RequestOf<'test'>, options: SessionCallOptions): Judged<'test'> {
    return this.process.runtime.test(this.#named(request), options);
  }

  lint(request: RequestOf<'lint'>, options: SessionCallOptions): Judged<'lint'> {
    return this.process.runtime.lint(this.#named(request), options);
  }

  compile(request: RequestOf<'compile'>, options: SessionCallOptions): Judged<'compile'> {
    return this.process.runtime.compile(this.#named(request), options);
  }

  stop(request: RequestOf<'stop'>, options: SessionCallOptions): Judged<'stop'> {
    return this.process.runtime.stop(this.#named(request), options);
  }

  destroy(request: RequestOf<'destroy'>, options: SessionCallOptions): Judged<'destroy'> {
    return this.process.runtime.destroy(this.#named(request), options);
  }

  /** What is true of the instance now. */
  state(options: SessionCallOptions): Judged<'information'> {
    return this.process.runtime.information({ instance: this.service.id }, options);
  }

  /** Gives the agent back and ends the news: a process of its own is ended, with its last words; a shared one goes on. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    await this.#poll;
    try {
      await this.#release();
    } finally {
      this.#leaveFeed();
    }
  }

  async #counted<Answer>(phase: PolledPhase, call: Promise<Answer>): Promise<Answer> {
    try {
      return await call;
    } finally {
      this.#ended[phase]++;
    }
  }

  #named<Request extends object>(request: Request): Request & { readonly instance: string } {
    return { ...request, instance: this.service.id };
  }

  #agentEnded(exit: AgentExit): void {
    if (this.process.isClosing || this.#closed.signal.aborted) return;
    this.#lost.abort(
      new SkeinError(
        'SK1320',
        `agent ${this.process.name} ${describeExit(exit)}; it served ${this.service.id}`,
        {
          place: { service: this.service.id },
          lastLines: exit.lastLines,
        },
      ),
    );
  }

  #tellLog(chunk: LogChunk): void | Promise<void> {
    const pending: Promise<void>[] = [];
    for (const listener of this.#logs) {
      const taken = listener(chunk);
      if (taken !== undefined) pending.push(taken);
    }
    return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
  }
}

function listen<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function tell<Piece>(listeners: ReadonlySet<(piece: Piece) => void>, piece: Piece): void {
  for (const listener of listeners) listener(piece);
}
