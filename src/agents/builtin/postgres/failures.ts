/** The failures of this agent: what PostgreSQL and the file system say, as a stable code and what to do next. */
import { AgentFailure, type CommandOutcome, exitText } from '../../sdk/index.ts';

interface Cause {
  readonly pattern: RegExp;
  readonly code: string;
  readonly remedy: string;
}

export const clearDataRemedy =
  'Bring back a copy of the data, or, if it may go, delete it with `skein clear --data` and this service.';

/** In the words of PostgreSQL with `lc_messages = C`; the first that fits counts. */
const causes: readonly Cause[] = [
  {
    pattern: /could not bind IPv[46] address|could not create any TCP\/IP sockets/,
    code: 'POSTGRES_PORT_IN_USE',
    remedy:
      'Stop what listens on the port, or give the endpoint another one; `--temporary-ports` avoids the question.',
  },
  {
    pattern: /No space left on device|[Dd]isk quota exceeded/,
    code: 'POSTGRES_DISK_FULL',
    remedy: 'Free some space on the disk that holds the data, or raise the quota of its owner.',
  },
  {
    pattern: /could not (create|resize|map|allocate).*(shared memory|semaphore)|Cannot allocate memory/,
    code: 'POSTGRES_SHARED_MEMORY',
    remedy:
      'Lower `shared_buffers` or `max_connections` under `spec.settings`, or raise what the system allows (memory, ' +
      '/dev/shm, kernel.shmmni, kernel.sem; in a container --shm-size).',
  },
  {
    pattern: /has wrong ownership|has invalid permissions|must be owned by|Permission denied/,
    code: 'POSTGRES_DATA_OWNER',
    remedy:
      'Give the data back to the user who ran the server (chown -R, chmod 700), or run skein as that user.',
  },
  {
    pattern: /database files are incompatible with server|incompatible with PostgreSQL/,
    code: 'POSTGRES_VERSION_MISMATCH',
    remedy: 'Run the server version that made the data, or move the data with pg_dump.',
  },
  {
    pattern: /lock file .* already exists|pre-existing shared memory block/,
    code: 'POSTGRES_DATA_IN_USE',
    remedy: 'Stop the other server that runs on this data.',
  },
  {
    pattern:
      /unrecognized configuration parameter|invalid value for parameter|requires a .* value|is outside the valid range/,
    code: 'POSTGRES_SETTING_INVALID',
    remedy: 'Correct the setting named, under `spec.settings` of the service.',
  },
  {
    pattern:
      /not a valid data directory|checkpoint record|could not (open|read) file "(global|base|pg_wal|pg_xact)/,
    code: 'POSTGRES_DATA_BROKEN',
    remedy: clearDataRemedy,
  },
];

/** Why a command or a server ended that should not have; `otherwise` is the code where its output tells nothing known. */
export function serverFailure(what: string, outcome: CommandOutcome, otherwise: string): AgentFailure {
  const { exit, pid, lastLines } = outcome;
  const cause = causes.find(({ pattern }) => lastLines.some((line) => pattern.test(line)));
  const said = lastLines.findLast((line) => /\b(FATAL|PANIC)\b|\berror:/.test(line)) ?? lastLines.at(-1);
  const because = said === undefined ? '' : `: ${said.replace(/^.*?\b(?:FATAL|PANIC|error):\s*/, '')}`;
  return new AgentFailure(cause?.code ?? otherwise, `${what} ${exitText(exit)}${because}`, {
    exit,
    pid,
    lastLines,
    remedy: cause?.remedy ?? 'Its last lines tell more; `skein logs` has them all.',
    retryable: cause?.code === 'POSTGRES_PORT_IN_USE',
  });
}

/** An error of the file system as a failure; whatever else was thrown stays what it is. */
export function fileFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AgentFailure) return error;
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new AgentFailure('POSTGRES_DISK_FULL', `there is no space left for the data (${error.message})`, {
      cause: error,
      remedy: 'Free some space on the disk that holds the data.',
    });
  if (path === undefined || code === undefined) return error;
  return new AgentFailure('POSTGRES_DATA_FOLDER', `${path} cannot be used for the data (${error.message})`, {
    cause: error,
    remedy: 'Give this user read and write access to the folder, or run skein as the user who owns it.',
  });
}
