import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSecuredServer } from 'node:https';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpHealth } from '../../workspace/index.ts';
import { certificate, certificateKey } from './certificate-fixture.ts';
import { httpStatus } from './probe-http.ts';

const unlimited = { signal: new AbortController().signal, timeoutMs: 10_000 };
const declared: HttpHealth = { path: '/healthz', method: 'HEAD', statuses: [[200, 399]], headers: new Map() };

const servers: TcpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

async function listen(server: TcpServer): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Asks a server that answers as `answer` does. */
async function ask(answer: RequestListener, health: Partial<HttpHealth> = {}) {
  const port = await listen(createServer(answer));
  return httpStatus(
    { host: '127.0.0.1', port, secured: false, health: { ...declared, ...health } },
    unlimited,
  );
}

const status =
  (code: number): RequestListener =>
  (_request, response) =>
    void response.writeHead(code, { location: '/elsewhere' }).end();

describe('httpStatus', () => {
  test('R-3 asks for the declared path, method and headers', async () => {
    const requests: IncomingMessage[] = [];
    const record: RequestListener = (request, response) => {
      requests.push(request);
      response.end();
    };
    expect(await ask(record)).toEqual({ ok: true });
    expect(
      await ask(record, { method: 'GET', path: '/ready?deep=1', headers: new Map([['x-probe', 'skein']]) }),
    ).toEqual({ ok: true });
    expect(requests.map(({ method, url, headers }) => [method, url, headers['x-probe']])).toEqual([
      ['HEAD', '/healthz', undefined],
      ['GET', '/ready?deep=1', 'skein'],
    ]);
  });

  test.each([
    [200, undefined],
    [204, undefined],
    [399, undefined],
    [404, '404 Not Found'],
    [503, '503 Service Unavailable'],
  ])('R-3 by default 200 to 399 hold: %i', async (code, error) => {
    expect(await ask(status(code))).toEqual(error === undefined ? { ok: true } : { ok: false, error });
  });

  test('R-3 the declared statuses alone hold', async () => {
    const health: Partial<HttpHealth> = {
      statuses: [
        [204, 204],
        [401, 403],
      ],
    };
    expect(await ask(status(401), health)).toEqual({ ok: true });
    expect(await ask(status(200), health)).toEqual({ ok: false, error: '200 OK' });
  });

  test('R-3 a redirect is not followed: it is the status that it is', async () => {
    const paths: (string | undefined)[] = [];
    const redirect: RequestListener = (request, response) => {
      paths.push(request.url);
      status(302)(request, response);
    };
    expect(await ask(redirect)).toEqual({ ok: true });
    expect(await ask(redirect, { statuses: [[200, 299]] })).toEqual({ ok: false, error: '302 Found' });
    expect(paths).toEqual(['/healthz', '/healthz']);
  });

  const body =
    (...parts: readonly string[]): RequestListener =>
    (_request, response) => {
      // One part is sent only when the one before has left, so that they arrive as chunks of their own.
      const write = ([part, ...rest]: readonly string[]): void => {
        if (part === undefined) response.end();
        else response.write(part, () => setImmediate(write, rest));
      };
      write(parts);
    };

  test('R-3 `body-contains` is looked for in the body, also across chunks', async () => {
    const health = { method: 'GET', bodyContains: '"status":"up"' } as const;
    expect(await ask(body('{"status":"up"}'), health)).toEqual({ ok: true });
    expect(await ask(body('{"sta', 'tus":', '"up"}'), health)).toEqual({ ok: true });
    expect(await ask(body('{"status":"down"}'), health)).toEqual({
      ok: false,
      error: 'the body does not contain "\\"status\\":\\"up\\""',
    });
  });

  test('R-3 a body is read up to 1 MiB', async () => {
    const health = { method: 'GET', bodyContains: 'up' } as const;
    const padding = '.'.repeat(1024 * 1024 - 2);
    expect(await ask(body(padding, 'up'), health)).toEqual({ ok: true });
    expect(await ask(body(`${padding}.`, 'up'), health)).toEqual({
      ok: false,
      error: 'the first 1 MiB of the body does not contain "up"',
    });
  });

  test('a body that never ends is not waited for where only the status counts', async () => {
    expect(await ask((_request, response) => void response.write('…'), { method: 'GET' })).toEqual({
      ok: true,
    });
  });

  test('R-3 a secured endpoint on loopback may have a self-signed certificate', async () => {
    const server = createSecuredServer({ cert: certificate, key: certificateKey }, status(200));
    const port = await listen(server);
    expect(await httpStatus({ host: '127.0.0.1', port, secured: true, health: declared }, unlimited)).toEqual(
      { ok: true },
    );
    expect(
      await httpStatus({ host: '127.0.0.1', port, secured: false, health: declared }, unlimited),
    ).toMatchObject({ ok: false });
  });

  test('R-6 a server that accepts and says nothing is given up after the time-out, and its socket closed', async () => {
    const server = createTcpServer();
    const port = await listen(server);
    const closed = once(server, 'connection').then(([socket]) => once(socket.resume(), 'close'));
    const result = await httpStatus(
      { host: '127.0.0.1', port, secured: false, health: declared },
      { ...unlimited, timeoutMs: 50 },
    );
    expect(result).toEqual({ ok: false, error: 'no answer within 50 ms' });
    await closed;
  });

  test('a server that hangs up, and one that speaks something else, are told apart from silence', async () => {
    const hangsUp = await listen(createTcpServer((socket) => void socket.destroy()));
    const target = { host: '127.0.0.1', secured: false, health: declared };
    expect(await httpStatus({ ...target, port: hangsUp }, unlimited)).toEqual({
      ok: false,
      error: 'connection reset',
    });
    const other = await listen(
      createTcpServer((socket) => void socket.resume().end('SSH-2.0-OpenSSH\r\n\r\n')),
    );
    expect(await httpStatus({ ...target, port: other }, unlimited)).toMatchObject({
      ok: false,
      error: expect.stringContaining('Parse Error'),
    });
  });

  test('what cannot be asked fails, and does not throw', async () => {
    const result = await httpStatus(
      { host: '127.0.0.1', port: 1, secured: false, health: { ...declared, path: '/a b' } },
      unlimited,
    );
    expect(result).toMatchObject({ ok: false });
  });
});
