/** Reads the log files of services back as chunks, oldest first, also while they are written and rotated. */
import { type FileHandle, open } from 'node:fs/promises';
import type { LogChunk, OutputStream } from '../../orchestration/index.ts';
import type { ServiceId } from '../../workspace/index.ts';

/** What is wanted of one service's file. */
export interface FileRange {
  readonly service: ServiceId;
  /** Absolute; its rotated part is `<path>.1`. */
  readonly path: string;
  /** Lines after this time, milliseconds; and of those at this very time all but the first `skip`. */
  readonly afterMs: number;
  readonly skip: number;
  /** Lines up to this time, milliseconds, inclusive. */
  readonly throughMs: number;
}

const readSize = 64 * 1024;
const linePattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (stdout|stderr)(\+?) ?(.*)$/s;

/**
 * The lines of several files, merged by time. A file that is not there has no lines.
 * @throws the system's error when a file cannot be read, the signal's reason when it is aborted.
 */
export async function* readLogFiles(
  ranges: readonly FileRange[],
  signal?: AbortSignal,
): AsyncGenerator<LogChunk> {
  const sources = ranges.map((range) => readRange(range, signal));
  try {
    const heads = await Promise.all(sources.map((source) => source.next()));
    for (;;) {
      let next = -1;
      let nextTime = Number.POSITIVE_INFINITY;
      for (const [index, head] of heads.entries())
        if (!head.done && head.value.timeMs < nextTime) {
          next = index;
          nextTime = head.value.timeMs;
        }
      const source = sources[next];
      const head = heads[next];
      if (source === undefined || head === undefined || head.done) return;
      yield head.value;
      heads[next] = await source.next();
    }
  } finally {
    await Promise.all(sources.map((source) => source.return(undefined)));
  }
}

async function* readRange(range: FileRange, signal?: AbortSignal): AsyncGenerator<LogChunk> {
  let skip = range.skip;
  // Pieces of lines that go on (`stdout+`): a line is one line again, at the time of its end.
  const begun: Record<OutputStream, string> = { stdout: '', stderr: '' };
  let gathered: { timeMs: number; stream: OutputStream; lines: string[]; size: number } | undefined;
  const chunk = (): LogChunk[] =>
    gathered === undefined
      ? []
      : [
          {
            service: range.service,
            stream: gathered.stream,
            timeMs: gathered.timeMs,
            text: gathered.lines.join('\n'),
            partial: false,
            lost: 0,
          },
        ];
  for await (const line of readLines(range.path, signal)) {
    const match = linePattern.exec(line);
    if (match === null) continue;
    const stream = match[2] === 'stderr' ? 'stderr' : 'stdout';
    const text = begun[stream] + (match[4] ?? '');
    begun[stream] = match[3] === '' ? '' : text;
    if (match[3] !== '') continue;
    const timeMs = Date.parse(match[1] ?? '');
    if (timeMs < range.afterMs || timeMs > range.throughMs) continue;
    if (timeMs === range.afterMs && skip > 0) {
      skip -= 1;
      continue;
    }
    if (gathered?.timeMs === timeMs && gathered.stream === stream && gathered.size < readSize) {
      gathered.lines.push(text);
      gathered.size += text.length;
      continue;
    }
    yield* chunk();
    gathered = { timeMs, stream, lines: [text], size: text.length };
  }
  yield* chunk();
}

/** The present file is opened first: a rotation in between then shows one file twice, never a gap. */
async function* readLines(path: string, signal?: AbortSignal): AsyncGenerator<string> {
  const present = await openIfThere(path);
  let rotated: FileHandle | undefined;
  try {
    rotated = await openIfThere(`${path}.1`);
    if (rotated && !(present && (await isSameFile(present, rotated)))) yield* linesOf(rotated, signal);
    if (present) yield* linesOf(present, signal);
  } finally {
    await Promise.all([present?.close(), rotated?.close()]);
  }
}

async function isSameFile(one: FileHandle, other: FileHandle): Promise<boolean> {
  const [first, second] = await Promise.all([one.stat(), other.stat()]);
  return first.ino === second.ino && first.dev === second.dev;
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whole lines; what follows the last line break is still being written. */
async function* linesOf(file: FileHandle, signal?: AbortSignal): AsyncGenerator<string> {
  const buffer = Buffer.alloc(readSize);
  // Pieces of the line that is not complete yet, joined once: a line of megabytes must not be copied for every piece.
  let pieces: Buffer[] = [];
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, readSize, null);
    if (bytesRead === 0) return;
    const bytes = Buffer.from(buffer.subarray(0, bytesRead));
    const end = bytes.lastIndexOf(0x0a);
    if (end === -1) {
      pieces.push(bytes);
      continue;
    }
    pieces.push(bytes.subarray(0, end));
    yield* Buffer.concat(pieces).toString().split('\n');
    pieces = [bytes.subarray(end + 1)];
  }
}
