/** `grpc-health` (R-3): the health service of the endpoint says SERVING. */
import { isIPv6 } from 'node:net';
import type { ServiceError } from '@grpc/grpc-js';
import type { HealthCheckResponse } from '../../gen/grpc/health/v1/health_pb.js';
import { attempt, failed, isLoopback, type ProbeOptions, type ProbeResult } from './attempt.ts';
import { tcpConnect } from './probe-tcp.ts';
import type { GrpcTarget } from './target.ts';

/**
 * Asks for the health of each declared protobuf service, or of the whole server where none is declared, all on one
 * channel that is closed afterwards. A server without a health service (UNIMPLEMENTED) is accepted as transport-only,
 * with a note that says so. TLS comes from `secured`; certificates are treated as in `httpStatus`.
 */
export async function grpcHealth(
  target: Omit<GrpcTarget, 'predicate'>,
  options: ProbeOptions,
): Promise<ProbeResult> {
  // A bare connection first: while nothing listens, an attempt costs no channel.
  const transport = await tcpConnect(target.host, target.port, options);
  if (!transport.ok) return transport;
  const grpc = await loadGrpc();
  const names = target.services.length === 0 ? [''] : target.services;
  return attempt(options, (settle) => {
    const channel = new grpc.Client(authority(target), credentials(grpc, target), {
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_retries': 0,
      'grpc.enable_http_proxy': 0,
      // TLS has no server name for an IP address; nothing is verified on loopback, so any name will do.
      ...(target.secured && isLoopback(target.host) && { 'grpc.ssl_target_name_override': 'localhost' }),
    });
    let missing = names.length;
    const calls = names.map((name) =>
      channel.makeUnaryRequest(
        grpc.check.path,
        grpc.check.requestSerialize,
        grpc.check.responseDeserialize,
        grpc.request(name),
        new grpc.Metadata(),
        (error: ServiceError | null, answer?: unknown) => {
          const result = error ? refusal(grpc, error, name) : grpc.judge(answer as HealthCheckResponse, name);
          missing -= 1;
          if (!result.ok || missing === 0) settle(result);
        },
      ),
    );
    return () => {
      for (const call of calls) call.cancel();
      channel.close();
    };
  });
}

type Grpc = Awaited<ReturnType<typeof loadGrpc>>;

/** Loaded at the first gRPC endpoint that answers: a run without any does not pay for it. */
async function loadGrpc() {
  const [{ Client, Metadata, credentials, status }, wire, health, { create }] = await Promise.all([
    import('@grpc/grpc-js'),
    import('../../agents/wire/index.ts'),
    import('../../gen/grpc/health/v1/health_pb.js'),
    import('@bufbuild/protobuf'),
  ]);
  const { SERVING } = health.HealthCheckResponse_ServingStatus;
  return {
    Client,
    Metadata,
    credentials,
    status,
    check: wire.methodDefinition(health.Health.method.check),
    request: (service: string) => create(health.HealthCheckRequestSchema, { service }),
    judge: (answer: HealthCheckResponse, name: string): ProbeResult =>
      answer.status === SERVING
        ? { ok: true }
        : failed(
            `${named(name)} is ${health.HealthCheckResponse_ServingStatus[answer.status] ?? answer.status}`,
          ),
  };
}

function refusal({ status }: Grpc, error: ServiceError, name: string): ProbeResult {
  switch (error.code) {
    case status.UNIMPLEMENTED:
      return { ok: true, note: 'transport only: the server has no health service' };
    case status.NOT_FOUND:
      return failed(`the health service does not know ${named(name)}`);
    default:
      return failed(`${named(name)}: ${status[error.code] ?? error.code}: ${error.details}`);
  }
}

function named(service: string): string {
  return service === '' ? 'the server' : service;
}

function authority({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function credentials(grpc: Grpc, { host, secured }: Omit<GrpcTarget, 'predicate'>) {
  if (!secured) return grpc.credentials.createInsecure();
  if (!isLoopback(host)) return grpc.credentials.createSsl();
  return grpc.credentials.createSsl(null, null, null, {
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
  });
}
