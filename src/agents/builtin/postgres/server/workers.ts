/**
 * Processes of PostgreSQL that work in a folder. Each process of a server leads a session of its own, so that a signal
 * to the server's group does not reach them, and has the data as its working directory, as the system itself tells.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';

const programs: ReadonlySet<string> = new Set(['postgres', 'initdb']);

/** Pids of those whose working directory is one of `folders` (real paths). */
export async function workersIn(folders: readonly string[]): Promise<readonly number[]> {
  if (folders.length === 0) return [];
  return process.platform === 'linux' ? workersOfProc(folders) : workersOfLsof(folders);
}

function workersOfProc(folders: readonly string[]): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => folders.includes(linkOf(pid, 'cwd')) && programs.has(programOf(pid)))
    .map(Number);
}

/** Empty where the process is gone, or another user's. */
function linkOf(pid: string, name: string): string {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch {
    return '';
  }
}

function programOf(pid: string): string {
  return basename(linkOf(pid, 'exe').replace(/ \(deleted\)$/, ''));
}

/** lsof answers `p<pid>` and, for each process, `n<folder>`; its status is 1 when it finds none. */
async function workersOfLsof(folders: readonly string[]): Promise<number[]> {
  const named = [...programs].flatMap((program) => ['-c', program]);
  const listed = await promisify(execFile)('lsof', ['-w', '-a', ...named, '-d', 'cwd', '-Fpn']).catch(
    (error: unknown) => {
      if ((error as { code?: unknown }).code === 1) return { stdout: '' };
      throw error;
    },
  );
  const pids: number[] = [];
  let pid = 0;
  for (const line of listed.stdout.split('\n')) {
    if (line.startsWith('p')) pid = Number(line.slice(1));
    else if (line.startsWith('n') && folders.includes(line.slice(1))) pids.push(pid);
  }
  return pids;
}
