import { describe, expect, test } from 'vitest';
import { act, drain, engineFor, finish, graphOf, label } from './engine-fixture.ts';

const crash = { type: 'crashed', service: 'a', phase: 'start', retryable: true } as const;

describe('change', () => {
  test('F-8 an unchanged hash repeats nothing in the dependents', () => {
    const graph = graphOf({ a: [], b: ['a'] });
    const engine = engineFor(graph);
    drain(engine, graph, engine.begin());
    expect(drain(engine, graph, engine.step({ type: 'reenter', service: 'a', phase: 'init' }))).toEqual([
      'init a #1',
      'start a #1',
    ]);
  });

  test('F-8 a changed hash makes the direct dependents repeat the phase, and theirs only if they change', () => {
    const graph = graphOf({ a: [], b: ['a'], c: ['b'] });
    const engine = engineFor(graph);
    drain(engine, graph, engine.begin());
    engine.step({ type: 'reenter', service: 'a', phase: 'init' });
    expect(finish(engine, act('init', 'a', 1), 'other').sort()).toEqual(['init b #1', 'start a #1']);
    expect(finish(engine, act('init', 'b', 1), 'same')).toEqual(['start b #1']);
  });

  test('F-15 a re-entry during an action is not lost, and supersedes it in the queue', () => {
    const graph = graphOf({ a: [] });
    const engine = engineFor(graph);
    drain(engine, graph, engine.begin());
    engine.step({ type: 'reenter', service: 'a', phase: 'init' });
    engine.step({ type: 'reenter', service: 'a', phase: 'load' });
    expect(engine.isSuperseded(act('init', 'a', 1))).toBe(true);
    expect(label(engine.step({ type: 'superseded', action: act('init', 'a', 1) }))).toEqual(['load a #2']);
  });
});

