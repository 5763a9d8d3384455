import { describe, expect, test } from 'vitest';
import type { EndpointId, Service, ServiceId, Workspace } from '../workspace/index.ts';
import type { Happening } from './events.ts';
import { foldEvents, initialRunSnapshot, type RunSnapshot, type ServiceSnapshot } from './snapshot.ts';

const api = 'shop/api' as ServiceId;
const http = 'shop/api/http' as EndpointId;

const service = {
  id: api,
  kind: 'service',
  agent: { kind: 'name', publisher: 'skein', name: 'process' },
  endpoints: [{ id: http, name: 'http', api: 'http' }],
  dependencies: [],
} as unknown as Service;

function fold(...happenings: readonly Happening[]): RunSnapshot {
  const workspace = { name: 'shop', root: '/shop' } as Workspace;
  return foldEvents(
    initialRunSnapshot({ workspace, runId: 'r1' }, [service], 1_000),
    happenings.map((happening, index) => ({
      sequence: index + 1,
      timeMs: 1_000 + (index + 1) * 10,
      happening,
    })),
  );
}

function folded(...happenings: readonly Happening[]): ServiceSnapshot {
  return fold(...happenings).services.get(api) as ServiceSnapshot;
}

const becomes = (state: ServiceSnapshot['state']): Happening => ({
  type: 'service-state',
  service: api,
  state,
  cause: '',
});
const started: Happening = { type: 'process-started', service: api, pid: 42, restart: false };
const ready: Happening = { type: 'service-readiness', service: api, ready: true };

describe('the snapshot as a fold over events', () => {
  test('before anything happened every service is pending and has no address', () => {
    expect(folded()).toMatchObject({
      state: 'pending',
      agent: 'skein/process',
      ready: false,
      pid: null,
      endpoints: [{ id: http, address: null, ready: false, predicate: 'tcp-connect' }],
    });
  });

  test('the time to ready counts from the beginning of the Start', () => {
    expect(folded(becomes('starting'), started, becomes('running'), ready)).toMatchObject({
      startedAtMs: 1_010,
      timeToReadyMs: 30,
      pid: 42,
      ready: true,
    });
  });

  test('a process that ends leaves its exit and takes its pid with it', () => {
    const end: Happening = {
      type: 'process-ended',
      service: api,
      end: { kind: 'signalled', signal: 'SIGKILL' },
    };
    expect(folded(becomes('starting'), started, becomes('running'), end, becomes('failed'))).toMatchObject({
      state: 'failed',
      pid: null,
      exit: { kind: 'signalled', signal: 'SIGKILL' },
      ready: false,
    });
  });

  test('a restart counts, and forgets the exit and the time of the process before', () => {
    const end: Happening = { type: 'process-ended', service: api, end: { kind: 'exited', code: 1 } };
    const again: Happening = { type: 'process-started', service: api, pid: 43, restart: true };
    expect(folded(becomes('starting'), started, ready, end, becomes('starting'), again)).toMatchObject({
      pid: 43,
      restarts: 1,
      exit: null,
      timeToReadyMs: null,
    });
  });

  test('the run keeps when it was first ready, and why it failed', () => {
    const failure = {
      code: 'SK1401',
      message: 'no',
      service: api,
      phase: null,
      remedy: null,
      lastLines: [],
      exit: null,
    };
    const state = (value: RunSnapshot['state']): Happening => ({
      type: 'run-state',
      state: value,
      cause: '',
    });
    const run = fold(
      state('ready'),
      state('degraded'),
      state('ready'),
      { type: 'run-state', state: 'failed', cause: '', failure },
      state('stopped'),
    );
    expect(run).toMatchObject({ state: 'stopped', readyAtMs: 1_010, failure, sequence: 5 });
  });

  test('an event of a service that takes no part changes nothing but the number', () => {
    const before = fold();
    const other: Happening = { ...started, service: 'shop/other' as ServiceId };
    const after = foldEvents(before, [{ sequence: 1, timeMs: 1, happening: other }]);
    expect(after).toEqual({ ...before, sequence: 1 });
  });
});
