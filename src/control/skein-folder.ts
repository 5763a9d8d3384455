/** Where things lie in `.skein`, the workspace's own folder for what skein keeps between commands. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diskError } from './disk-error.ts';

/** How many ended runs are kept with their output. */
export const keptRuns = 10;

export function skeinFolder(root: string): string {
  return join(root, '.skein');
}

export function runsFolder(root: string): string {
  return join(root, '.skein', 'runs');
}

/** The folder of one run: its record, its output, its supervisor's own words. */
export function runFolder(root: string, runId: string): string {
  return join(root, '.skein', 'runs', runId);
}

export function logsFolder(root: string, runId: string): string {
  return join(runFolder(root, runId), 'logs');
}

export function lastRunFile(root: string): string {
  return join(root, '.skein', 'last.json');
}

/**
 * Makes `.skein` and the folder of a run, readable by this user only; git is told to look away.
 * @throws {SkeinError} SK1506
 */
export function makeRunFolder(root: string, runId: string): string {
  const folder = runFolder(root, runId);
  try {
    mkdirSync(logsFolder(root, runId), { recursive: true, mode: 0o700 });
    writeFileSync(join(skeinFolder(root), '.gitignore'), '*\n');
  } catch (cause) {
    throw diskError(folder, 'made', cause);
  }
  return folder;
}

/** Sorts by the time of its making, and is short enough for the name of a socket. */
export function newRunId(now: Date, random: () => number = Math.random): string {
  const time = now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const suffix = Math.floor(random() * 36 ** 4)
    .toString(36)
    .padStart(4, '0');
  return `${time}-${suffix}`;
}
