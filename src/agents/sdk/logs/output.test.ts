import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InstanceOutput } from './output.ts';
import { SharedMemory } from './queue.ts';
import { LineTail } from './record.ts';

async function pumped(output: InstanceOutput, chunks: readonly Buffer[]): Promise<string> {
  await output.pump(Readable.from(chunks), 'stdout', () => undefined);
  let text = '';
  for (const record of await output.queue.take(Number.MAX_SAFE_INTEGER))
    text += record.text + (record.partial ? '' : '\n');
  return text;
}

describe('the output of an instance', () => {
  test('always: a secret within a line of megabytes is masked, wherever the pieces are torn', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: -12, max: 12 }), async (shift) => {
        const output = new InstanceOutput('shop/api', new SharedMemory(), () => undefined);
        output.mask.add('0123456789');
        const before = 'x'.repeat(1024 * 1024 + shift);
        const text = await pumped(output, [Buffer.from(`${before}0123456789${before}\nnext\n`)]);
        expect(text.length).toBe(2 * before.length + '***\nnext\n'.length);
        expect(text.includes('0123456789')).toBe(false);
      }),
      { numRuns: 25 },
    );
  });

  test('a last line without an end is a line', async () => {
    expect(
      await pumped(new InstanceOutput('shop/api', new SharedMemory(), () => undefined), [
        Buffer.from('a\nb'),
      ]),
    ).toBe('a\nb\n');
  });
});

describe('the last lines', () => {
  test('are the last ones, oldest first, however they came', () => {
    const tail = new LineTail(3);
    for (let at = 0; at < 100; at++)
      tail.add({ stream: 'stdout', timeMs: 0, text: `${at}a\n${at}b`, lines: 2, partial: false });
    expect(tail.lines()).toEqual(['98b', '99a', '99b']);
  });
});
