import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { socketClient } from '../../src/control/client.ts';
import { LogStore, type ServedRun, serveRun } from '../../src/control/index.ts';
import { watchEvents } from '../../src/control/streams.ts';
import { SkeinError, SkeinFaults } from '../../src/errors/index.ts';
import { ControlService, RunState } from '../../src/gen/skein/control/v1/control_pb.js';
import type { ServiceId } from '../../src/workspace/index.ts';

import { type ScriptedRun, scriptedRun } from './scripted-run.ts';

const api = 'shop/api' as ServiceId;
let folder: string;
let socket: string;
let run: ScriptedRun;
let logs: LogStore;
let served: ServedRun;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skein-server-'));
  socket = join(folder, 'run.sock');
  run = scriptedRun(['db', 'api']);
  logs = new LogStore({
    rotateBytes: 1 << 20,
    folder,
    services: () => [...run.workspace.services.keys()],
    fileName: (service) => `${service.replace('/', '--')}.log`,
    writesOwnLog: () => false,
    onWriteError: (_, error) => {
      throw error;
    },
  });
  run.onLog((chunk) => logs.append(chunk));
  served = await serveRun(run, logs, socket);
});

afterEach(async () => {
  logs.close();
  run.end();
  await served[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const h2 = () => ({ baseUrl: 'http://skein', nodeOptions: { createConnection: () => connect(socket) } });

describe('U-9 one socket serves every protocol', () => {
  test('plain JSON over HTTP/1.1, as curl sends it', async () => {
    const answer = await post('/skein.control.v1.ControlService/GetSnapshot', '{}');
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({
      run: { workspace: 'shop', state: 'RUN_STATE_STARTING' },
    });
  });

  test.each([
    ['Connect over HTTP/1.1', () => socketClient(socket)],
    ['gRPC over HTTP/2', () => createClient(ControlService, createGrpcTransport(h2()))],
    [
      'gRPC-Web over HTTP/1.1',
      () =>
        createClient(
          ControlService,
          createGrpcWebTransport({
            baseUrl: 'http://skein',
            httpVersion: '1.1',
            nodeOptions: { socketPath: socket },
          }),
        ),
    ],
  ])('%s: a call and a stream that ends with the run', async (_, client) => {
    const control = client();
    expect((await control.getSnapshot({})).run?.state).toBe(RunState.STARTING);
    const seen: string[] = [];
    run.happen({ type: 'service-state', service: api, state: 'starting', cause: '' });
    for await (const { events } of control.watchEvents({})) {
      seen.push(...events.map((event) => `${event.service} ${event.phase} ${event.state}`));
      if (seen.length === 1) {
        run.happen({ type: 'service-state', service: api, state: 'running', cause: '' });
        run.end();
      }
    }
    expect(seen).toEqual(['shop/api start starting', 'shop/api start running', ' stop starting']);
  });

  test('the process that holds the run reads the same without a socket', async () => {
    run.happen({ type: 'service-state', service: api, state: 'starting', cause: '' });
    run.print({ service: api, stream: 'stdout', timeMs: 1, text: 'hello', partial: false, lost: 0 });
    const seen: string[] = [];
    const read = async (): Promise<void> => {
      for await (const chunks of served.output()) {
        seen.push(...chunks.map(({ text }) => text));
        run.end();
      }
    };
    const output = read();
    for await (const events of served.events()) seen.push(...events.map(({ state }) => state));
    logs.close();
    await output;
    expect(seen.toSorted()).toEqual(['hello', 'starting', 'starting']);
  });

  test('an unknown path is 404', async () => {
    expect((await post('/nothing', '{}')).status).toBe(404);
  });

  test('the socket is for this user only', () => {
    expect(statSync(socket).mode & 0o777).toBe(0o600);
  });
});

describe('what is asked reaches the run', () => {
  test('restart by a bare name answers the pid', async () => {
    run.happen({ type: 'process-started', service: api, pid: 77, restart: true });
    expect(await socketClient(socket).restart({ service: 'api' })).toMatchObject({ pid: 77 });
    expect(run.asked).toEqual(['restart shop/api']);
  });

  test('stop of services, and of the whole run with a budget, answer the receipt', async () => {
    const client = socketClient(socket);
    await client.stop({ services: ['db'], only: true });
    const { receipt } = await client.stop({ budgetMs: 200 });
    expect(run.asked).toEqual(['stop shop/db only', 'stop all in 200 ms']);
    expect(receipt).toMatchObject({ operation: 'stop', layers: 2 });
    expect(receipt?.resources.map((resource) => resource.outcome)).toEqual(['stopped', 'forced']);
  });

  test('U-3 an error arrives as it was thrown', async () => {
    run.refuses = new SkeinError('SK1401', 'it does not come up', {
      place: { service: 'shop/api', phase: 'start' },
      remedy: 'mend it',
      lastLines: ['boom'],
    });
    const error = await socketClient(socket)
      .restart({ service: 'api' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SkeinError);
    expect(error).toMatchObject({
      code: 'SK1401',
      message: 'it does not come up',
      place: { service: 'shop/api', phase: 'start' },
      remedy: 'mend it',
      lastLines: ['boom'],
    });
  });

  test('an unknown service is refused with the nearest', async () => {
    await expect(socketClient(socket).why({ service: 'apo' })).rejects.toMatchObject({
      code: 'SK1031',
      message: expect.stringContaining('did you mean `api`'),
    });
  });

  test('F-17 extend passes names on as they are written, and answers who joined and left', async () => {
    const answer = await socketClient(socket).extend({ services: ['cache'] });
    expect(run.asked).toContain('extend cache');
    expect(answer).toMatchObject({ joined: ['shop/cache'], left: ['shop/web'], outdated: [] });
    expect(answer.receipt?.resources).toHaveLength(2);
  });

  test('F-19 all faults of a workspace that does not load arrive in one message', async () => {
    const place = { file: '/shop/workspace.skein.yaml', line: 3, column: 5 };
    run.refuses = new SkeinFaults([
      new SkeinError('SK1010', 'one', { place }),
      new SkeinError('SK1031', 'two'),
    ]);
    await expect(socketClient(socket).extend({})).rejects.toMatchObject({
      code: 'SK1010',
      message: '/shop/workspace.skein.yaml:3:5: one\ntwo',
    });
  });
});

describe('events that are not kept any more', () => {
  const states = ['loading', 'starting', 'running'] as const;
  const watch = async (afterSequence: bigint): Promise<bigint[]> => {
    for await (const { events } of socketClient(socket).watchEvents({ afterSequence }))
      return events.map(({ sequence }) => sequence);
    return [];
  };

  test('are refused by their number, and without one the stream begins with the oldest that is kept', async () => {
    for (const state of states) run.happen({ type: 'service-state', service: api, state, cause: '' });
    run.forget(2);
    await expect(watch(1n)).rejects.toMatchObject({
      code: 'SK1514',
      message: 'events 2 to 2 of the run are not kept any more; the oldest that is kept is 3',
    });
    expect(await watch(2n)).toEqual([3n]);
    expect(await watch(0n)).toEqual([3n]);
  });

  test.each([
    ['who goes on after a number is refused when he falls behind', 1n, 'SK1514', [2n]],
    ['who goes on after none is given what is kept', 0n, undefined, [1n, 2n, 5n]],
  ])('%s', async (_, afterSequence, code, wanted) => {
    for (const state of ['pending', 'loading'] as const)
      run.happen({ type: 'service-state', service: api, state, cause: '' });
    const seen: bigint[] = [];
    const read = async (): Promise<void> => {
      for await (const events of watchEvents(run, afterSequence)) {
        seen.push(...events.map(({ sequence }) => sequence));
        if (seen.at(-1) === 5n) return;
        for (const state of states) run.happen({ type: 'service-state', service: api, state, cause: '' });
        run.forget(4);
      }
    };
    const fault = await read().catch((error: unknown) => error);
    expect((fault as SkeinError | undefined)?.code).toBe(code);
    expect(seen).toEqual(wanted);
  });
});

describe('U-14 output', () => {
  test('what was printed, then what is printed, until the output ends', async () => {
    run.print({ service: api, stream: 'stdout', timeMs: 1, text: 'one\ntwo', partial: false, lost: 0 });
    const seen: string[] = [];
    for await (const { chunks } of socketClient(socket).logs({ services: ['api'], follow: true })) {
      seen.push(...chunks.map((chunk) => chunk.text));
      if (seen.length > 1) continue;
      run.print({ service: api, stream: 'stderr', timeMs: 2, text: 'three', partial: false, lost: 2 });
      logs.close();
    }
    expect(seen).toEqual(['one\ntwo', '[skein: 2 lines were lost here]', 'three']);
  });

  test('a reader that goes away leaves nothing behind', async () => {
    const before = run.listeners;
    const gone = new AbortController();
    const stream = socketClient(socket).watchEvents({}, { signal: gone.signal });
    run.happen({ type: 'service-state', service: api, state: 'starting', cause: '' });
    const reading = (async () => {
      for await (const _ of stream) gone.abort();
    })();
    await expect(reading).rejects.toBeDefined();
    await expect.poll(() => run.listeners).toBe(before);
  });
});

test('close ends idle connections and streams, and removes the socket', async () => {
  const idle = connect(socket);
  const closed = new Promise((resolve) => idle.once('close', resolve));
  await new Promise((resolve) => idle.once('connect', resolve));
  const stream = createClient(ControlService, createGrpcTransport(h2())).watchEvents({});
  run.happen({ type: 'service-state', service: api, state: 'starting', cause: '' });
  await stream[Symbol.asyncIterator]().next();
  await served[Symbol.asyncDispose]();
  await closed;
  expect(existsSync(socket)).toBe(false);
});

function post(path: string, body: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const call = request(
      { socketPath: socket, path, method: 'POST', headers: { 'content-type': 'application/json' } },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}
