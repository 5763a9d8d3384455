import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LogFile, type LogPosition } from './log-file.ts';
import { LogQueue, SharedMemory } from './queue.ts';
import type { LogRecord } from './record.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const timeMs = Date.parse('2026-01-02T03:04:05.678Z');
const prefix = '2026-01-02T03:04:05.678Z stdout ';

function record(text: string, more: Partial<LogRecord> = {}): LogRecord {
  return { stream: 'stdout', timeMs, text, lines: text.split('\n').length, partial: false, ...more };
}

function logFile(limitBytes = 0, onFault: (error: Error) => void = () => undefined): LogFile {
  return new LogFile({ path: join(folder, 'api.log'), limitBytes, onFault });
}

const beginning: LogPosition = { offset: 0, line: 0 };

describe('a log file', () => {
  test('U-13 holds a line for each line, with time and stream, without ANSI codes', async () => {
    const file = logFile();
    file.append(record('one\n\u001b[31mtwo\u001b[0m'));
    file.append(record('three', { stream: 'stderr' }));
    await file.close();
    expect(readFileSync(join(folder, 'api.log'), 'utf8')).toBe(
      `${prefix}one\n${prefix}two\n${prefix.replace('stdout', 'stderr')}three\n`,
    );
  });

  test('tells the pieces of a long line from lines when it is read back', async () => {
    const file = logFile();
    file.append(record('before\nbegins', { partial: true }));
    file.append(record(' goes on', { partial: true }));
    file.append(record(' ends'));
    file.append(record('after'));
    const { records } = await file.readFrom(beginning, 1_000);
    expect(records.map(({ text, partial }) => [text, partial])).toEqual([
      ['before\nbegins', true],
      [' goes on', true],
      [' ends\nafter', false],
    ]);
    await file.close();
  });

  test('an escape sequence that is never ended takes no later line along', async () => {
    const file = logFile();
    file.append(record('\u001b]0;title\nafter'));
    await file.close();
    expect(readFileSync(join(folder, 'api.log'), 'utf8')).toContain(`${prefix}after\n`);
  });

  test('is renamed at its limit, and no line is torn', async () => {
    const file = logFile(100);
    for (let at = 0; at < 5; at++) {
      file.append(record(`line ${at}`));
      await file.flush();
    }
    await file.close();
    const previous = readFileSync(join(folder, 'api.log.1'), 'utf8');
    const current = readFileSync(join(folder, 'api.log'), 'utf8');
    expect(previous.split('\n')).toEqual([`${prefix}line 2`, `${prefix}line 3`, ''].slice(0));
    expect(current).toBe(`${prefix}line 4\n`);
  });

  test('can be read back from any position, over rotations; what rotation took away is counted', async () => {
    const file = logFile(100);
    for (let at = 0; at < 5; at++) {
      file.append(record(`line ${at}`));
      await file.flush();
    }
    const first = await file.readFrom(beginning, 1_000);
    expect(first).toMatchObject({ lost: 2, records: [{ text: 'line 2\nline 3' }] });
    const second = await file.readFrom(first.next, 1_000);
    expect(second).toMatchObject({ lost: 0, records: [{ text: 'line 4' }], next: file.end });
    await file.close();
  });

  test('one that cannot be written says so once, and goes on', async () => {
    const faults: Error[] = [];
    const file = new LogFile({
      path: join(folder, 'missing', 'api.log'),
      limitBytes: 0,
      onFault: (error) => faults.push(error),
    });
    for (let at = 0; at < 3; at++) {
      file.append(record(`line ${at}`));
      await file.flush();
    }
    expect(faults).toHaveLength(1);
    expect(await file.readFrom(beginning, 1_000)).toMatchObject({ records: [], lost: 3, next: file.end });
  });
});

describe('A-10 a queue that nobody takes from', () => {
  test('leaves what is too much to the log file, and reads it back in order', async () => {
    const file = logFile();
    const queue = new LogQueue(new SharedMemory(), { ownBytes: 20, sharedBytes: 20 });
    const push = (text: string): void => {
      const from = file.end;
      file.append(record(text));
      queue.push(record(text), file, from);
    };
    for (let at = 0; at < 10; at++) push(`line ${at}`);
    const texts: string[] = [];
    while (!queue.isEmpty) for (const { text } of await queue.take(16)) texts.push(...text.split('\n'));
    push('line 10');
    for (const { text } of await queue.take(16)) texts.push(text);
    expect(texts).toEqual(Array.from({ length: 11 }, (_, at) => `line ${at}`));
    await file.close();
  });

  test('may hold what the others leave of the shared memory, and its own part whatever they hold', async () => {
    const file = logFile();
    const memory = new SharedMemory();
    const limits = { ownBytes: 10, sharedBytes: 40, withoutFileBytes: 10 };
    const [greedy, modest] = [new LogQueue(memory, limits), new LogQueue(memory, limits)];
    const push = (queue: LogQueue): void => queue.push(record('12345678'), file, file.end);
    for (let at = 0; at < 5; at++) push(greedy);
    expect(memory.used).toBe(40);
    push(modest);
    expect(memory.used).toBe(48);
    push(greedy);
    push(modest);
    expect(memory.used).toBe(48);
    expect(await greedy.take(1_000)).toHaveLength(5);
    expect(memory.used).toBe(8);
    await file.close();
  });

  test('drops the oldest where there is no log file, and says how many lines', async () => {
    const queue = new LogQueue(new SharedMemory(), { withoutFileBytes: 20 });
    for (let at = 0; at < 10; at++) queue.push(record(`line ${at}\n`), undefined, undefined);
    const taken = await queue.take(1_000);
    expect(taken[0]?.lost).toBe(16);
    expect(taken.map(({ text }) => text)).toEqual(['line 8\n', 'line 9\n']);
  });
});
