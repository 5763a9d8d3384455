import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ReadinessBoard } from './board.ts';
import { type RequirementKey, runRequirements } from './requirements.ts';
import { id, sketch } from './service-fixture.ts';
import type { RequirementState } from './state.ts';

const services = sketch({
  db: { serves: { sql: 'tcp' } },
  api: { serves: { http: 'http' }, uses: { db: ['sql'] } },
  web: { uses: { api: { endpoints: ['http'], wait: 'started' } } },
});
const plan = runRequirements({ services, roots: new Set([id('web')]), excluded: new Set() });
const holding: RequirementState = { kind: 'holding', sinceMs: 1 };
const failing: RequirementState = { kind: 'failing', lastError: 'connection refused', sinceMs: 1 };

describe('ReadinessBoard', () => {
  test('R-1 the run is ready when every requirement holds, and no longer when one stops holding', () => {
    const board = new ReadinessBoard(plan, 0);
    const keys = plan.requirements.map(({ key }) => key);
    const last = keys.pop() as RequirementKey;
    for (const key of keys) expect(board.record(key, holding).run).toBe('unchanged');
    expect(board.ready).toBe(false);
    expect(board.record(last, holding).run).toBe('became-ready');
    expect(board.record(last, holding).run).toBe('unchanged');
    expect(board.record(last, failing).run).toBe('revoked');
    expect(board.ready).toBe(false);
  });

  test('R-5 a gate opens with the last thing it waits for, and nobody waits for the slowest of the run', () => {
    const board = new ReadinessBoard(plan, 0);
    const [apiOnDb, webOnApi] = plan.gates;
    const keys = apiOnDb?.requirements.map(({ key }) => key) as RequirementKey[];
    const last = keys.pop() as RequirementKey;
    for (const key of keys) expect(board.record(key, holding).opened).toEqual([]);
    expect(board.closedGates(id('api'))).toEqual([apiOnDb]);
    expect(board.record(last, holding).opened).toEqual([apiOnDb]);
    expect(board.closedGates(id('api'))).toEqual([]);
    expect(board.record('shop/api#lifecycle' as RequirementKey, holding).opened).toEqual([webOnApi]);
    expect(board.record(last, failing).closed).toEqual([apiOnDb]);
  });

  test('R-2 what nobody requires changes nothing', () => {
    const board = new ReadinessBoard(plan, 0);
    const key = 'shop/db/admin#tcp-connect' as RequirementKey;
    expect(board.record(key, holding)).toEqual({ opened: [], closed: [], run: 'unchanged' });
    expect(board.ready).toBe(false);
  });

  test('F-17 a larger plan keeps what is known of what stays', () => {
    const small = runRequirements({ services: services.slice(0, 1), roots: new Set(), excluded: new Set() });
    const board = new ReadinessBoard(small, 0);
    for (const { key } of small.requirements) board.record(key, holding);
    expect(board.ready).toBe(true);
    board.replan(plan);
    expect(board.ready).toBe(false);
    expect(board.stateOf('shop/db#lifecycle' as RequirementKey)).toEqual(holding);
    board.replan(small);
    expect(board.ready).toBe(true);
  });

  test('F-17 what was recorded before anybody required it counts for a plan that does', () => {
    const small = runRequirements({ services: services.slice(0, 1), roots: new Set(), excluded: new Set() });
    const board = new ReadinessBoard(small, 0);
    const sql = 'shop/db/sql#tcp-connect' as RequirementKey;
    board.record(sql, holding);
    board.replan(plan);
    expect(board.stateOf(sql)).toEqual(holding);
    const onDb = plan.gates.find(({ dependency }) => dependency === id('db'));
    for (const { key } of onDb?.requirements ?? []) if (key !== sql) board.record(key, holding);
    expect(onDb && board.isOpen(onDb)).toBe(true);
  });

  test('F-18 of a service that left nothing is known, should it come again', () => {
    const board = new ReadinessBoard(plan, 0);
    for (const { key } of plan.requirements) board.record(key, holding);
    board.forget(id('db'));
    board.replan(plan);
    expect(board.ready).toBe(false);
    expect(plan.requirements.filter(({ key }) => board.stateOf(key).kind === 'unknown')).toEqual(
      plan.requirements.filter(({ service }) => service === id('db')),
    );
  });

  test('R-1 R-5 whatever is recorded, it answers as if it had counted anew', () => {
    const record = fc.tuple(
      fc.constantFrom(...plan.requirements, ...plan.gates.flatMap(({ requirements }) => requirements)),
      fc.constantFrom(holding, failing, { kind: 'unknown', sinceMs: 2 } as const),
    );
    fc.assert(
      fc.property(fc.array(record, { maxLength: 60 }), (records) => {
        const board = new ReadinessBoard(plan, 0);
        for (const [{ key }, state] of records) {
          const before = { ready: board.ready, open: plan.gates.filter((gate) => board.isOpen(gate)) };
          const { opened, closed, run } = board.record(key, state);
          const holds = (required: { readonly key: RequirementKey }): boolean =>
            board.stateOf(required.key).kind === 'holding';
          expect(board.ready).toBe(plan.requirements.every(holds));
          const open = plan.gates.filter(({ requirements }) => requirements.every(holds));
          expect(plan.gates.filter((gate) => board.isOpen(gate))).toEqual(open);
          expect(opened).toEqual(open.filter((gate) => !before.open.includes(gate)));
          expect(closed).toEqual(before.open.filter((gate) => !open.includes(gate)));
          expect(run).toBe(
            board.ready === before.ready ? 'unchanged' : board.ready ? 'became-ready' : 'revoked',
          );
        }
      }),
    );
  });
});
