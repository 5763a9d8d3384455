import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RunSnapshotSchema, RunState } from '../gen/skein/control/v1/control_pb.js';
import { readLastRun, writeLastRun } from './last-run.ts';
import { makeRunFolder } from './skein-folder.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-last-'));
  makeRunFolder(root, 'r1');
});

afterEach(() => rmSync(root, { recursive: true }));

const endedAt = '2026-01-31T09:30:00.000Z';

describe('T-3 how the last run ended', () => {
  test('is read as it was written, also by a version that knows less', () => {
    expect(readLastRun(root)).toBe(undefined);
    const run = create(RunSnapshotSchema, { run: 'r1', workspace: 'shop', state: RunState.STOPPED });
    writeLastRun(root, { endedAt, run });
    expect(readLastRun(root)).toEqual({ endedAt, run });
    write(JSON.stringify({ endedAt, run: { run: 'r1', newer: 1 }, newer: 2 }));
    expect(readLastRun(root)?.run.run).toBe('r1');
  });

  test.each<[string, string]>([
    ['empty', ''],
    ['half written', '{ "endedAt": "2026-'],
    ['a list', '[]'],
    ['nothing', 'null'],
    ['without a run', JSON.stringify({ endedAt })],
    ['without an end', JSON.stringify({ run: {} })],
    ['with an end that is no time', JSON.stringify({ endedAt: 'soon', run: {} })],
    ['with a word for a list', JSON.stringify({ endedAt, run: { services: 'none' } })],
    ['with a number for a name', JSON.stringify({ endedAt, run: { workspace: 7 } })],
    [
      'with a time beyond all calendars',
      JSON.stringify({ endedAt, run: { startedAtUnixMs: '9000000000000000' } }),
    ],
    [
      'with such a time in a service',
      JSON.stringify({ endedAt, run: { services: [{ startedAtUnixMs: '9000000000000000' }] } }),
    ],
  ])('that is damaged is said to be, with its place: %s', (_, content) => {
    write(content);
    expect(() => readLastRun(root)).toThrow(
      expect.objectContaining({
        code: 'SK1515',
        message: expect.stringContaining(join(root, '.skein', 'last.json')),
      }),
    );
  });
});

function write(content: string): void {
  writeFileSync(join(root, '.skein', 'last.json'), content);
}
