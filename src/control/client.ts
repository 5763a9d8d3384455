/** Clients of a run's API, over its socket. */
import { type Client, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { SkeinError } from '../errors/index.ts';
import { ControlService } from '../gen/skein/control/v1/control_pb.js';
import { isSupervisorAlive } from './claim.ts';
import { fromConnectError } from './remote-errors.ts';
import type { RunRecord } from './run-record.ts';
import { readRunRecord } from './run-record.ts';

/**
 * The methods of ControlService; they reject with the SkeinError that the run threw, or SK1505. A stream is refused as
 * soon as a prompt method; once it is open it may wait.
 */
export type ControlClient = Client<typeof ControlService>;

export interface RunConnection {
  readonly record: RunRecord;
  readonly client: ControlClient;
}

/** Methods that only tell what is so: a supervisor that lives answers them at once, however busy the run is. */
const prompt: ReadonlySet<string> = new Set(['GetSnapshot', 'Why', 'GetConfiguration', 'GetTimeline']);
/** After this the supervisor is taken to be suspended or stuck, milliseconds. */
const promptTimeoutMs = 5_000;

/** How long a run may take from its claim until it serves, milliseconds. */
const servingTimeoutMs = 10_000;
/** How often its record is looked at meanwhile. */
const lookMs = 25;

/**
 * A client of a live run, once it serves; `undefined` when it ends before.
 * @throws {SkeinError} SK1505 when it does not come to serve its API; SK1506.
 */
export async function connectTo(
  root: string,
  live: RunRecord,
  signal?: AbortSignal,
): Promise<RunConnection | undefined> {
  let record: RunRecord | undefined = live;
  for (let waitedMs = 0; record?.state === 'claimed'; waitedMs += lookMs) {
    if (waitedMs >= servingTimeoutMs)
      throw new SkeinError(
        'SK1505',
        `run ${record.run} (process ${record.supervisor.pid}) has not begun to serve`,
      );
    await delay(lookMs, signal);
    record = (await isSupervisorAlive(record)) ? readRunRecord(root, record.run) : undefined;
  }
  if (record === undefined || record.state === 'ended') return undefined;
  return { record, client: socketClient(record.socket) };
}

/** HTTP/1.1, which starts cheapest. */
export function socketClient(socket: string): ControlClient {
  return clientOf(
    createConnectTransport({
      baseUrl: 'http://skein',
      httpVersion: '1.1',
      nodeOptions: { socketPath: socket },
      acceptCompression: [],
    }),
  );
}

function clientOf(transport: Transport): ControlClient {
  const { unary, stream } = transport;
  return createClient(ControlService, {
    unary: async (method, signal, timeoutMs, ...rest) => {
      const limitMs = timeoutMs ?? (prompt.has(method.name) ? promptTimeoutMs : undefined);
      try {
        return await unary.call(transport, method, signal, limitMs, ...rest);
      } catch (error) {
        throw fromConnectError(error);
      }
    },
    stream: async (method, signal, ...rest) => {
      try {
        // The answer begins with the first message, which may be long in coming: whether anybody is there is asked before.
        const { getSnapshot } = ControlService.method;
        await unary.call(transport, getSnapshot, signal, promptTimeoutMs, undefined, {});
        const answer = await stream.call(transport, method, signal, ...rest);
        return { ...answer, message: translated(answer.message) };
      } catch (error) {
        throw fromConnectError(error);
      }
    },
  } as Transport);
}

async function* translated<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    throw fromConnectError(error);
  }
}

function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
}
