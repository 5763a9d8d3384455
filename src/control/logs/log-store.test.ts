import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LogChunk } from '../../orchestration/index.ts';
import type { ServiceId } from '../../workspace/index.ts';
import { readEndedLogs } from './ended-logs.ts';
import { LogStore, type LogStoreOptions } from './log-store.ts';

const api = 'shop/api' as ServiceId;
const db = 'shop/db' as ServiceId;
const all = { follow: false, sinceMs: 0 };
let folder: string;
let files: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-logs-'));
  files = 0;
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('U-13 the file of a service', () => {
  test('has time, stream and text a line, without ANSI and earlier states of a progress bar', () => {
    const store = newStore();
    store.append(chunk(api, 0, '\u001b[31mred\u001b[0m\n10%\r20%\rdone'));
    store.append(chunk(api, 1, 'wrong', { stream: 'stderr' }));
    store.close();
    expect(readFileSync(join(store.folder, 'api.log'), 'utf8')).toBe(
      [
        '1970-01-01T00:00:00.000Z stdout red',
        '1970-01-01T00:00:00.000Z stdout done',
        '1970-01-01T00:00:00.001Z stderr wrong',
        '',
      ].join('\n'),
    );
  });

  test('an unterminated sequence does not swallow the next line', () => {
    const store = newStore();
    store.append(chunk(api, 0, '\u001b]never ends\nnext'));
    store.close();
    expect(lines(store)).toEqual(['', 'next']);
  });

  test('a line in pieces is one line, whatever the other stream prints in between', () => {
    const store = newStore();
    store.append(chunk(api, 0, 'first\nsec', { partial: true }));
    store.append(chunk(api, 1, 'wrong', { stream: 'stderr' }));
    store.append(chunk(api, 2, 'ond'));
    store.append(chunk(api, 3, 'never ended', { partial: true }));
    store.close(9);
    expect(lines(store)).toEqual(['first', 'wrong', 'second', 'never ended']);
  });

  test('is rotated by size, and read with its rotated part', async () => {
    const store = newStore({ rotateBytes: 1000 });
    for (let at = 0; at < 100; at++) {
      store.append(chunk(api, at, `line ${at}`));
      store.flushForTest();
    }
    store.close();
    const kept = (await textOf(readEndedLogs(store.folder, new Map([[api, 'api.log']]), { sinceMs: 0 }))).map(
      ({ text }) => Number(text.slice(5)),
    );
    expect(readFileSync(join(store.folder, 'api.log')).length).toBeLessThanOrEqual(1000);
    expect(readFileSync(join(store.folder, 'api.log.1')).length).toBeLessThanOrEqual(1000);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 100 - kept.length + index));
    expect(kept.length).toBeGreaterThan(25);
  });

  test('is left to an agent that writes it itself', () => {
    const store = newStore({ writesOwnLog: () => true });
    store.append(chunk(api, 0, 'said'));
    store.close();
    expect(() => readFileSync(join(store.folder, 'api.log'))).toThrow('ENOENT');
  });

  test('that cannot be written is said once, and the output goes on in memory', async () => {
    const faults: string[] = [];
    const store = newStore({
      fileName: () => 'no/such/folder',
      onWriteError: (service) => faults.push(service),
    });
    store.append(chunk(api, 0, 'one'));
    store.flushForTest();
    store.append(chunk(api, 1, 'two'));
    store.flushForTest();
    expect(faults).toEqual([api]);
    expect((await textOf(store.read(all))).map(({ text }) => text)).toEqual(['one', 'two']);
    store.close();
  });
});

