/** `grpc-health` (R-3): the health service of the endpoint says SERVING. */
import { isIPv6 } from 'node:net';
import { create } from '@bufbuild/protobuf';
import {
  type ChannelCredentials,
  Client,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { methodDefinition } from '../../agents/wire/index.ts';
import {
  Health,
  HealthCheckRequestSchema,
  type HealthCheckResponse,
  HealthCheckResponse_ServingStatus,
} from '../../gen/grpc/health/v1/health_pb.js';
import { isLoopback } from '../../network/index.ts';
import { attempt, failed, type ProbeOptions, type ProbeResult } from './attempt.ts';
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
  const names = target.services.length === 0 ? [''] : target.services;
  return attempt(options, (settle) => {
    const channel = new Client(authority(target), channelCredentials(target), {
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_retries': 0,
      'grpc.enable_http_proxy': 0,
      // TLS has no server name for an IP address; nothing is verified on loopback, so any name will do.
      ...(target.secured && isLoopback(target.host) && { 'grpc.ssl_target_name_override': 'localhost' }),
    });
    let missing = names.length;
    const calls = names.map((name) =>
      channel.makeUnaryRequest(
        check.path,
        check.requestSerialize,
        check.responseDeserialize,
        create(HealthCheckRequestSchema, { service: name }),
        new Metadata(),
        (error: ServiceError | null, answer?: unknown) => {
          const result = error ? refusal(error, name) : judge(answer as HealthCheckResponse, name);
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

const check = methodDefinition(Health.method.check);

function judge(answer: HealthCheckResponse, name: string): ProbeResult {
  if (answer.status === HealthCheckResponse_ServingStatus.SERVING) return { ok: true };
  return failed(`${named(name)} is ${HealthCheckResponse_ServingStatus[answer.status] ?? answer.status}`);
}

function refusal(error: ServiceError, name: string): ProbeResult {
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

function channelCredentials({ host, secured }: Omit<GrpcTarget, 'predicate'>): ChannelCredentials {
  if (!secured) return credentials.createInsecure();
  if (!isLoopback(host)) return credentials.createSsl();
  return credentials.createSsl(null, null, null, {
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
  });
}
