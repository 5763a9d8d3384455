import { describe, expect, test } from 'vitest';
import { type Family, judge } from './kinship.ts';
import type { Kin } from './system.ts';

/** The service's leader is 100, started by the agent 50 at tick 1000 in a session of its own. */
const leader: Kin = { pid: 100, parent: 50, group: 100, session: 100, start: '1000' };
const service: Family = {
  leaders: [{ pid: 100, start: '1000', boot: 'b' }],
  living: new Map([[100, leader]]),
  secrets: new Set(['ours']),
};
const init: Kin = { pid: 1, parent: 0, group: 1, session: 1, start: '1' };
const agent: Kin = { pid: 50, parent: 1, group: 50, session: 1, start: '900' };
const shell: Kin = { pid: 60, parent: 1, group: 60, session: 60, start: '800' };

function process(pid: number, rest: Partial<Kin> = {}): Kin {
  return { pid, parent: 1, group: pid, session: pid, start: '2000', ...rest };
}

const judged = (ancestors: readonly Kin[], secrets: readonly (string | undefined)[] = [], of = service) =>
  judge(ancestors, of, secrets);

describe('R-9 a listener is of the service when its holder', () => {
  test.each<[string, readonly Kin[], readonly (string | undefined)[]]>([
    ['leads the group', [leader, agent, init], []],
    ['is in the group', [process(101, { parent: 100, group: 100, session: 100 }), leader, agent, init], []],
    [
      'leads a group of its own and is a descendant',
      [process(102, { parent: 100 }), leader, agent, init],
      [],
    ],
    ['is in the group after its parents have ended', [process(103, { group: 100, session: 100 }), init], []],
    ['is in the session after its parents have ended', [process(104, { session: 100 }), init], []],
    ['was given the secret, and is a daemon', [process(105), init], ['ours']],
    [
      'descends from a daemon that was given the secret',
      [process(107, { parent: 106 }), process(106), init],
      ['of a group inside', 'ours'],
    ],
    ['is the agent that has started it', [agent, init], ['of the agent']],
  ])('%s', (_title, ancestors, secrets) => {
    expect(judged(ancestors, secrets)).toBe('own');
  });
});

describe('R-9 a listener is foreign when its holder', () => {
  test.each<[string, readonly Kin[], readonly (string | undefined)[]]>([
    ['began before the service', [process(200, { start: '999' }), init], []],
    ['is somebody else’s child', [process(201, { parent: 60, session: 60 }), shell, init], []],
    ['is another service of the same agent', [process(202, { parent: 50 }), agent, init], []],
    ['is a service of another agent', [process(203, { parent: 60 }), shell, init], ['theirs']],
  ])('%s', (_title, ancestors, secrets) => {
    expect(judged(ancestors, secrets)).toBe('foreign');
  });
});

describe('R-9 it cannot be told', () => {
  test('of an orphan that may have been the service’s: it leads a session, and its reaper is its parent', () => {
    expect(judged([process(300), init])).toBe('unclear');
    expect(judged([process(301, { parent: 60 }), shell, init])).toBe('unclear');
  });

  test('where the starts of processes cannot be compared', () => {
    const elsewhere = { ...service, leaders: [{ pid: 100, start: 'noon', boot: 'b' }] };
    expect(judged([process(302, { start: '1' }), init], [], elsewhere)).toBe('unclear');
  });

  test('where every group of the service is gone', () => {
    const gone: Family = { leaders: [], living: new Map(), secrets: new Set() };
    expect(judged([process(303, { start: '1' }), init], [], gone)).toBe('unclear');
  });

  test('where the service shares a session with others', () => {
    const inSession: Family = { ...service, living: new Map([[100, { ...leader, session: 60 }]]) };
    expect(judged([process(304, { parent: 60, session: 60 }), shell, init], [], inSession)).toBe('unclear');
  });
});
