import { expect, test } from 'vitest';
import { AgentLog, parseLogLine } from './own-log.ts';

const line = (text: string) => ({ text, stream: 'stderr' as const, timeMs: 5, partial: false });

test('A-10 JSON lines are parsed, other lines are text', () => {
  expect(parseLogLine(line('{"level":"warn","msg":"low on disk","free":3}'))).toEqual({
    form: 'json',
    stream: 'stderr',
    timeMs: 5,
    text: 'low on disk',
    level: 'warn',
    fields: { level: 'warn', msg: 'low on disk', free: 3 },
  });
  expect(parseLogLine(line('{"a":1}')).text).toBe('{"a":1}');
  for (const text of ['', 'plain', '{not json', '[1]', '"text"', 'null'])
    expect(parseLogLine(line(text))).toEqual({ form: 'text', stream: 'stderr', timeMs: 5, text });
});

test('A-10 the last 64 KiB are kept', () => {
  const log = new AgentLog();
  for (let index = 0; index < 10_000; index++) log.take(line(`line ${index}`));
  expect(log.lastLines().at(-1)).toBe('line 9999');
  expect(log.lastLines()).toHaveLength(30);
  log.take(line('z'.repeat(100_000)));
  expect(log.lastLines()).toEqual([`${'z'.repeat(1_000)}…`]);
});

test('listeners are told each line until they leave', () => {
  const log = new AgentLog();
  const seen: string[] = [];
  const leave = log.listen(({ text }) => seen.push(text));
  log.take(line('one'));
  leave();
  log.take(line('two'));
  expect(seen).toEqual(['one']);
});
