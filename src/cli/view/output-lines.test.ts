import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { type LogChunk, LogChunkSchema } from '../../gen/skein/control/v1/control_pb.js';
import { stripAnsi } from '../../processes/index.ts';
import { hasColour, palette } from './colours.ts';
import { OutputLines } from './output-lines.ts';

const output = (keepAnsi = false): OutputLines =>
  new OutputLines({
    services: ['shop/api', 'shop/worker'],
    nameOf: (id) => id.slice(5),
    palette: palette(false),
    keepAnsi,
    stripAnsi,
  });

const chunk = (service: string, text: string, partial = false): LogChunk =>
  create(LogChunkSchema, { service: `shop/${service}`, stream: 'stdout', text, partial });

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
    expect(output(true).lines(red)).toBe('api    | \u001b[31mred\u001b[0m\napi    | \u001b[0m\n');
    expect(output().lines(red)).toBe('api    | red\napi    | \n');
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
