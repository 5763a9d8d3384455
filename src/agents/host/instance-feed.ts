/**
 * The news and the output of all instances of one agent process: one Watch and one Logs stream, handed on to
 * the instance that each piece is about. Streams are pulled, piece by piece: what is not taken yet stays with the agent.
 */
import { setMaxListeners } from 'node:events';
import { SkeinError } from '../../errors/index.ts';
import {
  type InstanceEvent,
  InstanceEventSchema,
  type LogChunk,
  LogChunkSchema,
} from '../../gen/skein/runtime/v1/runtime_pb.js';
import { pause } from '../program/index.ts';
import type { AgentProcess } from './agent-process.ts';
import { unknownNumber } from './enumerations.ts';
import { type PolledPhase, pollInstance } from './instance-poll.ts';

/** Where the news of one instance go. */
export interface InstanceSink {
  event(event: InstanceEvent): void;
  /** The stream waits for what it returns. */
  log(chunk: LogChunk): void | Promise<void>;
  /** A piece that was refused, or a stream that broke off and is opened again. */
  fault(error: SkeinError): void;
}

/** The first and the longest delay before a broken stream is opened again. */
const reopenMs = { first: 50, last: 5_000 };

export class InstanceFeed implements AsyncDisposable {
  readonly #process: AgentProcess;
  readonly #onStray: (instance: string) => void;
  readonly #sinks: Map<string, InstanceSink> = new Map();
  readonly #strays: Set<string> = new Set();
  readonly #ending: AbortController = new AbortController();
  #streams: readonly Promise<void>[] | undefined;

  /** `onStray` is told once of each instance that the agent speaks of and nobody asked for. */
  constructor(process: AgentProcess, onStray: (instance: string) => void) {
    this.#process = process;
    setMaxListeners(0, this.#ending.signal);
    this.#onStray = onStray;
    const { exited, hurried } = process.life;
    void exited.then(() => this.#finish());
    const abort = (): void => this.#ending.abort();
    if (hurried.aborted) abort();
    hurried.addEventListener('abort', abort, { once: true });
  }

  /** Opens the streams with the first instance. @returns what ends the news of this instance. */
  add(instance: string, sink: InstanceSink): () => void {
    this.#sinks.set(instance, sink);
    this.#streams ??= this.#opened();
    return () => {
      if (this.#sinks.get(instance) === sink) this.#sinks.delete(instance);
    };
  }

  /**
   * Asks each second instead where the agent has no Watch. Called after Load; ends with `signal`. `ended` counts the
   * calls of a phase that have ended.
   * Settles when it has ended; never rejects.
   */
  poll(instance: string, signal: AbortSignal, ended: (phase: PolledPhase) => number): Promise<void> {
    if (this.#process.capabilities.has('watch/v1')) return Promise.resolve();
    const any = AbortSignal.any([signal, this.#ending.signal, this.#process.life.released]);
    return pollInstance(this.#process, instance, any, {
      event: (event) => this.#event(event),
      fault: (error) => this.#sinks.get(instance)?.fault(error),
      ended,
    });
  }

  /** Called once the agent was ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exit !== undefined) await this.#finish();
    this.#ending.abort();
    await Promise.all(this.#streams ?? []);
  }

  /** What the agent sent before its end is still read; then the streams are ended from here. */
  async #finish(): Promise<void> {
    await this.#process.life.streamsEnd();
    this.#ending.abort();
  }

  #opened(): readonly Promise<void>[] {
    const streams = this.#open();
    this.#process.life.awaitStreams(streams);
    return streams;
  }

  #open(): readonly Promise<void>[] {
    const { runtime, capabilities } = this.#process;
    const { signal } = this.#ending;
    const streams: Promise<void>[] = [];
    if (capabilities.has('watch/v1'))
      streams.push(
        this.#follow('Watch', async (opened) => {
          for await (const { events } of runtime.watch({}, { signal })) {
            opened();
            for (const event of events) this.#event(event);
          }
        }),
      );
    if (capabilities.has('logs/v1'))
      streams.push(
        this.#follow('Logs', async (opened) => {
          for await (const { chunks } of runtime.logs({}, { signal })) {
            opened();
            for (const chunk of chunks) {
              const taken = this.#log(chunk);
              if (taken !== undefined) await orAborted(taken, signal);
              if (signal.aborted) return;
            }
          }
        }),
      );
    return streams;
  }

  async #follow(name: string, readAll: (opened: () => void) => Promise<void>): Promise<void> {
    const { signal } = this.#ending;
    let delayMs = reopenMs.first;
    while (!signal.aborted) {
      let cause: unknown;
      try {
        await readAll(() => {
          delayMs = reopenMs.first;
        });
        // An agent that was told to end hands over what it has, and may be done before it answers.
        if (this.#process.isClosing) return;
      } catch (error) {
        cause = error;
      }
      if (signal.aborted || this.#process.life.released.aborted || this.#process.exit !== undefined) return;
      const fault = new SkeinError(
        'SK1334',
        `${name} of agent ${this.#process.name} broke off while the agent goes on`,
        {
          cause,
          lastLines: this.#process.lastLines(),
        },
      );
      for (const sink of this.#sinks.values()) sink.fault(fault);
      await pause(delayMs, signal);
      delayMs = Math.min(delayMs * 2, reopenMs.last);
    }
  }

  #event(event: InstanceEvent): void {
    const sink = this.#sinkOf(event.instance);
    if (sink === undefined) return;
    const fault = this.#faultOf(InstanceEventSchema, event);
    if (fault === undefined) sink.event(event);
    else sink.fault(fault);
  }

  #log(chunk: LogChunk): void | Promise<void> {
    const sink = this.#sinkOf(chunk.instance);
    if (sink === undefined) return undefined;
    const fault = this.#faultOf(LogChunkSchema, chunk);
    if (fault === undefined) return sink.log(chunk);
    sink.fault(fault);
    return undefined;
  }

  #sinkOf(instance: string): InstanceSink | undefined {
    const sink = this.#sinks.get(instance);
    if (sink === undefined && !this.#strays.has(instance) && this.#strays.size < 1_000) {
      this.#strays.add(instance);
      this.#onStray(instance);
    }
    return sink;
  }

  #faultOf(
    type: typeof InstanceEventSchema | typeof LogChunkSchema,
    piece: InstanceEvent | LogChunk,
  ): SkeinError | undefined {
    const unknown = unknownNumber(type, piece);
    return (
      unknown &&
      new SkeinError(
        'SK1326',
        `${this.#process.name} sent ${type.name} with ${unknown.field} = ${unknown.number}, which ${unknown.enumeration} does not have`,
        { place: { service: piece.instance }, lastLines: this.#process.lastLines() },
      )
    );
  }
}

/** `promise`, or nothing once `signal` is aborted: a listener that is never done must not hold up the end. */
function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve();
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
