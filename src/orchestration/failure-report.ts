/** A failure as events and views carry it, from whatever reported it; pure. */
import { faultsOf, isFilePlace, type Place, SkeinError } from '../errors/index.ts';
import type { Failure } from '../gen/skein/base/v1/status_pb.js';
import type { ServiceId } from '../workspace/index.ts';
import type { FailureReport, ProcessEnd } from './events.ts';
import { processEnd } from './messages.ts';

/** Of an expected error; several faults at once are told one a line. */
export function failureReport(
  error: SkeinError,
  service: ServiceId | null,
  phase: string | null,
): FailureReport {
  const faults = faultsOf(error);
  const place = runPlace(error.place);
  return {
    code: error.code,
    message: faults.map((fault) => fault.message).join('\n'),
    service: service ?? (place?.service as ServiceId | undefined) ?? null,
    phase: phase ?? place?.phase ?? null,
    remedy: error.remedy ?? null,
    lastLines: error.lastLines,
    exit: null,
  };
}

/** Of what an agent reported about a process. */
export function reportedFailure(failure: Failure, service: ServiceId, phase: string): FailureReport {
  return {
    code: failure.code,
    message: failure.message,
    service,
    phase,
    remedy: failure.remedy === '' ? null : failure.remedy,
    lastLines: failure.lastLines,
    exit: processEnd(failure.exit),
  };
}

/** `exited with status 3`, `was killed by SIGKILL`. */
export function describeEnd(end: ProcessEnd): string {
  return end.kind === 'exited' ? `exited with status ${end.code}` : `was killed by ${end.signal}`;
}

function runPlace(place: Place | undefined): { service: string; phase?: string } | undefined {
  return place === undefined || isFilePlace(place) ? undefined : place;
}

/** An error of any kind as a SkeinError; a bug keeps its stack as the cause. */
export function asSkeinError(error: unknown, service: ServiceId, phase: string): SkeinError {
  if (error instanceof SkeinError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new SkeinError('SK1409', `skein itself failed in ${phase} of ${service}: ${message}`, {
    place: { service, phase },
    cause: error,
  });
}
