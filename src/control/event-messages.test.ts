import { describe, expect, test } from 'vitest';
import type { Happening } from '../orchestration/index.ts';
import type { EndpointId, ServiceId } from '../workspace/index.ts';
import { EventTranslator } from './event-messages.ts';

const api = 'shop/api' as ServiceId;
const http = 'shop/api/http' as EndpointId;

describe('events in the words of the API', () => {
  const cases: readonly (readonly [Happening, readonly [string, string, string, string]])[] = [
    [
      { type: 'service-state', service: api, state: 'starting', cause: 'go' },
      ['start', 'starting', 'go', 'info'],
    ],
    [
      { type: 'process-started', service: api, pid: 7, restart: false },
      ['process', 'starting', 'started as process 7', 'info'],
    ],
    [
      {
        type: 'endpoint-readiness',
        service: api,
        endpoint: http,
        ready: false,
        predicate: 'http-status',
        lastError: '503',
      },
      ['endpoint', 'starting', 'shop/api/http is not ready (http-status): 503', 'info'],
    ],
    [
      { type: 'service-readiness', service: api, ready: true },
      ['ready', 'starting', 'ready after 20 ms', 'info'],
    ],
    [
      { type: 'process-ended', service: api, end: { kind: 'signalled', signal: 'SIGKILL' } },
      ['process', 'starting', 'ended by SIGKILL', 'info'],
    ],
    [
      {
        type: 'service-state',
        service: api,
        state: 'failed',
        cause: 'x',
        failure: {
          code: 'SK1401',
          message: 'it broke',
          service: api,
          phase: 'init',
          remedy: null,
          lastLines: [],
          exit: null,
        },
      },
      ['init', 'failed', 'it broke', 'error'],
    ],
    [
      { type: 'warning', service: api, phase: 'logs', message: 'full' },
      ['logs', 'failed', 'full', 'warning'],
    ],
    [{ type: 'run-state', state: 'degraded', cause: 'api' }, ['run', 'degraded', 'api', 'warning']],
  ];

  test('each has the state in which it happened', () => {
    const translator = new EventTranslator();
    const translated = cases.map(([happening], index) =>
      translator.translate({ sequence: index + 1, timeMs: index * 10, happening }),
    );
    expect(translated.map((event) => [event?.phase, event?.state, event?.cause, event?.severity])).toEqual(
      cases.map(([, words]) => words),
    );
  });

  test('measurements are no events', () => {
    const happening = { type: 'resource-use', service: api, cpuMs: 1, memoryBytes: 1 } as const;
    expect(new EventTranslator().translate({ sequence: 1, timeMs: 1, happening })).toBeUndefined();
  });
});
