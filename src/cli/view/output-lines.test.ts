import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LogChunk, LogChunkSchema } from '../../gen/skein/control/v1/control_pb.js';
import { hasAnsi } from '../../processes/index.ts';
import { hasColour, palette } from './colours.ts';
import { OutputLines } from './output-lines.ts';

const output = (colours = false): OutputLines =>
  new OutputLines({
    services: ['shop/api', 'shop/worker'],
    nameOf: (id) => id.slice(5),
    palette: palette(false),
    colours,
  });

const chunk = (service: string, text: string, partial = false): LogChunk =>
  create(LogChunkSchema, { service: `shop/${service}`, stream: 'stdout', text, partial });

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const colour = /\u001b\[[0-9;:]*m/g;

describe('U-10 plain lines', () => {
  test('each line has its service in front, aligned', () => {
    expect(output().lines(chunk('api', 'one\n\ntwo'))).toBe('api    | one\napi    | \napi    | two\n');
  });

  test('U-13 a line in pieces is not torn by another service', () => {
    const lines = output();
    expect(lines.lines(chunk('api', 'first\nsec', true))).toBe('api    | first\n');
    expect(lines.lines(chunk('worker', 'whole'))).toBe('worker | whole\n');
    expect(lines.lines(chunk('api', 'on', true))).toBe('');
    expect(lines.lines(chunk('api', 'd'))).toBe('api    | second\n');
    lines.lines(chunk('worker', 'unended', true));
    expect(lines.rest()).toBe('worker | unended\n');
    expect(lines.rest()).toBe('');
  });

  test('colour of a service is kept in a terminal and ends with the line, and is stripped elsewhere', () => {
    const red = chunk('api', '\u001b[31mred\n\u001b]0;open');
    expect(output(true).lines(red)).toBe('api    | \u001b[31mred\u001b[0m\napi    | \n');
    expect(output().lines(red)).toBe('api    | red\napi    | \n');
  });

  test('what would steer the terminal is taken out, in 8 bits too', () => {
    const hostile = chunk('api', 'a\u001b[2J\u001b]52;c;aGk=\u0007b\u009b5Ac\u001b[?1049h');
    expect(output(true).lines(hostile)).toBe('api    | abc\n');
    expect(output().lines(hostile)).toBe('api    | abc\n');
    expect(output(true).lines(chunk('api', 'one\u0084two'))).toBe('api    | onetwo\n');
  });

  test('whatever is printed, in whatever pieces, no sequence but colours is shown, and each line ends its own', () => {
    const piece = fc.record({
      service: fc.constantFrom('api', 'worker'),
      text: fc.string({
        unit: fc.constantFrom(
          '\u001b',
          '[',
          ']',
          '?',
          '3',
          ';',
          'm',
          'J',
          '\u0007',
          '\u009b',
          '\u0085',
          '\n',
          'é',
        ),
      }),
      partial: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(piece), fc.boolean(), (pieces, colours) => {
        const lines = output(colours);
        const shown = pieces.map(({ service, text, partial }) => lines.lines(chunk(service, text, partial)));
        for (const line of (shown.join('') + lines.rest()).split('\n')) {
          expect(hasAnsi(line.replaceAll(colour, ''))).toBe(false);
          if (line.includes('\u001b')) expect([colours, line.endsWith('\u001b[0m')]).toEqual([true, true]);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('U-2 no colour with NO_COLOR, CI, --no-color or without a terminal', () => {
    expect(hasColour({ isTTY: true }, true, {})).toBe(true);
    expect(hasColour({ isTTY: true }, true, { NO_COLOR: '1' })).toBe(false);
    expect(hasColour({ isTTY: true }, true, { CI: 'true' })).toBe(false);
    expect(hasColour({ isTTY: true }, false, {})).toBe(false);
    expect(hasColour({}, true, {})).toBe(false);
  });

  test('a service always has the same colour', () => {
    const colours = palette(true);
    expect(colours.ofName('shop/api', 'x')).toBe(colours.ofName('shop/api', 'x'));
    expect(colours.ofName('shop/api', 'x')).toContain('\u001b[');
  });
});
