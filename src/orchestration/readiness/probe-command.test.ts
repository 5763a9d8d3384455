import { describe, expect, test } from 'vitest';
import type { ServiceId } from '../../workspace/index.ts';
import { type CommandEnd, type CommandRequest, commandExits } from './probe-command.ts';
import type { CommandTarget } from './target.ts';

const target: CommandTarget = {
  predicate: 'command',
  service: 'shop/api' as ServiceId,
  command: ['pg_isready'],
  directory: '/shop/db',
  environment: [
    { name: 'PGPORT', value: '5432', secret: false },
    { name: 'PGPASSWORD', value: 'plum-horse-42', secret: true },
  ],
};
const unlimited = { signal: new AbortController().signal, timeoutMs: 5_000 };
const ends = (end: CommandEnd['end'], lastLine = '') =>
  commandExits(target, async () => ({ end, lastLine }), unlimited);

/** A command that runs until it is told to end, as a killed one does. */
const runsUntilAborted = ({ signal }: CommandRequest): Promise<CommandEnd> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () =>
      resolve({ end: { kind: 'signalled', signal: 'SIGKILL' }, lastLine: '' }),
    );
  });

describe('commandExits', () => {
  test('R-1 the declared command is run with the environment of its service, and holds when it exits 0', async () => {
    const requests: CommandRequest[] = [];
    const result = await commandExits(
      target,
      async (request) => {
        requests.push(request);
        return { end: { kind: 'exited', code: 0 }, lastLine: 'accepting connections' };
      },
      unlimited,
    );
    expect(result).toEqual({ ok: true });
    expect(requests).toMatchObject([
      {
        command: ['pg_isready'],
        directory: '/shop/db',
        environment: new Map([
          ['PGPORT', '5432'],
          ['PGPASSWORD', 'plum-horse-42'],
        ]),
      },
    ]);
  });

  test('a failed one is told with its status or signal, and its last words', async () => {
    expect(await ends({ kind: 'exited', code: 2 }, 'no response')).toEqual({
      ok: false,
      error: 'the command exited with status 2: no response',
    });
    expect(await ends({ kind: 'exited', code: 1 })).toEqual({
      ok: false,
      error: 'the command exited with status 1',
    });
    expect(await ends({ kind: 'signalled', signal: 'SIGSEGV' })).toEqual({
      ok: false,
      error: 'the command was killed by SIGSEGV',
    });
  });

  test('C-2 a secret of the service is masked in its last words, and what is none is not', async () => {
    expect(await ends({ kind: 'exited', code: 1 }, 'plum-horse-42 is refused on 5432')).toEqual({
      ok: false,
      error: 'the command exited with status 1: *** is refused on 5432',
    });
  });

  test('R-6 one that takes too long is ended and told', async () => {
    expect(await commandExits(target, runsUntilAborted, { ...unlimited, timeoutMs: 20 })).toEqual({
      ok: false,
      error: 'no answer within 20 ms',
    });
  });

  test('one that cannot be ended either is told so', async () => {
    const result = await commandExits(
      target,
      async (request) => {
        await runsUntilAborted(request);
        throw new Error('process group 42 may not be sent SIGKILL');
      },
      { ...unlimited, timeoutMs: 20 },
    );
    expect(result).toEqual({
      ok: false,
      error: 'no answer within 20 ms: process group 42 may not be sent SIGKILL',
    });
  });

  test('an aborted attempt ends the command', async () => {
    const controller = new AbortController();
    const attempt = commandExits(target, runsUntilAborted, { ...unlimited, signal: controller.signal });
    controller.abort();
    expect(await attempt).toEqual({ ok: false, error: 'cancelled' });
  });

  test('one that cannot be started is told', async () => {
    const result = await commandExits(
      target,
      async () => Promise.reject(new Error('pg_isready: not found')),
      unlimited,
    );
    expect(result).toEqual({ ok: false, error: 'the command cannot be run: pg_isready: not found' });
  });
});
