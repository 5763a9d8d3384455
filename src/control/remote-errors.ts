/** Lets a SkeinError cross the run's API whole: code, message, place, remedy and last lines arrive as they left. */
import { Code, ConnectError } from '@connectrpc/connect';
import { type ErrorCode, isFilePlace, SkeinError, wholeMessage } from '../errors/index.ts';
import { RunFailureSchema } from '../gen/skein/control/v1/control_pb.js';
import { foreignOwner, isForbidden } from './disk-error.ts';

const channelCodes: Readonly<Partial<Record<ErrorCode, Code>>> = {
  SK1031: Code.NotFound,
  SK1032: Code.InvalidArgument,
  SK1507: Code.NotFound,
  SK1508: Code.InvalidArgument,
  SK1514: Code.OutOfRange,
};

/** What the server answers with. What is no SkeinError is a bug, and said as one. */
export function toConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  if (!(error instanceof SkeinError)) return ConnectError.from(error, Code.Internal);
  const place = error.place === undefined || isFilePlace(error.place) ? undefined : error.place;
  const value = {
    code: error.code,
    message: wholeMessage(error),
    service: place?.service ?? '',
    phase: place?.phase ?? '',
    remedy: error.remedy ?? '',
    lastLines: [...error.lastLines],
  };
  const code = channelCodes[error.code] ?? Code.FailedPrecondition;
  return new ConnectError(error.message, code, undefined, [{ desc: RunFailureSchema, value }]);
}

/**
 * What a client throws: the SkeinError that the server threw, or SK1505 where the server did not answer or has a bug.
 * Anything that is not a failed call is given back as it is.
 */
export function fromConnectError(error: unknown): unknown {
  if (!(error instanceof ConnectError)) return error;
  if (error.code === Code.DeadlineExceeded)
    return new SkeinError('SK1505', 'the supervisor of the run does not answer', {
      remedy:
        'See with `ps` whether it is suspended (state T) and continue it with `kill -CONT`, or end it with `kill`.',
    });
  const cause = error.cause as (NodeJS.ErrnoException & { readonly address?: string }) | undefined;
  if (isForbidden(cause) && cause?.address !== undefined) return forbidden(cause.address, cause);
  const [failure] = error.findDetails(RunFailureSchema);
  if (failure === undefined)
    return new SkeinError('SK1505', `the run's API failed: ${error.rawMessage}`, { cause: error.cause });
  return new SkeinError(failure.code as ErrorCode, failure.message, {
    ...(failure.service !== '' && {
      place: { service: failure.service, ...(failure.phase !== '' && { phase: failure.phase }) },
    }),
    ...(failure.remedy !== '' && { remedy: failure.remedy }),
    lastLines: failure.lastLines,
  });
}

function forbidden(socket: string, cause: Error): SkeinError {
  const owned = foreignOwner(socket);
  const whose = owned === undefined ? '' : `: ${owned.path} belongs to ${owned.owner}`;
  return new SkeinError('SK1505', `the socket ${socket} of the run may not be opened${whose}`, {
    cause,
    remedy: 'Run the command as the user who started the run.',
  });
}
