import { describe, expect, test } from 'vitest';
import { PhaseQueue } from './phases.ts';

const never = new AbortController().signal;

/** Work that ends when its signal is aborted. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

describe('the phases of one instance', () => {
  test('run one after another', async () => {
    const queue = new PhaseQueue();
    const log: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      log.push(`${name} begins`);
      await Promise.resolve();
      log.push(`${name} ends`);
    };
    await Promise.all([
      queue.run({ name: 'load', signal: never }, work('load')),
      queue.run({ name: 'init', signal: never }, work('init')),
    ]);
    expect(log).toEqual(['load begins', 'load ends', 'init begins', 'init ends']);
    expect(queue.isBusy).toBe(false);
  });

  test('an interrupt ends what runs and what waits, and nothing later', async () => {
    const queue = new PhaseQueue();
    const running = queue.run({ name: 'init', signal: never }, untilAborted);
    const waiting = queue.run({ name: 'start', signal: never }, async () => 'started');
    queue.interrupt('stop');
    const later = queue.run({ name: 'load', signal: never }, async () => 'loaded');
    await expect(running).rejects.toMatchObject({
      code: 'INTERRUPTED',
      message: 'init was interrupted by stop',
    });
    await expect(waiting).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(await later).toBe('loaded');
  });

  test('a higher round supersedes a lower one that runs, and refuses one that comes later', async () => {
    const queue = new PhaseQueue();
    const lower = queue.run({ name: 'init', round: 1, signal: never }, untilAborted);
    const higher = queue.run({ name: 'init', round: 2, signal: never }, async () => 'done');
    await expect(lower).rejects.toMatchObject({ code: 'SUPERSEDED' });
    expect(await higher).toBe('done');
    await expect(
      queue.run({ name: 'init', round: 1, signal: never }, async () => 'late'),
    ).rejects.toMatchObject({
      code: 'SUPERSEDED',
    });
  });

  test('a caller that is gone ends its own phase alone', async () => {
    const queue = new PhaseQueue();
    const caller = new AbortController();
    const cancelled = queue.run({ name: 'init', signal: caller.signal }, untilAborted);
    const next = queue.run({ name: 'start', signal: never }, async () => 'started');
    caller.abort(new Error('gone'));
    await expect(cancelled).rejects.toThrow('gone');
    expect(await next).toBe('started');
  });
});
