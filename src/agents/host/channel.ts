/** The channel to an agent: one for each process, without a proxy, always closed by its owner; and its health. */
import { Client, credentials, status as GrpcStatus } from '@grpc/grpc-js';
import { SkeinError } from '../../errors/index.ts';
import {
  Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '../../gen/grpc/health/v1/health_pb.js';
import { CHANNEL_OPTIONS, pause } from '../program/index.ts';
import { callableClient } from '../wire/index.ts';

/** How long a server that does not serve yet is left alone before it is asked again. */
const healthIntervalMs = 20;

/** What may be under way in a stream: with HTTP/2's 64 KiB a busy service's output waits for the answer to each message. */
const windowBytes = 1024 * 1024;

/** `target` is `unix:<path>` or `dns:///127.0.0.1:<port>`. */
export function openChannel(target: string): Client {
  // A proxy of the caller's environment has no business between two processes of one machine.
  return new Client(target, credentials.createInsecure(), {
    ...CHANNEL_OPTIONS,
    'grpc.enable_http_proxy': 0,
    'grpc-node.flow_control_window': windowBytes,
  });
}

export interface HealthWait {
  readonly name: string;
  readonly token: string;
  /** By `performance.now()`. */
  readonly deadline: number;
  /** Aborted when the wait is given up or the agent has ended; its reason is thrown. */
  readonly signal: AbortSignal;
  readonly lastLines: () => readonly string[];
}

/** Returns when the agent's health service says SERVING. @throws {SkeinError} SK1315 */
export async function awaitServing(channel: Client, wait: HealthWait): Promise<void> {
  const health = callableClient(Health, channel, wait.token);
  let last = 'it did not answer';
  for (;;) {
    wait.signal.throwIfAborted();
    const leftMs = wait.deadline - performance.now();
    if (leftMs <= 0) throw neverServing(wait, last);
    try {
      const { status } = await health.check({}, { signal: wait.signal, timeoutMs: leftMs });
      if (status === ServingStatus.SERVING) return;
      last = `its health is ${ServingStatus[status] ?? status}`;
    } catch (error) {
      wait.signal.throwIfAborted();
      const code = grpcCode(error);
      if (code === undefined) throw error;
      if (code === GrpcStatus.UNIMPLEMENTED) throw neverServing(wait, 'it has no grpc.health.v1.Health');
      // A server that is not up yet refuses; the deadline ends it.
      if (code !== GrpcStatus.DEADLINE_EXCEEDED) last = (error as Error).message;
    }
    await pause(healthIntervalMs, wait.signal);
  }
}

function neverServing({ name, lastLines }: HealthWait, last: string): SkeinError {
  return new SkeinError('SK1315', `agent ${name} shook hands but is not serving: ${last}`, {
    lastLines: lastLines(),
  });
}

function grpcCode(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}
