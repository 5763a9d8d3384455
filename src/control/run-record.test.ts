import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newestRun, type RunRecord, readRunRecord, writeRunRecord } from './run-record.ts';
import { makeRunFolder } from './skein-folder.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-record-'));
});

afterEach(() => rmSync(root, { recursive: true }));

const record = (run: string): RunRecord => ({
  run,
  workspace: 'shop',
  root,
  supervisor: { pid: 7, start: '1', boot: 'b' },
  socket: '/none',
  startedAt: new Date(0).toISOString(),
  state: 'serving',
  logs: { ['shop/api' as never]: 'api.log' },
});

function write(run: string): RunRecord {
  makeRunFolder(root, run);
  writeRunRecord(record(run));
  return record(run);
}

function damage(run: string, content: string): string {
  makeRunFolder(root, run);
  const path = join(root, '.skein', 'runs', run, 'run.json');
  writeFileSync(path, content);
  return path;
}

describe('the record of a run', () => {
  test('is read as it was written', () => {
    expect(readRunRecord(root, 'r1')).toBe(undefined);
    const written = write('r1');
    expect(readRunRecord(root, 'r1')).toEqual(written);
  });

  const whole = record('r1');
  test.each<[string, string]>([
    ['empty', ''],
    ['half written', JSON.stringify(whole).slice(0, 60)],
    ['a list', '[]'],
    ['nothing', 'null'],
    ['without a supervisor', JSON.stringify({ ...whole, supervisor: undefined })],
    ['with a word for a pid', JSON.stringify({ ...whole, supervisor: { ...whole.supervisor, pid: '7' } })],
    ['in an unknown state', JSON.stringify({ ...whole, state: 'asleep' })],
    ['without a socket', JSON.stringify({ ...whole, socket: null })],
    ['with a list of logs', JSON.stringify({ ...whole, logs: ['api.log'] })],
    ['with a log that is no name', JSON.stringify({ ...whole, logs: { 'shop/api': 7 } })],
    ['with a log elsewhere', JSON.stringify({ ...whole, logs: { 'shop/api': '../../api.log' } })],
  ])('that is damaged is said to be, with its place: %s', (_, content) => {
    const path = damage('r1', content);
    expect(() => readRunRecord(root, 'r1')).toThrow(
      expect.objectContaining({ code: 'SK1515', message: expect.stringContaining(path) }),
    );
  });

  test('that is damaged is passed over for the newest that is whole, and named', () => {
    const older = write('r1');
    const path = damage('r2', '{');
    mkdirSync(join(root, '.skein', 'runs', 'r3'));
    writeFileSync(join(root, '.skein', 'runs', 'stray'), '');
    expect(newestRun(root)).toEqual({
      record: older,
      damaged: [expect.objectContaining({ code: 'SK1515', message: expect.stringContaining(path) })],
    });
    expect(newestRun(join(root, 'elsewhere'))).toEqual({ record: undefined, damaged: [] });
  });
});
