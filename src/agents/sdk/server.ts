/**
 * The agent's gRPC server: methods as plain functions with an AbortSignal that the caller's cancellation aborts, the
 * launch token on every call but health, and streams that go no faster than their reader.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { chmodSync } from 'node:fs';
import type {
  DescMessage,
  DescMethod,
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  Message,
  MessageShape,
} from '@bufbuild/protobuf';
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { SkeinError } from '../../errors/index.ts';
import { CHANNEL_OPTIONS, TOKEN_METADATA_KEY } from '../program/index.ts';
import { serviceDefinition } from '../wire/index.ts';
import { agentLog } from './agent-log.ts';

/** A fault of the call itself, answered by a gRPC status; failures of services are answers, never this. */
export class CallFault extends Error {
  override readonly name = 'CallFault';
  readonly kind: 'not-found' | 'unimplemented';

  constructor(kind: CallFault['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The methods of a service: unary ones answer a promise, streaming ones an iterable. */
export type ServiceMethods<Service extends DescService> = {
  [Name in keyof Service['method']]: Service['method'][Name] extends DescMethodUnary<
    infer Input,
    infer Output
  >
    ? (request: MessageShape<Input>, signal: AbortSignal) => Promise<MessageShape<Output>>
    : Service['method'][Name] extends DescMethodServerStreaming<infer Input, infer Output>
      ? (request: MessageShape<Input>, signal: AbortSignal) => AsyncIterable<MessageShape<Output>>
      : never;
};

type AnyMethod = (
  request: Message,
  signal: AbortSignal,
) => Promise<Message> | AsyncIterable<MessageShape<DescMessage>>;

export class AgentServer {
  readonly #server = new Server({ ...CHANNEL_OPTIONS });
  readonly #token: Buffer;
  /** Open streams of guarded services, each with whether it went on to its own end. */
  readonly #streams = new Set<Promise<boolean>>();

  constructor(token: string) {
    this.#token = digest(token);
  }

  /** `open` services need no token. */
  serve<Service extends DescService>(
    service: Service,
    methods: ServiceMethods<Service>,
    access: 'guarded' | 'open' = 'guarded',
  ): void {
    const implementations = service.methods.map((method) => {
      const run = (methods as unknown as Record<string, AnyMethod>)[method.localName];
      if (run === undefined) throw new TypeError(`${service.typeName} has no ${method.localName}`);
      return [method.localName, this.#handler(method, run, access)];
    });
    this.#server.addService(serviceDefinition(service), Object.fromEntries(implementations));
  }

  /**
   * Listens on a Unix socket that this user alone may enter.
   * @throws {SkeinError} SK1703
   */
  async listen(socket: string): Promise<void> {
    // From its first moment on: a mode set afterwards would come too late.
    const mask = process.umask(0o177);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) =>
          error ? reject(error) : resolve(),
        );
      });
      chmodSync(socket, 0o600);
    } catch (error) {
      throw new SkeinError('SK1703', `the agent cannot listen on ${socket}`, { cause: error });
    } finally {
      process.umask(mask);
    }
  }

  /** Settles when every stream that is open now has ended; `true` where one was read to its end. */
  async streamsEnd(): Promise<boolean> {
    return (await Promise.all(this.#streams)).includes(true);
  }

  /** Ends when open calls have, or when `graceMs` have passed. */
  async close(graceMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#server.tryShutdown(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.#server.forceShutdown();
  }

  #handler(
    method: DescMethod,
    run: AnyMethod,
    access: 'guarded' | 'open',
  ):
    | ((call: ServerUnaryCall<Message, Message>, callback: sendUnaryData<Message>) => void)
    | ((call: ServerWritableStream<Message, Message>) => void) {
    const admits = (metadata: Metadata): boolean => access === 'open' || this.#isTokenIn(metadata);
    if (method.methodKind === 'server_streaming')
      return (call: ServerWritableStream<Message, Message>) => {
        if (!admits(call.metadata)) {
          refuse(call, unauthenticated);
          return;
        }
        const end = stream(call, run as (...parameters: Parameters<AnyMethod>) => AsyncIterable<Message>);
        if (access === 'open') return;
        this.#streams.add(end);
        void end.then(() => this.#streams.delete(end));
      };
    return (call: ServerUnaryCall<Message, Message>, callback: sendUnaryData<Message>) => {
      if (!admits(call.metadata)) {
        callback(unauthenticated);
        return;
      }
      (run(call.request, cancellation(call)) as Promise<Message>).then(
        (response) => callback(null, response),
        (error: unknown) => callback(statusOf(error)),
      );
    };
  }

  #isTokenIn(metadata: Metadata): boolean {
    const given = metadata.get(TOKEN_METADATA_KEY);
    // Digests are of one length, which the comparison needs, and tell nothing about where two tokens differ.
    return given.length === 1 && timingSafeEqual(digest(String(given[0])), this.#token);
  }
}

const unauthenticated = {
  code: status.UNAUTHENTICATED,
  details: `the launch token is missing from the call's metadata (${TOKEN_METADATA_KEY}), or is another's`,
};

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function cancellation(call: {
  readonly cancelled: boolean;
  on(name: 'cancelled', listener: () => void): unknown;
}): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new Error('the call was cancelled'));
  if (call.cancelled) abort();
  call.on('cancelled', abort);
  return controller.signal;
}

/**
 * One message at a time: the next is taken when the channel has accepted the one before. Never rejects.
 * @returns whether everything was handed over
 */
async function stream(
  call: ServerWritableStream<Message, Message>,
  run: (request: Message, signal: AbortSignal) => AsyncIterable<Message>,
): Promise<boolean> {
  const signal = cancellation(call);
  try {
    for await (const message of run(call.request, signal)) {
      if (signal.aborted) break;
      await written(call, message, signal);
    }
    call.end();
    return !signal.aborted;
  } catch (error) {
    if (!signal.aborted) refuse(call, statusOf(error));
    return false;
  }
}

/** grpc-js answers a stream's status by this event; destroying the call would send none. */
function refuse(
  call: ServerWritableStream<Message, Message>,
  fault: { code: status; details: string },
): void {
  call.emit('error', Object.assign(new Error(fault.details), fault));
}

/** Resolves when the message was accepted, or the call has ended without it. */
function written(
  call: ServerWritableStream<Message, Message>,
  message: Message,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done, { once: true });
    call.write(message, done);
  });
}

function statusOf(error: unknown): { code: status; details: string } {
  if (error instanceof CallFault)
    return {
      code: error.kind === 'not-found' ? status.NOT_FOUND : status.UNIMPLEMENTED,
      details: error.message,
    };
  agentLog('error', 'a call failed unforeseen', error);
  return { code: status.INTERNAL, details: error instanceof Error ? error.message : String(error) };
}
