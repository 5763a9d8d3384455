import { expect, test } from 'vitest';
import type { ServiceId } from '../workspace/index.ts';
import type { FailureReport } from './events.ts';
import { failureOf, type Standing, toldToStop, wanted, wantedAgain } from './standing.ts';

const report: FailureReport = {
  code: 'SK1401',
  message: 'shop/api exited with status 3',
  service: 'shop/api' as ServiceId,
  phase: 'run',
  remedy: null,
  lastLines: [],
  exit: { kind: 'exited', code: 3 },
};
const failed: Standing = { kind: 'failed', report };

test.each([
  ['one that is wanted', wanted],
  ['one that has failed', failed],
])('F-21 %s is told to stop, twice, and wanted again: it stands as before', (_, standing) => {
  const stopped = toldToStop(toldToStop(standing));
  expect([stopped.kind, failureOf(stopped)]).toEqual(['told-to-stop', failureOf(standing)]);
  expect(wantedAgain(stopped)).toEqual(standing);
});

test('only what failed has a failure', () => {
  expect([wanted, failed].map(failureOf)).toEqual([null, report]);
});
