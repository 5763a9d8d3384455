/** A typed client of a service of the contract over a grpc-js channel: promises for answers, iterables for streams. */
import {
  create,
  type DescMessage,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import { type Client, type CallOptions as GrpcCallOptions, Metadata, type ServiceError } from '@grpc/grpc-js';
import { TOKEN_METADATA_KEY } from '../program/index.ts';
import { methodDefinition } from './definition.ts';

export interface CallOptions {
  /** Ends the call, and with it the other side's work. */
  readonly signal?: AbortSignal;
  /** Milliseconds until the call fails with DEADLINE_EXCEEDED; absent: none. */
  readonly timeoutMs?: number;
}

/** The methods of a service as functions. @see callableClient */
export type CallableClient<Service extends DescService> = {
  [Name in keyof Service['method']]: Service['method'][Name] extends DescMethodUnary<
    infer Input,
    infer Output
  >
    ? (request: MessageInitShape<Input>, options?: CallOptions) => Promise<MessageShape<Output>>
    : Service['method'][Name] extends DescMethodServerStreaming<infer Input, infer Output>
      ? (request: MessageInitShape<Input>, options?: CallOptions) => AsyncIterable<MessageShape<Output>>
      : never;
};

/**
 * Makes the methods of `service` callable on `channel`. Failed calls reject with grpc-js's own `ServiceError` (whose
 * `code` is a gRPC status); a call whose signal is aborted rejects with the signal's reason.
 */
export function callableClient<Service extends DescService>(
  service: Service,
  channel: Client,
  token: string,
): CallableClient<Service> {
  const metadata = new Metadata();
  metadata.set(TOKEN_METADATA_KEY, token);
  const methods = service.methods.map((method) => {
    const definition = methodDefinition(method);
    const call = definition.responseStream
      ? (request: MessageInitShape<DescMessage>, options: CallOptions = {}) =>
          serverStream(channel, definition, metadata, create(method.input, request), options)
      : (request: MessageInitShape<DescMessage>, options: CallOptions = {}) =>
          unary(channel, definition, metadata, create(method.input, request), options);
    return [method.localName, call];
  });
  return Object.fromEntries(methods) as CallableClient<Service>;
}

type Definition = ReturnType<typeof methodDefinition>;
type AnyMessage = MessageShape<DescMessage>;

function grpcOptions(options: CallOptions): GrpcCallOptions {
  return options.timeoutMs === undefined ? {} : { deadline: Date.now() + options.timeoutMs };
}

function unary(
  channel: Client,
  definition: Definition,
  metadata: Metadata,
  request: AnyMessage,
  options: CallOptions,
): Promise<AnyMessage> {
  return new Promise((resolve, reject) => {
    const { signal } = options;
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const call = channel.makeUnaryRequest(
      definition.path,
      definition.requestSerialize,
      definition.responseDeserialize,
      request,
      metadata,
      grpcOptions(options),
      (error: ServiceError | null, response?: AnyMessage) => {
        signal?.removeEventListener('abort', cancel);
        if (signal?.aborted) reject(signal.reason as Error);
        else if (error) reject(error);
        else resolve(response as AnyMessage);
      },
    );
    const cancel = (): void => call.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
  });
}

async function* serverStream(
  channel: Client,
  definition: Definition,
  metadata: Metadata,
  request: AnyMessage,
  options: CallOptions,
): AsyncGenerator<AnyMessage> {
  const { signal } = options;
  signal?.throwIfAborted();
  const call = channel.makeServerStreamRequest(
    definition.path,
    definition.requestSerialize,
    definition.responseDeserialize,
    request,
    metadata,
    grpcOptions(options),
  );
  const cancel = (): void => call.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    for await (const message of call) yield message as AnyMessage;
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
    // Leaving the loop early would otherwise keep the call, and with it the server's shutdown, waiting.
    call.cancel();
  }
}
