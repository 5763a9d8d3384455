import { describe, expect, test } from 'vitest';
import { type Ancestor, type Family, judge } from './kinship.ts';
import type { Kin } from './system.ts';

/** The service's leader is 100, started by the agent 50 at tick 1000 in a session of its own. */
const leaderKin: Kin = { pid: 100, parent: 50, group: 100, session: 100, start: '1000' };
const service: Family = {
  leaders: [{ pid: 100, start: '1000', boot: 'b' }],
  living: new Map([[100, leaderKin]]),
  secrets: new Set(['ours']),
};
const plain = { secret: undefined, isReaper: false, isForwarder: false };
const leader: Ancestor = { ...leaderKin, ...plain };
const init: Ancestor = { ...plain, pid: 1, parent: 0, group: 1, session: 1, start: '1', isReaper: true };
const agent: Ancestor = { ...plain, pid: 50, parent: 40, group: 50, session: 1, start: '900' };
const terminal: Ancestor = { ...plain, pid: 30, parent: 1, group: 30, session: 30, start: '700' };
const shell: Ancestor = { ...plain, pid: 60, parent: 30, group: 60, session: 60, start: '800' };
const daemon: Ancestor = { ...plain, pid: 70, parent: 1, group: 70, session: 70, start: '600' };

function process(pid: number, rest: Partial<Ancestor> = {}): Ancestor {
  return { ...plain, pid, parent: 1, group: pid, session: pid, start: '2000', ...rest };
}

describe('R-9 a listener is of the service when its holder', () => {
  test.each<[string, readonly Ancestor[]]>([
    ['leads the group', [leader, agent, init]],
    ['is in the group', [process(101, { parent: 100, group: 100, session: 100 }), leader, agent, init]],
    ['leads a group of its own and is a descendant', [process(102, { parent: 100 }), leader, agent, init]],
    ['is in the group after its parents have ended', [process(103, { group: 100, session: 100 }), init]],
    ['is in the session after its parents have ended', [process(104, { session: 100 }), init]],
    ['was given the secret, and is a daemon', [process(105, { secret: 'ours' }), init]],
    [
      'descends from a daemon that was given the secret',
      [process(107, { parent: 106, secret: 'of a group inside' }), process(106, { secret: 'ours' }), init],
    ],
    ['is the agent that has started it', [agent, init]],
  ])('%s', (_title, ancestors) => {
    expect(judge(ancestors, service)).toBe('own');
  });
});

describe('R-9 a listener is foreign when its holder', () => {
  test.each<[string, readonly Ancestor[]]>([
    ['began before the service', [process(200, { start: '999' }), init]],
    [
      'was started in another terminal later',
      [process(201, { parent: 60, session: 60 }), shell, terminal, init],
    ],
    [
      'was started later, by a shell of a shell',
      [
        process(205, { parent: 204, session: 204 }),
        process(204, { parent: 60, session: 60 }),
        shell,
        terminal,
        init,
      ],
    ],
    ['was started later, in a session of its own', [process(207, { parent: 60 }), shell, terminal, init]],
    ['was started by the first process of a container', [process(206, { session: 1 }), init]],
    ['is another service of the same agent', [process(202, { parent: 50 }), agent, init]],
    [
      'is a service of another agent',
      [process(203, { parent: 60, secret: 'theirs' }), shell, terminal, init],
    ],
  ])('%s', (_title, ancestors) => {
    expect(judge(ancestors, service)).toBe('foreign');
  });
});

describe('R-9 it cannot be told', () => {
  test('of an orphan that may have been the service’s: it leads a session, and its reaper is its parent', () => {
    expect(judge([process(300), init], service)).toBe('unclear');
  });

  test('of what a daemon has started, for the service may have asked it to', () => {
    expect(judge([process(305, { parent: 70, session: 70 }), daemon, init], service)).toBe('unclear');
    const ofAnother = process(306, { parent: 70, session: 70, secret: 'theirs' });
    expect(judge([ofAnother, daemon, init], service)).toBe('unclear');
  });

  test('of who listens for others, such as for a container', () => {
    expect(judge([process(307, { start: '2', isForwarder: true }), init], service)).toBe('unclear');
  });

  test('where the starts of processes cannot be compared', () => {
    const elsewhere = { ...service, leaders: [{ pid: 100, start: 'noon', boot: 'b' }] };
    expect(judge([process(302, { start: '1' }), init], elsewhere)).toBe('unclear');
  });

  test('where every group of the service is gone', () => {
    const gone: Family = { leaders: [], living: new Map(), secrets: new Set() };
    expect(judge([process(303, { start: '1' }), init], gone)).toBe('unclear');
  });

  test('where the service shares a session with others', () => {
    const inSession: Family = { ...service, living: new Map([[100, { ...leaderKin, session: 60 }]]) };
    expect(judge([process(304, { session: 1 }), init], inSession)).toBe('unclear');
  });
});