describe('failure', () => {
  test('F-9 a failed Init pauses the service, and begins again from Load', () => {
    const graph = graphOf({ a: [], b: ['a'], other: [] });
    const engine = engineFor(graph);
    engine.begin();
    finish(engine, act('load', 'a'));
    expect(label(engine.step({ type: 'failed', action: act('init', 'a'), retryable: true }))).toEqual([
      'pause a 1',
    ]);
    expect(finish(engine, act('load', 'other'))).toEqual(['init other #0']);
    expect(label(engine.step({ type: 'retry', service: 'a' }))).toEqual(['load a #1']);
    expect(finish(engine, act('load', 'a', 1))).toContain('init a #1');
  });

  test('F-9 a failure that cannot be retried waits for a change', () => {
    const graph = graphOf({ a: [] });
    const engine = engineFor(graph);
    engine.begin();
    expect(label(engine.step({ type: 'failed', action: act('load', 'a'), retryable: false }))).toEqual([]);
    expect(label(engine.step({ type: 'reenter', service: 'a', phase: 'load' }))).toEqual(['load a #2']);
  });

  test('F-9 a crash of what runs pauses it; the attempts count up until it has been steady', () => {
    const graph = graphOf({ a: [] });
    const engine = engineFor(graph);
    drain(engine, graph, engine.begin());
    expect(label(engine.step(crash))).toEqual(['pause a 1']);
    expect(label(engine.step({ type: 'retry', service: 'a' }))).toEqual(['start a #1']);
    finish(engine, act('start', 'a', 1));
    expect(label(engine.step(crash))).toEqual(['pause a 2']);
    engine.step({ type: 'retry', service: 'a' });
    finish(engine, act('start', 'a', 2));
    engine.step({ type: 'steady', service: 'a' });
    expect(label(engine.step(crash))).toEqual(['pause a 1']);
  });

  test('F-15 a crash that is told before the Start is done is not lost', () => {
    const graph = graphOf({ a: [] });
    const engine = engineFor(graph);
    engine.begin();
    for (const phase of ['load', 'init'] as const) finish(engine, act(phase, 'a'));
    expect(label(engine.step(crash))).toEqual([]);
    expect(finish(engine, act('start', 'a'))).toEqual(['pause a 1']);
    expect(engine.isSettled()).toBe(false);
    expect(label(engine.step({ type: 'retry', service: 'a' }))).toEqual(['start a #1']);
  });

  test('F-9 a change ends the pause before its time', () => {
    const graph = graphOf({ a: [], b: ['a'] });
    const engine = engineFor(graph);
    drain(engine, graph, engine.begin());
    engine.step({ ...crash, service: 'b' });
    engine.step({ type: 'reenter', service: 'a', phase: 'init' });
    expect(finish(engine, act('init', 'a', 1), 'other')).toEqual(['start a #1', 'unpause b', 'init b #2']);
  });

  test('A-12 a crash that is told after the loss of the agent changes nothing of that: back to Load', () => {
    const engine = engineFor(graphOf({ a: [] }));
    engine.begin();
    for (const phase of ['load', 'init'] as const) finish(engine, act(phase, 'a'));
    engine.step({ ...crash, phase: 'load' });
    engine.step(crash);
    expect(finish(engine, act('start', 'a'))).toEqual(['pause a 1']);
    expect(label(engine.step({ type: 'retry', service: 'a' }))).toEqual(['load a #1']);
  });

  test('A-12 an agent that is lost while its service pauses takes it back to Load', () => {
    const graph = graphOf({ a: [] });
    const engine = engineFor(graph);
    drain(engine, graph, engine.begin());
    engine.step(crash);
    expect(label(engine.step({ ...crash, phase: 'load' }))).toEqual([]);
    expect(label(engine.step({ type: 'retry', service: 'a' }))).toEqual(['load a #1']);
  });

  test('A-12 an agent that is lost during an action takes the service back to Load, whether it fails or not', () => {
    for (const type of ['done', 'failed'] as const) {
      const engine = engineFor(graphOf({ a: [] }));
      engine.begin();
      for (const phase of ['load', 'init'] as const) finish(engine, act(phase, 'a'));
      engine.step({ ...crash, phase: 'load' });
      engine.step(
        type === 'done'
          ? { type, action: act('start', 'a'), hash: null }
          : { type, action: act('start', 'a'), retryable: true },
      );
      expect(label(engine.step({ type: 'retry', service: 'a' }))).toEqual(['load a #1']);
    }
  });
});

describe('a service that is told to hold', () => {
  test('F-21 is not started by a retry, a gate, or a change, and goes on when it is re-entered', () => {
    const graph = graphOf({ a: [], b: ['a'] });
    const engine = engineFor(graph);
    drain(engine, graph, engine.begin());
    engine.step({ ...crash, service: 'b' });
    expect(label(engine.step({ type: 'hold', service: 'b' }))).toEqual(['unpause b']);
    expect(label(engine.step({ type: 'retry', service: 'b' }))).toEqual([]);
    engine.step({ type: 'gate', dependent: 'b', dependency: 'a', open: false });
    expect(label(engine.step({ type: 'gate', dependent: 'b', dependency: 'a', open: true }))).toEqual([]);
    engine.step({ type: 'reenter', service: 'a', phase: 'init' });
    expect(finish(engine, act('init', 'a', 1), 'other')).toEqual(['start a #1']);
    expect(label(engine.step({ type: 'reenter', service: 'b', phase: 'start' }))[0]).toMatch(/^init b/);
  });

  test('F-21 during its Start rests when that has ended', () => {
    const graph = graphOf({ a: [] });
    const engine = engineFor(graph);
    engine.begin();
    for (const phase of ['load', 'init'] as const) finish(engine, act(phase, 'a'));
    engine.step({ type: 'hold', service: 'a' });
    expect(finish(engine, act('start', 'a'))).toEqual([]);
    expect(label(engine.step(crash))).toEqual([]);
    expect(label(engine.step({ type: 'reenter', service: 'a', phase: 'start' }))).toEqual(['start a #2']);
  });
});

