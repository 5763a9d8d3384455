import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { untilUnread } from './reader.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-reader-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Both ends of a pipe. */
function pipe(name: string): { readonly reader: number; readonly writer: number } {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: openSync(path, constants.O_WRONLY) };
}

describe('who writes to a pipe', () => {
  test('learns that its reader has gone, without a write', async () => {
    const { reader, writer } = pipe('one');
    const unread = untilUnread(writer, new AbortController().signal);
    closeSync(reader);
    expect(await unread).toBe(true);
    closeSync(writer);
  });

  test('learns nothing while there is one, until it is told to give up', async () => {
    const { reader, writer } = pipe('one');
    const other = pipe('other');
    closeSync(other.reader);
    const giveUp = new AbortController();
    const unread = untilUnread(writer, giveUp.signal);
    writeSync(writer, 'unread as yet');
    // Who began later has looked and has its answer.
    expect(await untilUnread(other.writer, giveUp.signal)).toBe(true);
    expect(await Promise.race([unread, Promise.resolve('nothing')])).toBe('nothing');
    expect(readSync(reader, Buffer.alloc(6))).toBe(6);
    giveUp.abort();
    expect(await unread).toBe(false);
    for (const descriptor of [reader, writer, other.writer]) closeSync(descriptor);
  });
});

test('a file has no reader that could go', async () => {
  const descriptor = openSync(join(folder, 'file'), 'w');
  expect(await untilUnread(descriptor, new AbortController().signal)).toBe(false);
  closeSync(descriptor);
});
