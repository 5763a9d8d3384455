/** The Logs streams of an agent: each instance's output goes to the latest stream that asked for it, once and in order. */
import { create } from '@bufbuild/protobuf';
import {
  LogChunk_Stream,
  type LogsResponse,
  LogsResponseSchema,
} from '../../../gen/skein/runtime/v1/runtime_pb.js';
import { InstanceOutput } from './output.ts';
import { type QueuedRecord, SharedMemory } from './queue.ts';

/** Text in one message, about; small enough that streams of many instances take turns. */
const batchBytes = 256 * 1024;

export class LogStreams {
  readonly #outputs = new Map<string, InstanceOutput>();
  readonly #memory = new SharedMemory();
  /** The latest last. */
  readonly #readers: LogReader[] = [];
  #draining = false;

  /** The output of an instance, which outlives the instance until the host has taken it. */
  outputOf(instance: string): InstanceOutput {
    const known = this.#outputs.get(instance);
    if (known !== undefined) return known;
    const output = new InstanceOutput(instance, this.#memory, (woken) => this.#readerOf(woken)?.wake());
    this.#outputs.set(instance, output);
    return output;
  }

  /** Messages for one Logs call, until `signal` is aborted, or until `drain` and nothing is left. */
  async *read(instances: ReadonlySet<string>, signal: AbortSignal): AsyncGenerator<LogsResponse> {
    const reader = new LogReader(instances);
    this.#readers.push(reader);
    const leave = (): void => reader.wake();
    signal.addEventListener('abort', leave, { once: true });
    try {
      while (!signal.aborted) {
        // Before looking, so that what arrives while we look is not slept through.
        const woken = reader.woken();
        let taken = false;
        for (const output of this.#outputs.values()) {
          if (signal.aborted || output.queue.isEmpty || this.#readerOf(output) !== reader) continue;
          const records = await output.queue.take(batchBytes);
          if (records.length === 0) continue;
          taken = true;
          yield message(output.instance, records);
        }
        if (taken) continue;
        if (this.#draining) return;
        await woken;
      }
    } finally {
      signal.removeEventListener('abort', leave);
      this.#readers.splice(this.#readers.indexOf(reader), 1);
      // What it would have got goes to whoever asked before.
      for (const other of this.#readers) other.wake();
    }
  }

  /** Ends every stream as soon as it has handed over what there is. */
  drain(): void {
    this.#draining = true;
    for (const reader of this.#readers) reader.wake();
  }

  /** Writes every log file to its end. */
  async flush(): Promise<void> {
    await Promise.all([...this.#outputs.values()].map((output) => output.flush()));
  }

  #readerOf(output: InstanceOutput): LogReader | undefined {
    return this.#readers.findLast((reader) => reader.wants(output.instance));
  }
}

class LogReader {
  readonly #instances: ReadonlySet<string>;
  #wakeUp: () => void = () => undefined;

  constructor(instances: ReadonlySet<string>) {
    this.#instances = instances;
  }

  wants(instance: string): boolean {
    return this.#instances.size === 0 || this.#instances.has(instance);
  }

  woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeUp = resolve;
    });
  }

  wake(): void {
    this.#wakeUp();
  }
}

function message(instance: string, records: readonly QueuedRecord[]): LogsResponse {
  return create(LogsResponseSchema, {
    chunks: records.map(({ stream, timeMs, text, partial, lost }) => ({
      instance,
      stream: stream === 'stdout' ? LogChunk_Stream.STDOUT : LogChunk_Stream.STDERR,
      timeUnixMs: BigInt(timeMs),
      text,
      partial,
      lost: BigInt(lost),
    })),
  });
}
