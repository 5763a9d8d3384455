/** `grpc.health.v1`: SERVING from the first call on, NOT_SERVING once the agent is on its way out. Needs no token. */
import { create } from '@bufbuild/protobuf';
import {
  type Health,
  type HealthCheckResponse,
  HealthCheckResponse_ServingStatus,
  HealthCheckResponseSchema,
} from '../../gen/grpc/health/v1/health_pb.js';
import { CallFault, type ServiceMethods } from './server.ts';

/** `services`: the names that can be asked for, besides the empty one for the whole. `ending` is aborted at the end. */
export function healthService(
  services: readonly string[],
  ending: AbortSignal,
): ServiceMethods<typeof Health> {
  const isKnown = (service: string): boolean => service === '' || services.includes(service);
  return {
    check: async ({ service }) => {
      if (!isKnown(service)) throw new CallFault('not-found', `there is no service ${service}`);
      return health(ending);
    },
    async *watch({ service }, signal) {
      if (!isKnown(service)) {
        yield create(HealthCheckResponseSchema, {
          status: HealthCheckResponse_ServingStatus.SERVICE_UNKNOWN,
        });
      } else {
        yield health(ending);
        if (ending.aborted) return;
        await eitherAborted(signal, ending);
        if (!signal.aborted) yield health(ending);
        return;
      }
      await eitherAborted(signal, ending);
    },
  };
}

function health(ending: AbortSignal): HealthCheckResponse {
  const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus;
  return create(HealthCheckResponseSchema, { status: ending.aborted ? NOT_SERVING : SERVING });
}

function eitherAborted(one: AbortSignal, other: AbortSignal): Promise<void> {
  const either = AbortSignal.any([one, other]);
  if (either.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    either.addEventListener('abort', () => resolve(), { once: true });
  });
}
