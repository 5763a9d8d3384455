import { create } from '@bufbuild/protobuf';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, test } from 'vitest';
import { serviceDefinition } from '../../agents/wire/index.ts';
import {
  Health,
  type HealthCheckRequest,
  HealthCheckResponse_ServingStatus,
  HealthCheckResponseSchema,
} from '../../gen/grpc/health/v1/health_pb.js';
import { certificate, certificateKey } from './certificate-fixture.ts';
import { grpcHealth } from './probe-grpc.ts';

const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus;
const unlimited = { signal: new AbortController().signal, timeoutMs: 10_000 };
type Answer = HealthCheckResponse_ServingStatus | 'never' | undefined;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.forceShutdown();
});

/** A server whose health service answers from a table; without a table it has none. */
async function serve(
  answers?: Readonly<Record<string, Answer>>,
  secured = false,
): Promise<{ readonly port: number; readonly asked: string[] }> {
  const server = new Server();
  servers.push(server);
  const asked: string[] = [];
  if (answers !== undefined)
    server.addService(serviceDefinition(Health), {
      check: (
        { request }: { readonly request: HealthCheckRequest },
        reply: (error: { readonly code: status; readonly details: string } | null, answer?: unknown) => void,
      ) => {
        asked.push(request.service);
        const answer = answers[request.service];
        if (answer === undefined) reply({ code: status.NOT_FOUND, details: 'unknown service' });
        else if (answer !== 'never') reply(null, create(HealthCheckResponseSchema, { status: answer }));
      },
    });
  const credentials = secured
    ? ServerCredentials.createSsl(null, [
        { private_key: Buffer.from(certificateKey), cert_chain: Buffer.from(certificate) },
      ])
    : ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return { port, asked };
}

const ask = (port: number, services: readonly string[] = [], secured = false) =>
  grpcHealth({ host: '127.0.0.1', port, secured, services }, unlimited);

describe('grpcHealth', () => {
  test('R-3 where no service is declared the server-wide status is asked for', async () => {
    const { port, asked } = await serve({ '': SERVING });
    expect(await ask(port)).toEqual({ ok: true });
    expect(asked).toEqual(['']);
  });

  test('R-3 each declared service is asked for, and all must be SERVING', async () => {
    const { port, asked } = await serve({ '': SERVING, 'shop.v1.Cart': SERVING, 'shop.v1.Pay': NOT_SERVING });
    expect(await ask(port, ['shop.v1.Cart'])).toEqual({ ok: true });
    expect(await ask(port, ['shop.v1.Cart', 'shop.v1.Pay'])).toEqual({
      ok: false,
      error: 'shop.v1.Pay is NOT_SERVING',
    });
    expect(asked).toEqual(['shop.v1.Cart', 'shop.v1.Cart', 'shop.v1.Pay']);
  });

  test('a service that the health service does not know is told', async () => {
    const { port } = await serve({ '': SERVING });
    expect(await ask(port, ['shop.v1.Cart'])).toEqual({
      ok: false,
      error: 'the health service does not know shop.v1.Cart',
    });
  });

  test('R-1 UNIMPLEMENTED is accepted as transport-only, and said', async () => {
    const { port } = await serve();
    expect(await ask(port, ['shop.v1.Cart'])).toEqual({
      ok: true,
      note: 'transport only: the server has no health service',
    });
  });

  test('R-3 TLS comes from `secured`; on loopback a self-signed certificate is accepted', async () => {
    const { port } = await serve({ '': SERVING }, true);
    expect(await ask(port, [], true)).toEqual({ ok: true });
    expect(
      await grpcHealth(
        { host: '127.0.0.1', port, secured: false, services: [] },
        { ...unlimited, timeoutMs: 2_000 },
      ),
    ).toMatchObject({ ok: false });
  });

  test('R-6 while nothing listens the attempt is a refused connection', async () => {
    const { port } = await serve({});
    for (const server of servers.splice(0)) server.forceShutdown();
    expect(await ask(port)).toEqual({ ok: false, error: 'connection refused' });
  });

  test('R-6 a health service that never answers is given up after the time-out', async () => {
    const { port } = await serve({ '': 'never' });
    const result = await grpcHealth(
      { host: '127.0.0.1', port, secured: false, services: [] },
      { ...unlimited, timeoutMs: 300 },
    );
    expect(result).toEqual({ ok: false, error: 'no answer within 300 ms' });
  });
});
