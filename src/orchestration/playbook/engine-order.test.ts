import { describe, expect, test } from 'vitest';
import { act, engineFor, finish, graphOf, label, phases } from './engine-fixture.ts';
import type { Action } from './policy.ts';

describe('the order of phases', () => {
  test('F-6 a phase waits for the same phase of each prerequisite, and for nothing else', () => {
    const engine = engineFor(graphOf({ db: [], cache: [], api: ['db'] }));
    expect(label(engine.begin())).toEqual(['load db #0', 'load cache #0']);
    expect(finish(engine, act('load', 'db'))).toEqual(['load api #0', 'init db #0']);
    expect(finish(engine, act('load', 'api'))).toEqual([]);
    expect(finish(engine, act('init', 'db'))).toEqual(['init api #0', 'start db #0']);
  });

  test('R-5 a start waits for the gate of each edge by itself', () => {
    const graph = graphOf({ db: [], cache: [], api: ['db', 'cache'] });
    const engine = engineFor(graph);
    const outputs = [...engine.begin()];
    const starts: Action[] = [];
    for (let output = outputs.shift(); output !== undefined; output = outputs.shift())
      if (output.type === 'dispatch' && output.action.phase === 'start') starts.push(output.action);
      else if (output.type === 'dispatch')
        outputs.push(...engine.step({ type: 'done', action: output.action, hash: null }));
    for (const action of starts) expect(finish(engine, action)).toEqual([]);
    expect(label(engine.step({ type: 'gate', dependent: 'api', dependency: 'db', open: true }))).toEqual([]);
    expect(label(engine.step({ type: 'gate', dependent: 'api', dependency: 'cache', open: true }))).toEqual([
      'start api #0',
    ]);
  });

  test('R-5 a gate that closes again before the dependent starts holds it', () => {
    const graph = graphOf({ a: [], b: ['a'] });
    const engine = engineFor(graph);
    engine.begin();
    engine.step({ type: 'gate', dependent: 'b', dependency: 'a', open: true });
    engine.step({ type: 'gate', dependent: 'b', dependency: 'a', open: false });
    for (const phase of phases) finish(engine, act(phase, 'a'));
    for (const phase of ['load', 'init'] as const) finish(engine, act(phase, 'b'));
    expect(engine.isSettled()).toBe(false);
    expect(label(engine.step({ type: 'gate', dependent: 'b', dependency: 'a', open: true }))).toEqual([
      'start b #0',
    ]);
  });

  test('R-5 `started` needs the start of the dependency and no gate', () => {
    const graph = graphOf({ a: [], b: [['a', 'started']] });
    const engine = engineFor(graph);
    engine.begin();
    for (const phase of ['load', 'init'] as const) finish(engine, act(phase, 'a'));
    for (const phase of ['load', 'init'] as const) finish(engine, act(phase, 'b'));
    expect(finish(engine, act('start', 'a'))).toEqual(['start b #0']);
  });

  test('F-7 an answer to an action that is not under way changes nothing', () => {
    const engine = engineFor(graphOf({ a: [] }));
    engine.begin();
    finish(engine, act('load', 'a'));
    expect(finish(engine, act('load', 'a'))).toEqual([]);
    expect(finish(engine, act('init', 'a', 7))).toEqual([]);
  });
});
