/** When a probe runs, as written and as the model has it. */
import type { ProbeTimingBody } from './bodies.ts';
import { durationMs } from './duration.ts';
import type { DurationMs, ProbePurpose, ProbeTiming } from './model.ts';

/** In the order in which faults are told. */
export const probePurposes: readonly ProbePurpose[] = ['readiness', 'liveness', 'startup'];

export const timingKeys: readonly (keyof ProbeTimingBody)[] = [
  'interval',
  'timeout',
  'success-threshold',
  'failure-threshold',
  'initial-delay',
];

export function probeTiming(body: ProbeTimingBody): ProbeTiming {
  return {
    ...milliseconds('intervalMs', body.interval),
    ...milliseconds('timeoutMs', body.timeout),
    ...milliseconds('initialDelayMs', body['initial-delay']),
    ...(body['success-threshold'] !== undefined && { successThreshold: body['success-threshold'] }),
    ...(body['failure-threshold'] !== undefined && { failureThreshold: body['failure-threshold'] }),
  };
}

/** The flat keys beside a `readiness`, which is what they would mean. */
export function besideReadiness(key: string): string {
  return `\`${key}\` stands beside \`readiness\`, and the keys of \`health\` itself are the readiness probe: write them in one place`;
}

function milliseconds<Key extends string>(
  key: Key,
  written: string | undefined,
): { readonly [K in Key]?: DurationMs } {
  const ms = written === undefined ? undefined : durationMs(written);
  return (ms === undefined ? {} : { [key]: ms }) as { readonly [K in Key]?: DurationMs };
}
