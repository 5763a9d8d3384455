import { describe, expect, test } from 'vitest';
import { isFilePlace, renderError } from '../../errors/index.ts';
import type { UnmetRequirement } from '../events.ts';
import { describeUnmet, lastComplete, readinessTimeout } from './diagnosis.ts';
import { readinessErrors } from './errors.ts';
import { endpointKey, serviceKey } from './requirements.ts';
import { endpointId, id } from './service-fixture.ts';
import { firstUnmet, type RequirementState } from './state.ts';

const refused: UnmetRequirement = {
  service: id('db'),
  endpoint: endpointId('db', 'sql'),
  predicate: 'tcp-connect',
  lastError: 'connection refused',
  sinceMs: 1_000,
};
const notTried: UnmetRequirement = {
  service: id('api'),
  endpoint: null,
  predicate: 'lifecycle',
  lastError: null,
  sinceMs: 0,
};
const failing: RequirementState = { kind: 'failing', lastError: 'connection refused', sinceMs: 1_000 };
const holding: RequirementState = { kind: 'holding', sinceMs: 2_000 };

describe('the first requirement that does not hold', () => {
  const lifecycle = {
    key: serviceKey(id('api'), 'lifecycle'),
    service: id('api'),
    endpoint: null,
    predicate: 'lifecycle',
  } as const;
  const sql = {
    key: endpointKey(endpointId('db', 'sql'), 'tcp-connect'),
    service: id('db'),
    endpoint: endpointId('db', 'sql'),
    predicate: 'tcp-connect',
  } as const;

  test('R-7 one that fails goes before one that has only not been examined', () => {
    const states: Record<string, RequirementState> = {
      [lifecycle.key]: { kind: 'unknown', sinceMs: 0 },
      [sql.key]: failing,
    };
    expect(firstUnmet([lifecycle, sql], (key) => states[key] ?? holding)).toEqual(refused);
    expect(firstUnmet([lifecycle], (key) => states[key] ?? holding)).toEqual(notTried);
    expect(firstUnmet([lifecycle, sql], () => holding)).toBeUndefined();
  });
});

describe('the diagnosis that is kept', () => {
  test.each([
    ['R-7 a complete one replaces any other', notTried, refused, failing, refused],
    [
      'R-7 one that knows nothing does not replace a complete one that still stands',
      refused,
      notTried,
      failing,
      refused,
    ],
    [
      'R-7 nor after everything has become unknown, as when the run is torn down',
      refused,
      notTried,
      { kind: 'unknown', sinceMs: 5_000 } as const,
      refused,
    ],
    ['one whose requirement holds by now is dropped', refused, notTried, holding, notTried],
    ['nothing is kept once everything holds', refused, undefined, holding, undefined],
    ['the first is kept whatever it says', undefined, notTried, failing, notTried],
  ])('%s', (_title, previous, current, stateNow, kept) => {
    expect(lastComplete(previous, current, () => stateNow)).toEqual(kept);
  });
});

describe('what is said', () => {
  test.each([
    [refused, 1_400, 'shop/db/sql: tcp-connect does not hold: connection refused (for 400 ms)'],
    [refused, 13_345, 'shop/db/sql: tcp-connect does not hold: connection refused (for 12.3 s)'],
    [notTried, 300_000, 'shop/api: lifecycle does not hold yet (for 5 min)'],
    [notTried, 298_000, 'shop/api: lifecycle does not hold yet (for 4 min 58 s)'],
  ])('R-7 %o at %i', (unmet, nowMs, text) => {
    expect(describeUnmet(unmet, nowMs)).toBe(text);
  });

  test('R-7 at the deadline: service, endpoint, predicate, last error, how long, and the last log lines', () => {
    const error = readinessTimeout({
      timeoutMs: 300_000,
      nowMs: 301_000,
      diagnosis: refused,
      lastLines: ['starting', 'no space left'],
    });
    expect(error.code).toBe('SK1451');
    expect(error.message).toBe(
      'not ready within 5 min: shop/db/sql: tcp-connect does not hold: connection refused (for 5 min)',
    );
    expect(error.place && !isFilePlace(error.place) && error.place).toEqual({
      service: 'shop/db',
      phase: 'tcp-connect',
      endpoint: 'shop/db/sql',
    });
    const text = renderError(error, [readinessErrors]);
    for (const part of ['| no space left', 'to do: ', 'shop/db · tcp-connect · shop/db/sql'])
      expect(text).toContain(part);
  });
});
