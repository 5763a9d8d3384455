/**
 * Why a call failed on the channel. Whether the agent died is never decided by a gRPC status but by its process's exit
 * where the status could be the echo of a death, the exit is waited for, briefly.
 */
import { status as GrpcStatus } from '@grpc/grpc-js';
import type { SkeinError } from '../../errors/index.ts';
import { type AgentExit, describeExit, MESSAGE_LIMIT_BYTES, settlesWithin } from '../program/index.ts';
import { type CallSite, callError, describeCall } from './caller.ts';
import { formatDuration } from './timeouts.ts';

/** How long an exit may lag behind the channel's end. */
const exitLagMs = 1_000;

/** What dead peers look like on a channel. */
const echoesOfDeath: ReadonlySet<number> = new Set([
  GrpcStatus.UNAVAILABLE,
  GrpcStatus.CANCELLED,
  GrpcStatus.INTERNAL,
]);

/**
 * The error for a failed call: SK1320 (the agent ended), SK1321 (deadline), SK1323 (token), SK1324 (size), SK1328
 * (method unknown), SK1322 (anything else on the channel). What is no error of gRPC is returned as it is: a bug.
 */
export async function callFault(
  site: CallSite,
  error: unknown,
  timeoutMs: number | undefined,
): Promise<unknown> {
  if (!isGrpcError(error)) return error;
  const { callee } = site;
  if (callee.exit !== undefined) return exitFault(site, callee.exit);
  if (echoesOfDeath.has(error.code)) {
    await settlesWithin(callee.exited, exitLagMs);
    if (callee.exit !== undefined) return exitFault(site, callee.exit);
  }
  return channelFault(site, error, timeoutMs);
}

/** SK1320. */
export function exitFault(site: CallSite, exit: AgentExit): SkeinError {
  return callError(
    site,
    'SK1320',
    `agent ${site.callee.name} ${describeExit(exit)}; ${describeCall(site)} was not done`,
    {
      lastLines: exit.lastLines,
    },
  );
}

interface GrpcError extends Error {
  readonly code: number;
  readonly details: string;
}

function isGrpcError(error: unknown): error is GrpcError {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'details' in error;
}

function channelFault(site: CallSite, error: GrpcError, timeoutMs: number | undefined): SkeinError {
  const agent = site.callee.name;
  const call = describeCall(site);
  switch (error.code) {
    case GrpcStatus.DEADLINE_EXCEEDED: {
      const within = timeoutMs === undefined ? 'in time' : `within ${formatDuration(timeoutMs)}`;
      return callError(site, 'SK1321', `agent ${agent} did not answer ${call} ${within}`);
    }
    case GrpcStatus.UNAUTHENTICATED:
      return callError(site, 'SK1323', `agent ${agent} refused the token of its own launch at ${call}`, {
        cause: error,
      });
    case GrpcStatus.UNIMPLEMENTED:
      return callError(
        site,
        'SK1328',
        `agent ${agent} does not have ${site.method.parent.typeName}.${site.method.name}`,
      );
    case GrpcStatus.RESOURCE_EXHAUSTED: {
      const limit = `${MESSAGE_LIMIT_BYTES / 1024 / 1024} MiB`;
      return callError(site, 'SK1324', `a message of ${call} with agent ${agent} is larger than ${limit}`, {
        cause: error,
      });
    }
    default:
      return callError(
        site,
        'SK1322',
        `${call} failed on the channel to agent ${agent}: ${GrpcStatus[error.code] ?? error.code} ${error.details}`,
        { cause: error },
      );
  }
}