describe('a service that keeps crashing', () => {
  test('F-16 is given up after its attempts, and comes back with all of them when it is asked for', () => {
    const graph = graphOf({ a: [] });
    const engine = engineFor(graph, 2);
    drain(engine, graph, engine.begin());
    expect(label(engine.step(crash))).toEqual(['pause a 1']);
    engine.step({ type: 'retry', service: 'a' });
    finish(engine, act('start', 'a', 1));
    expect(label(engine.step(crash))).toEqual(['give-up a 2']);
    expect(label(engine.step({ type: 'retry', service: 'a' }))).toEqual([]);
    expect(label(engine.step({ type: 'reenter', service: 'a', phase: 'start' }))).toEqual(['start a #3']);
    finish(engine, act('start', 'a', 3));
    expect(label(engine.step(crash))).toEqual(['pause a 1']);
  });

  test('F-9 F-16 a failing Init is tried for as long as the run goes on', () => {
    const graph = graphOf({ a: [] });
    const engine = engineFor(graph, 2);
    engine.begin();
    for (let round = 0; round < 20; round++) {
      finish(engine, act('load', 'a', round));
      const failed = { type: 'failed', action: act('init', 'a', round), retryable: true } as const;
      expect(label(engine.step(failed))).toEqual([`pause a ${round + 1}`]);
      engine.step({ type: 'retry', service: 'a' });
    }
  });
});

describe('a reload that fails while the process of before runs on', () => {
  test('F-15 repeats nothing, holds up nobody, and the next change goes through Load', () => {
    const graph = graphOf({ a: [], b: ['a'] });
    const engine = engineFor(graph);
    drain(engine, graph, engine.begin());
    expect(label(engine.step({ type: 'reenter', service: 'a', phase: 'init' }))).toEqual(['init a #1']);
    expect(label(engine.step({ type: 'kept', action: act('init', 'a', 1) }))).toEqual([]);
    expect(engine.isSettled()).toBe(true);
    expect(label(engine.step({ type: 'reenter', service: 'b', phase: 'init' }))).toEqual(['init b #1']);
    expect(label(engine.step({ type: 'reenter', service: 'a', phase: 'start' }))).toEqual(['load a #3']);
  });

  test('F-15 a change that arrived meanwhile is gone through', () => {
    const graph = graphOf({ a: [] });
    const engine = engineFor(graph);
    drain(engine, graph, engine.begin());
    engine.step({ type: 'reenter', service: 'a', phase: 'init' });
    engine.step({ type: 'reenter', service: 'a', phase: 'init' });
    expect(label(engine.step({ type: 'kept', action: act('init', 'a', 1) }))).toEqual(['load a #2']);
  });

  test('F-9 F-15 a crash of the process that was kept begins again at Load', () => {
    const graph = graphOf({ a: [] });
    const engine = engineFor(graph);
    drain(engine, graph, engine.begin());
    engine.step({ type: 'reenter', service: 'a', phase: 'init' });
    engine.step({ type: 'kept', action: act('init', 'a', 1) });
    expect(label(engine.step(crash))).toEqual(['pause a 1']);
    expect(label(engine.step({ type: 'retry', service: 'a' }))).toEqual(['load a #3']);
  });

  test('F-9 F-15 a crash in the middle of what then fails begins again at Load as well', () => {
    const graph = graphOf({ a: [] });
    const engine = engineFor(graph);
    drain(engine, graph, engine.begin());
    engine.step({ type: 'reenter', service: 'a', phase: 'init' });
    expect(label(engine.step(crash))).toEqual([]);
    expect(label(engine.step({ type: 'kept', action: act('init', 'a', 1) }))).toEqual(['pause a 1']);
    expect(label(engine.step({ type: 'retry', service: 'a' }))).toEqual(['load a #2']);
  });
});
