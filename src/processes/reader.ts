/**
 * Notices that the reader of a pipe has gone away while nothing is written to it, as in `… | head -1`: Node alone learns
 * it at the next write, which may be hours away.
 */
import { fstatSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** How often is looked, milliseconds: at once for a person, and a look costs some 20 µs. */
const lookMs = 100;

/**
 * Resolves with true when nobody is left who reads the pipe or socket behind the descriptor; with false when `signal` is
 * aborted before, or where it cannot be told (a file, a terminal, no koffi).
 */
export async function untilUnread(descriptor: number, signal: AbortSignal): Promise<boolean> {
  const isUnread = isPipe(descriptor) ? await poller(descriptor) : undefined;
  while (isUnread !== undefined && !signal.aborted) {
    if (isUnread()) return true;
    // Aborted, it rejects, which is what the loop looks at.
    await pause(lookMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
  return false;
}

function isPipe(descriptor: number): boolean {
  const stats = fstatSync(descriptor);
  return stats.isFIFO() || stats.isSocket();
}

/** Asked for, because macOS looks at nothing unless something is; it says that the other end is there. */
const pollOut = 0x04;
/** POLLERR, POLLHUP, POLLNVAL: all that `poll` tells unasked, alike on Linux and macOS. */
const broken = 0x08 | 0x10 | 0x20;

async function poller(descriptor: number): Promise<(() => boolean) | undefined> {
  const libc = await import('koffi').then(
    ({ default: koffi }) => koffi.load(null),
    // Without koffi it is noticed at the next write.
    () => undefined,
  );
  if (libc === undefined) return undefined;
  const poll = libc.func('int poll(_Inout_ uint8_t *descriptors, unsigned long count, int timeoutMs)');
  // struct pollfd: an int, then two shorts.
  const entry = Buffer.alloc(8);
  return () => {
    entry.writeInt32LE(descriptor, 0);
    entry.writeInt16LE(pollOut, 4);
    entry.writeInt16LE(0, 6);
    return Number(poll(entry, 1, 0)) > 0 && (entry.readInt16LE(6) & broken) !== 0;
  };
}
