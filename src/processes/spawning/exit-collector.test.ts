import { constants } from 'node:os';
import { describe, expect, test } from 'vitest';
import { type Collected, ExitCollector, exitOf } from './exit-collector.ts';

describe('a wait status', () => {
  test.each([
    [0, { kind: 'exited', code: 0 }],
    [3 << 8, { kind: 'exited', code: 3 }],
    [255 << 8, { kind: 'exited', code: 255 }],
    [constants.signals.SIGKILL, { kind: 'signalled', signal: 'SIGKILL' }],
    [constants.signals.SIGABRT | 0x80, { kind: 'signalled', signal: 'SIGABRT' }],
  ])('%i', (status, exit) => {
    expect(exitOf(status)).toEqual(exit);
  });

  test('of a signal without a name', () => {
    expect(exitOf(100)).toEqual({ kind: 'signalled', signal: 'SIG100' });
  });
});

describe('the collector of exits', () => {
  test('does not miss a child that ended before it was registered', async () => {
    const collector = new ExitCollector(() => ({ kind: 'ended', status: 0 }));
    await expect(collector.collect(1)).resolves.toEqual({ kind: 'exited', code: 0 });
  });

  test('finds every ended child after a single signal, and asks for no other', async () => {
    const ended = new Set<number>();
    const asked = new Set<number>();
    const collector = new ExitCollector((pid): Collected => {
      asked.add(pid);
      return ended.has(pid) ? { kind: 'ended', status: pid << 8 } : { kind: 'running' };
    });
    collector.listen();
    const exits = [collector.collect(1), collector.collect(2), collector.collect(3)];
    ended.add(1).add(3);
    process.emit('SIGCHLD', 'SIGCHLD');
    expect(await Promise.all([exits[0], exits[2]])).toEqual([
      { kind: 'exited', code: 1 },
      { kind: 'exited', code: 3 },
    ]);
    asked.clear();
    ended.add(2);
    process.emit('SIGCHLD', 'SIGCHLD');
    expect(await exits[1]).toEqual({ kind: 'exited', code: 2 });
    expect([...asked]).toEqual([2]);
  });

  test('says so when somebody else has collected the exit', async () => {
    const collector = new ExitCollector(() => ({ kind: 'not-ours' }));
    await expect(collector.collect(1)).rejects.toMatchObject({ code: 'SK1608' });
  });
});
