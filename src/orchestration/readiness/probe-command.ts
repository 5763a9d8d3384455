/** `command` (R-1): a declared probe command exits 0. */
import type { Variable } from '../../configuration/index.ts';
import { SecretMask } from '../../secrets/index.ts';
import type { ServiceId } from '../../workspace/index.ts';
import type { ProcessEnd } from '../events.ts';
import { failed, noAnswer, type ProbeOptions, type ProbeResult } from './attempt.ts';
import type { CommandTarget } from './target.ts';

export interface CommandRequest {
  /** Whose probe it is. */
  readonly service: ServiceId;
  /** A string is for the shell; a list is executed as it is. */
  readonly command: string | readonly string[];
  /** Absolute. */
  readonly directory: string;
  readonly environment: ReadonlyMap<string, string>;
  /** Aborted when the time is up: the command's whole process group is to be killed. */
  readonly signal: AbortSignal;
}

export interface CommandEnd {
  readonly end: ProcessEnd;
  /** The last thing that it printed; empty where it printed nothing. */
  readonly lastLine: string;
}

/**
 * Runs a command in a process group of its own until it ends. Resolves only when nothing of the group is left, also after
 * an abort. Rejects when the command cannot be started.
 */
export type CommandSpawner = (request: CommandRequest) => Promise<CommandEnd>;

/** Runs the declared command once with the service's environment; of its last words, secrets are masked (C-2). */
export async function commandExits(
  { service, command, directory, environment }: CommandTarget,
  spawn: CommandSpawner,
  { signal, timeoutMs }: ProbeOptions,
): Promise<ProbeResult> {
  if (signal.aborted) return failed('cancelled');
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const { end, lastLine } = await spawn({
      service,
      command,
      directory,
      environment: new Map(environment.map(({ name, value }) => [name, value])),
      signal: AbortSignal.any([signal, timeout]),
    });
    if (signal.aborted) return failed('cancelled');
    if (end.kind === 'exited' && end.code === 0) return { ok: true };
    if (timeout.aborted) return failed(noAnswer(timeoutMs));
    const how = end.kind === 'exited' ? `exited with status ${end.code}` : `was killed by ${end.signal}`;
    const words = maskOf(environment).apply(lastLine);
    return failed(`the command ${how}${words === '' ? '' : `: ${words}`}`);
  } catch (error) {
    if (signal.aborted) return failed('cancelled');
    const why = error instanceof Error ? error.message : String(error);
    return failed(timeout.aborted ? `${noAnswer(timeoutMs)}: ${why}` : `the command cannot be run: ${why}`);
  }
}

/** What the command prints is shown in views and documents, as the service's own output is (C-2). */
function maskOf(environment: readonly Variable[]): SecretMask {
  const mask = new SecretMask();
  for (const { value, secret } of environment) if (secret) mask.add(value);
  return mask;
}
