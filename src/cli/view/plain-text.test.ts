import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { SkeinError } from '../../errors/index.ts';
import { EventSchema, RunSnapshotSchema } from '../../gen/skein/control/v1/control_pb.js';
import { reportError } from '../report-error.ts';
import { plainView } from '../run/run-view.ts';
import { palette } from './colours.ts';
import { OutputLines } from './output-lines.ts';
import { plainText } from './plain-text.ts';

const hostile = 'last\u001b]52;c;aGk=\u0007 \u001b[31mword\u009b2J';

test('U-10 words of a service are shown without what would steer a terminal, a line at a time', () => {
  expect(plainText(`${hostile}\n\u001b]0;open\nnext`)).toBe('last word\n\nnext');
  expect(plainText('plain\ttext')).toBe('plain\ttext');
});

test('U-10 so are the last lines of an error', () => {
  const error = new SkeinError('SK1401', `it ended: ${hostile}`, { lastLines: [hostile] });
  const { text } = reportError(error, { json: false, verbose: false });
  expect(text).toContain('it ended: last word\n');
  expect(text).toContain('    | last word\n');
});

test('U-10 so are events and the failure at the end of a run, between the colours of skein itself', () => {
  const colours = palette(true);
  const view = plainView({
    output: new OutputLines({ services: [], nameOf: String, palette: colours, colours: true }),
    nameOf: String,
    roots: () => new Set(),
    palette: colours,
    quiet: false,
  });
  const event = create(EventSchema, { service: 'shop/api', severity: 'warning', cause: hostile });
  expect(view.events([event]).progress).toContain(colours.warn('shop/api: last word'));
  const run = create(RunSnapshotSchema, { failure: { code: 'SK1401', lastLines: [hostile] } });
  expect(view.end(run).progress).toContain('    | last word\n');
});
