import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import {
  EventSchema,
  LogChunkSchema,
  RunSnapshotSchema,
  RunState,
  ServiceState,
} from '../../gen/skein/control/v1/control_pb.js';
import { eventDocument, logDocuments, statusDocument } from './documents.ts';
import { statusText } from './status-text.ts';

const run = create(RunSnapshotSchema, {
  workspace: 'shop',
  root: '/w',
  run: 'r1',
  mode: 'run',
  state: RunState.DEGRADED,
  startedAtUnixMs: 1000n,
  readyAtUnixMs: 2000n,
  pid: 9,
  services: [
    {
      id: 'shop/api',
      kind: 'service',
      agent: 'skein/process',
      state: ServiceState.RUNNING,
      pid: 4242,
      timeToReadyMs: 412,
      startedAtUnixMs: 1500n,
      exit: { cause: { case: 'signal', value: 'SIGKILL' } },
      waitingFor: { service: 'shop/db', predicate: 'runner', sinceMs: 50 },
      endpoints: [
        {
          id: 'shop/api/http',
          address: '127.0.0.1:1',
          url: 'http://127.0.0.1:1',
          predicate: 'http-status',
          lastError: '503',
        },
      ],
    },
    { id: 'shop/db', kind: 'service', agent: 'skein/process', state: ServiceState.CRASH_LOOPING },
  ],
});

describe('documents of the reference', () => {
  test('skein status --json', () => {
    expect(statusDocument(run)).toMatchObject({
      workspace: 'shop',
      root: '/w',
      run: 'r1',
      mode: 'run',
      state: 'degraded',
      startedAt: '1970-01-01T00:00:01.000Z',
      readyAt: '1970-01-01T00:00:02.000Z',
      services: [
        {
          id: 'shop/api',
          kind: 'service',
          agent: 'skein/process',
          state: 'running',
          ready: false,
          pid: 4242,
          restarts: 0,
          exit: { code: null, signal: 'SIGKILL' },
          startedAt: '1970-01-01T00:00:01.500Z',
          timeToReadyMs: 412,
          waitingFor: {
            service: 'shop/db',
            endpoint: null,
            predicate: 'runner',
            lastError: null,
            sinceMs: 50,
          },
          endpoints: [
            {
              id: 'shop/api/http',
              address: '127.0.0.1:1',
              url: 'http://127.0.0.1:1',
              ready: false,
              predicate: 'http-status',
              lastError: '503',
            },
          ],
        },
        {
          id: 'shop/db',
          state: 'crash-looping',
          pid: null,
          exit: null,
          startedAt: null,
          timeToReadyMs: null,
          waitingFor: null,
        },
      ],
    });
  });

  test('an event of the run itself has no service', () => {
    const event = create(EventSchema, { timeUnixMs: 5n, phase: 'run', state: 'ready', severity: 'info' });
    expect(eventDocument(event)).toEqual({
      time: '1970-01-01T00:00:00.005Z',
      phase: 'run',
      state: 'ready',
      cause: '',
      severity: 'info',
    });
  });

  test('output has a document a line', () => {
    const chunk = create(LogChunkSchema, {
      service: 'shop/api',
      stream: 'stderr',
      timeUnixMs: 5n,
      text: 'a\nb',
      partial: true,
    });
    const head = { time: '1970-01-01T00:00:00.005Z', service: 'shop/api', stream: 'stderr' };
    expect(logDocuments(chunk)).toEqual([
      { ...head, text: 'a' },
      { ...head, text: 'b', partial: true },
    ]);
  });

  test('the table for a person has a line a service', () => {
    const lines = statusText(run, 61_000).split('\n');
    expect(lines[0]).toBe('shop is degraded: run r1, process 9, since 1m 00s');
    expect(lines[3]).toMatch(
      /^shop\/api +running +- +412 ms +4242 +0 +http:\/\/127.0.0.1:1 +waits for shop\/db \(runner, since 50 ms\)$/,
    );
    expect(lines[4]).toMatch(/^shop\/db +crash-looping +- +- +- +0 +-$/);
  });
});
