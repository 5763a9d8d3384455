import { describe, expect, test } from 'vitest';
import type { Happening } from '../orchestration/index.ts';
import type { ServiceId } from '../workspace/index.ts';
import { Timeline } from './timeline.ts';

const [db, cache, api] = ['shop/db', 'shop/cache', 'shop/api'] as ServiceId[] as [
  ServiceId,
  ServiceId,
  ServiceId,
];
const needs = (service: ServiceId): readonly ServiceId[] => (service === api ? [db, cache] : []);

describe('U-11 the timeline', () => {
  test('has the phases of each service, and marks what the start-up had to wait for', () => {
    const timeline = new Timeline();
    const at = (timeMs: number, happening: Happening): void =>
      timeline.add({ sequence: timeMs, timeMs, happening });
    const state = (service: ServiceId, word: 'loading' | 'waiting' | 'starting' | 'running'): Happening => ({
      type: 'service-state',
      service,
      state: word,
      cause: '',
    });
    for (const service of [db, cache, api]) at(0, state(service, 'loading'));
    for (const service of [db, cache]) at(10, state(service, 'starting'));
    at(10, state(api, 'waiting'));
    at(20, { type: 'service-readiness', service: cache, ready: true });
    at(90, { type: 'service-readiness', service: db, ready: true });
    at(91, state(api, 'starting'));
    at(95, state(api, 'running'));
    expect(timeline.spans(needs).at(-1)).toMatchObject({ phase: 'ready', endedAtMs: null });
    at(99, { type: 'service-readiness', service: api, ready: true });
    at(200, state(api, 'starting'));

    const words = timeline
      .spans(needs)
      .map(
        ({ service, phase, startedAtMs, endedAtMs, critical }) =>
          `${critical ? '*' : ''}${service} ${phase} ${startedAtMs}-${endedAtMs}`,
      );
    expect(words).toEqual([
      '*shop/db load 0-10',
      'shop/cache load 0-10',
      'shop/api load 0-10',
      '*shop/db start 10-90',
      'shop/cache start 10-20',
      'shop/api wait 10-91',
      '*shop/api start 91-95',
      '*shop/api ready 95-99',
    ]);
  });
});
