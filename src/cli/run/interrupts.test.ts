import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Interrupts } from './interrupts.ts';

let asked: string[];
let interrupts: Interrupts;
let now = 0;
const run = {
  stop: ({ cause }: { cause?: string } = {}) => {
    asked.push(`stop: ${cause}`);
    return Promise.resolve({ operation: 'stop', layers: 0, resources: [] });
  },
  hurry: (how: string) => void asked.push(how),
};

beforeEach(() => {
  asked = [];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  interrupts = new Interrupts((stage) => asked.push(`said ${stage}`));
});

afterEach(() => {
  interrupts[Symbol.dispose]();
  vi.restoreAllMocks();
});

function press(ms: number, signal: NodeJS.Signals): void {
  now += ms;
  process.emit(signal, signal);
}

describe('T-5 signals', () => {
  test('the first Ctrl-C stops, the second hurries, the third and later ones kill', () => {
    interrupts.attach(run);
    for (let at = 0; at < 4; at++) press(1000, 'SIGINT');
    expect(asked).toEqual([
      'said stop',
      'stop: SIGINT',
      'said hurry',
      'hurry',
      'said kill',
      'kill',
      'said kill',
      'kill',
    ]);
    expect(interrupts.interrupted).toBe(true);
  });

  test('a Ctrl-C that a wrapper passes on as well is one', () => {
    interrupts.attach(run);
    press(1000, 'SIGINT');
    press(5, 'SIGINT');
    expect(asked).toEqual(['said stop', 'stop: SIGINT']);
  });

  test.each(['SIGTERM', 'SIGHUP'] as const)('%s acts as the first, and never as more', (signal) => {
    interrupts.attach(run);
    for (let at = 0; at < 3; at++) press(1000, signal);
    expect(asked).toEqual(['said stop', `stop: ${signal}`]);
    press(1000, 'SIGINT');
    expect(asked.slice(2)).toEqual(['said hurry', 'hurry']);
  });

  test('before there is a run, its making is cancelled, and one that comes nevertheless is stopped', () => {
    press(1000, 'SIGINT');
    expect(interrupts.signal.aborted).toBe(true);
    interrupts.attach(run);
    expect(asked).toEqual(['said stop', 'stop: interrupted']);
  });

  test('a closed output stops as the first Ctrl-C does', () => {
    interrupts.attach(run);
    interrupts.interrupt('output is closed');
    interrupts.interrupt('output is closed');
    expect(asked).toEqual(['said stop', 'stop: output is closed']);
  });

  test('signals are no longer listened to after the end', () => {
    const before = process.listenerCount('SIGINT');
    interrupts[Symbol.dispose]();
    expect(process.listenerCount('SIGINT')).toBe(before - 1);
  });
});