describe('U-14 reading', () => {
  const outputs = fc.array(
    fc.record({
      service: fc.constantFrom(api, db),
      stream: fc.constantFrom('stdout' as const, 'stderr' as const),
      wait: fc.nat(2),
      count: fc.integer({ min: 1, max: 4 }),
      piece: fc.boolean(),
    }),
    { maxLength: 120 },
  );

  test('always gives every line once and in order, however little memory holds and however slow the reader is', async () => {
    await fc.assert(
      fc.asyncProperty(
        outputs,
        fc.integer({ min: 100, max: 2000 }),
        fc.nat(100),
        async (output, memoryBytes, percent) => {
          const store = newStore({ memoryBytes });
          const chunks = chunksOf(output);
          const before = Math.floor((chunks.length * percent) / 100);
          for (const each of chunks.slice(0, before)) store.append(each);
          const reader = store.read({ ...all, follow: true });
          const seen: LogChunk[] = [];
          // The reader is asked once, then never until all is printed: what it missed has left the memory.
          const first = reader.next();
          for (const each of chunks.slice(before)) store.append(each);
          store.close(10_000);
          for (let batch = await first; !batch.done; batch = await reader.next()) seen.push(...batch.value);
          for (const service of [api, db]) expect(linesOf(seen, service)).toEqual(linesOf(chunks, service));
        },
      ),
      { numRuns: 100 },
    );
  });

  test.each([0, 1, 3, 7, 1000])('tail %i gives the newest lines', async (tail) => {
    const store = newStore({ memoryBytes: 400 });
    const chunks = chunksOf(
      Array.from({ length: 12 }, () => ({
        service: api,
        stream: 'stdout' as const,
        wait: 1,
        count: 2,
        piece: false,
      })),
    );
    for (const each of chunks) store.append(each);
    const seen = (await textOf(store.read({ ...all, tail }))).flatMap(({ text }) => text.split('\n'));
    expect(seen).toEqual(tail === 0 ? [] : linesOf(chunks, api).slice(-tail));
    store.close();
  });

  test('since leaves out what is older, also in the files', async () => {
    const store = newStore({ memoryBytes: 300 });
    for (let at = 0; at < 20; at++) store.append(chunk(api, at, String(at)));
    const seen = (await textOf(store.read({ ...all, sinceMs: 5 }))).map(({ text }) => Number(text));
    expect(seen).toEqual(Array.from({ length: 15 }, (_, index) => index + 5));
    store.close();
  });

  test('an abort ends a reader that waits', async () => {
    const store = newStore();
    const gone = new AbortController();
    const next = store.read({ ...all, follow: true }, gone.signal).next();
    gone.abort(new Error('gone'));
    await expect(next).rejects.toThrow('gone');
    store.close();
  });

  test('the last lines of a service are at hand for a failure', () => {
    const store = newStore();
    store.append(chunk(api, 0, 'a\nb\nc'));
    store.append(chunk(db, 0, 'x'));
    store.append(chunk(api, 1, 'd'));
    expect(store.lastLines(api, 2)).toEqual(['c', 'd']);
    expect(store.lastLines(api, 9)).toEqual(['a', 'b', 'c', 'd']);
    expect(store.lastLines('shop/none' as ServiceId, 9)).toEqual([]);
    store.close();
  });
});

type TestStore = LogStore & { readonly folder: string; flushForTest(): void };

function newStore(options: Partial<LogStoreOptions> = {}): TestStore {
  const own = join(folder, String(files++));
  mkdirSync(own);
  const store = new LogStore({
    rotateBytes: 1 << 20,
    folder: own,
    services: () => [api, db],
    fileName: (service) => `${service.split('/')[1]}.log`,
    writesOwnLog: () => false,
    onWriteError: (_, error) => {
      throw error;
    },
    ...options,
  });
  return Object.assign(store, { folder: own, flushForTest: () => store.flush() });
}

function chunk(service: ServiceId, timeMs: number, text: string, more: Partial<LogChunk> = {}): LogChunk {
  return { service, stream: 'stdout', timeMs, text, partial: false, lost: 0, ...more };
}

interface Output {
  readonly service: ServiceId;
  readonly stream: 'stdout' | 'stderr';
  readonly wait: number;
  readonly count: number;
  readonly piece: boolean;
}

/** Numbered lines; `piece` breaks a line in the middle, and its rest comes at once in the next chunk. */
function chunksOf(outputs: readonly Output[]): LogChunk[] {
  let timeMs = 1;
  let number = 0;
  return outputs.flatMap(({ service, stream, wait, count, piece }) => {
    timeMs += wait;
    const text = Array.from({ length: count }, () => `line ${number++}`).join('\n');
    if (!piece) return [chunk(service, timeMs, text, { stream })];
    const parts = [chunk(service, timeMs, text.slice(0, -2), { stream, partial: true })];
    timeMs += 1;
    return [...parts, chunk(service, timeMs, text.slice(-2), { stream })];
  });
}

function linesOf(chunks: readonly LogChunk[], service: ServiceId): string[] {
  const text = chunks
    .filter((each) => each.service === service)
    .map((each) => each.text + (each.partial ? '' : '\n'))
    .join('');
  return text.split('\n').slice(0, -1);
}

async function textOf(batches: AsyncIterable<readonly LogChunk[]>): Promise<LogChunk[]> {
  const chunks: LogChunk[] = [];
  for await (const batch of batches) chunks.push(...batch);
  return chunks;
}

function lines(store: TestStore): string[] {
  const text = readFileSync(join(store.folder, 'api.log'), 'utf8').trimEnd();
  return text.split('\n').map((line) => line.split(' ').slice(2).join(' '));
}
