/** Reads of /proc, where a process may be gone between two looks. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { SkeinError } from '../../errors/index.ts';

/**
 * The text of a file that every system has.
 * @throws {SkeinError} SK1611
 */
export function readRequired(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new SkeinError('SK1611', `${path} could not be read`, { cause: error });
  }
}

/**
 * The text of a file that not every system has; `''` without it.
 * @throws {SkeinError} SK1611
 */
export function readIfThere(path: string): string {
  return unlessGone(() => readFileSync(path, 'utf8')) ?? '';
}

/** The text of a process's file, or `undefined` when the process is gone or closed to us. */
export function readOfProcess(pid: number, name: string): string | undefined {
  return unlessGone(() => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
}

export function linkOfProcess(pid: number, name: string): string | undefined {
  return unlessGone(() => readlinkSync(`/proc/${pid}/${name}`));
}

export function descriptorsOfProcess(pid: number): readonly string[] {
  return unlessGone(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
}

/** Empty also where the kernel does not list them (CONFIG_PROC_CHILDREN). */
export function childrenOfProcess(pid: number): readonly number[] {
  const threads = unlessGone(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return threads.flatMap((thread) =>
    (readOfProcess(pid, `task/${thread}/children`) ?? '').split(' ').flatMap((child) => Number(child) || []),
  );
}

/**
 * Every pid, ascending.
 * @throws {SkeinError} SK1611
 */
export function allPids(): readonly number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter(Number.isInteger)
      .sort((a, b) => a - b);
  } catch (error) {
    throw new SkeinError('SK1611', '/proc could not be listed', { cause: error });
  }
}

/** The command line with its arguments parted by spaces; `[name]` for a process without one. */
export function commandLine(pid: number): string {
  const words = readOfProcess(pid, 'cmdline')?.split('\0').join(' ').trim();
  if (words) return words;
  return `[${readOfProcess(pid, 'comm')?.trim() ?? pid}]`;
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) return undefined;
    throw new SkeinError('SK1611', 'a file of the system could not be read', { cause: error });
  }
}
