/**
 * What must hold before a process is started. `posix_spawn` and `uv_spawn` answer a missing program and a missing
 * folder with the same ENOENT; looking first lets the error say which it is. PATH is the child's, not ours.
 */
import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { SkeinError } from '../../errors/index.ts';
import type { SpawnOptions, SpawnRequest } from '../group.ts';

/** What execvp takes where the environment has no PATH. */
const defaultPath = '/usr/bin:/bin';

/**
 * Checks the options and resolves the executable.
 * @throws {SkeinError} SK1601 command not found, SK1602 not executable, SK1603 working directory, SK1606 arguments.
 */
export function checkedRequest(options: SpawnOptions): SpawnRequest {
  checkStrings(options);
  const cwd = resolve(options.cwd);
  checkWorkingDirectory(cwd);
  return {
    ...options,
    cwd,
    executable: resolveExecutable(options.command[0], cwd, options.environment['PATH']),
  };
}

function checkStrings({ command, cwd, environment }: SpawnOptions): void {
  const at = command.findIndex((argument) => argument.includes('\0'));
  if (at !== -1) throw new SkeinError('SK1606', `argument ${at} of ${command[0]} contains a NUL character`);
  if (cwd.includes('\0')) throw new SkeinError('SK1606', 'the working directory contains a NUL character');
  for (const [name, value] of Object.entries(environment)) {
    if (name === '' || name.includes('=') || name.includes('\0'))
      throw new SkeinError('SK1606', `${JSON.stringify(name)} cannot be the name of an environment variable`);
    if (value.includes('\0'))
      throw new SkeinError('SK1606', `the environment variable ${name} contains a NUL character`);
  }
}

function checkWorkingDirectory(cwd: string): void {
  try {
    if (!statSync(cwd).isDirectory())
      throw new SkeinError('SK1603', `the working directory ${cwd} is not a folder`);
    accessSync(cwd, constants.X_OK);
  } catch (error) {
    if (error instanceof SkeinError) throw error;
    const missing = codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
    const reason = missing ? 'does not exist' : `cannot be entered (${codeOf(error)})`;
    throw new SkeinError('SK1603', `the working directory ${cwd} ${reason}`, { cause: error });
  }
}

/**
 * The absolute path of the program that `name` means for a process in `cwd` with this PATH.
 * @throws {SkeinError} SK1601 or SK1602
 */
export function resolveExecutable(name: string, cwd: string, path: string = defaultPath): string {
  if (name === '') throw new SkeinError('SK1601', 'the command is empty');
  const isPath = name.includes('/');
  const candidates = isPath
    ? [resolve(cwd, name)]
    : path.split(delimiter).map((entry) => resolve(cwd, entry, name));
  let refusal: SkeinError | undefined;
  for (const candidate of candidates) {
    const judgement = judge(candidate);
    if (judgement === 'executable') return candidate;
    if (judgement !== 'missing') refusal ??= judgement;
  }
  if (refusal !== undefined) throw refusal;
  const where = isPath ? `there is no file ${candidates[0]}` : `no folder of PATH has it (${path})`;
  throw new SkeinError('SK1601', `command ${name} was not found: ${where}`);
}

function judge(file: string): 'executable' | 'missing' | SkeinError {
  let stats: Stats | undefined;
  try {
    stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return 'missing';
    if (!stats.isFile())
      return new SkeinError('SK1602', `${file} cannot be executed: it is not a regular file`);
    accessSync(file, constants.X_OK);
    return 'executable';
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return 'missing';
    return new SkeinError('SK1602', `${file} cannot be executed: permission denied (${codeOf(error)})`, {
      cause: error,
    });
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
