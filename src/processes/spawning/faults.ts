/** Turns the system's refusal to start a process into an error that names what is at fault. */
import { constants } from 'node:os';
import { SkeinError } from '../../errors/index.ts';
import type { SpawnRequest } from '../group.ts';

const names: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.errno)
    .reverse()
    .map(([name, number]) => [number, name]),
);

/** `ENOENT` for 2; a number without a name is shown as it is. */
export function errorName(errno: number): string {
  return names.get(errno) ?? `errno ${errno}`;
}

/**
 * The error for a spawn that the system refused with `name` (such as `EAGAIN`). The executable and the working
 * directory were found good just before, so that ENOENT means the interpreter of a script.
 */
export function spawnFault(request: SpawnRequest, name: string, cause?: unknown): SkeinError {
  const { executable } = request;
  const options = cause === undefined ? {} : { cause };
  switch (name) {
    case 'ENOENT':
      return new SkeinError(
        'SK1602',
        `${executable} cannot be executed: its interpreter does not exist (ENOENT)`,
        options,
      );
    case 'EACCES':
      return new SkeinError(
        'SK1602',
        `${executable} cannot be executed: permission denied (EACCES)`,
        options,
      );
    case 'ENOEXEC':
    case 'ELIBBAD':
    case 'EBADARCH':
      return new SkeinError(
        'SK1602',
        `${executable} cannot be executed: not a program for this machine (${name})`,
        options,
      );
    case 'ETXTBSY':
      return new SkeinError(
        'SK1605',
        `${executable} cannot be executed: the file is open for writing (ETXTBSY)`,
        options,
      );
    case 'E2BIG':
      return new SkeinError(
        'SK1606',
        `${executable} was not started: arguments and environment are too large (${sizeOf(request)} bytes, E2BIG)`,
        options,
      );
    case 'EPERM':
      return new SkeinError(
        'SK1607',
        `${executable} was not started as ${identityOf(request)}: not permitted (EPERM)`,
        options,
      );
    case 'EAGAIN':
      return new SkeinError(
        'SK1604',
        `${executable} was not started: the limit on processes is reached (EAGAIN)`,
        options,
      );
    case 'EMFILE':
    case 'ENFILE':
      return new SkeinError(
        'SK1604',
        `${executable} was not started: the limit on open files is reached (${name})`,
        options,
      );
    case 'ENOMEM':
      return new SkeinError('SK1604', `${executable} was not started: out of memory (ENOMEM)`, options);
    default:
      return new SkeinError('SK1610', `${executable} was not started in ${request.cwd}: ${name}`, options);
  }
}

function sizeOf(request: SpawnRequest): number {
  const entries = Object.entries(request.environment).map(([name, value]) => `${name}=${value}`);
  return [...request.command, ...entries].reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
}

function identityOf(request: SpawnRequest): string {
  const parts = [
    request.uid === undefined ? undefined : `user ${request.uid}`,
    request.gid === undefined ? undefined : `group ${request.gid}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ') || 'this user';
}
