import { describe, expect, test } from 'vitest';
import type { ListenerOwnership } from '../../processes/index.ts';
import type { ProbeResult } from './attempt.ts';
import { ownedProbe } from './listener-owner.ts';
import { accepted, refused, watched } from './scripted-monitor.ts';

const subject = watched('api', 14_180);
const options = { signal: new AbortController().signal, timeoutMs: 1_000 };
const own: ListenerOwnership = { kind: 'own', sockets: '1' };

/** The results of attempts that find this, each with whom the listener is said to be of. */
async function results(
  attempts: readonly (readonly [ProbeResult, ListenerOwnership | Error])[],
): Promise<{ results: ProbeResult[]; doubts: string[]; known: (ListenerOwnership | undefined)[] }> {
  let at = 0;
  const doubts: string[] = [];
  const known: (ListenerOwnership | undefined)[] = [];
  const probe = ownedProbe(async () => attempts[at]?.[0] ?? refused, subject, [], {
    ask: async (_address, _groups, former) => {
      known.push(former);
      const answer = attempts[at]?.[1] ?? own;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    onDoubt: (_subject, why) => void doubts.push(why),
  });
  const found: ProbeResult[] = [];
  for (; at < attempts.length; at++) found.push(await probe(subject.target, options));
  return { results: found, doubts, known };
}

describe('an answer counts', () => {
  test('R-9 where it is the service’s own; the last answer is handed on while it holds', async () => {
    expect(
      await results([
        [accepted, own],
        [accepted, own],
        [refused, own],
        [accepted, own],
      ]),
    ).toEqual({
      results: [accepted, accepted, refused, accepted],
      doubts: [],
      known: [undefined, own, undefined],
    });
  });

  test('R-9 with a doubt where it cannot be told', async () => {
    const doubtful: ListenerOwnership = { kind: 'doubtful', sockets: '1', why: 'it is hidden' };
    expect(
      await results([
        [accepted, doubtful],
        [accepted, new Error('no table')],
      ]),
    ).toMatchObject({
      results: [
        { ok: true, note: 'it cannot be told whose the listener is: it is hidden' },
        { ok: true, note: 'it cannot be told whose the listener is: no table' },
      ],
      doubts: ['it is hidden', 'no table'],
    });
  });

  test('R-9 where nobody is seen to listen: a doubt, once it is seen twice', async () => {
    const unseen: ListenerOwnership = { kind: 'unseen' };
    expect(
      await results([
        [accepted, unseen],
        [accepted, unseen],
      ]),
    ).toMatchObject({
      results: [accepted, { ok: true, note: expect.stringContaining('no listener') }],
      doubts: ['no listener of this machine is seen there'],
    });
    expect(
      (
        await results([
          [accepted, unseen],
          [refused, own],
          [accepted, unseen],
        ])
      ).doubts,
    ).toEqual([]);
  });
});

test('R-9 a stranger’s answer is not readiness, and the stranger is named', async () => {
  const foreign: ListenerOwnership = { kind: 'foreign', sockets: '2', pid: 4_242, command: 'node other.js' };
  expect((await results([[accepted, foreign]])).results).toEqual([
    {
      ok: false,
      error: '127.0.0.1:14180 is answered by pid 4242 (node other.js), which is not of shop/api',
    },
  ]);
});
