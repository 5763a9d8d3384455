/** Looks for processes by a mark in their environment or command line: the proof that a run has left nothing behind. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * Every living process of this user whose environment or command line holds the mark; the dead that nobody has collected
 * yet have neither. What is given a marked variable passes it on to all its descendants, whatever they do to get away.
 */
export function processesWith(mark: string): readonly FoundProcess[] {
  return process.platform === 'linux' ? scanProc(mark) : scanPs(mark);
}

/** Whether it runs: the dead that nobody has collected yet, such as orphans whom a slow init has inherited, do not. */
export function isAlive(pid: number): boolean {
  if (pid <= 0) throw new Error(`${pid} is no process`);
  return process.platform === 'linux' ? isAliveInProc(pid) : isAliveInPs(pid);
}

/** The state stands behind the name, which may hold anything: `12 (a) b) S 1 …`. */
function isAliveInProc(pid: number): boolean {
  const stat = readIfThere(`/proc/${pid}/stat`);
  const state = stat.slice(stat.lastIndexOf(')') + 2)[0];
  return state !== undefined && !'ZX'.includes(state);
}

function isAliveInPs(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}

function scanProc(mark: string): readonly FoundProcess[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const command = readIfThere(`/proc/${pid}/cmdline`);
    const marked = command.includes(mark) || readIfThere(`/proc/${pid}/environ`).includes(mark);
    return marked ? [{ pid: Number(pid), command: command.replaceAll('\0', ' ').trim() }] : [];
  });
}

/** A process may end, or be somebody else's, while it is looked at. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return '';
    throw error;
  }
}

function scanPs(mark: string): readonly FoundProcess[] {
  const lines = execFileSync('ps', ['-axwwE', '-o', 'pid=,command='], { encoding: 'utf8' }).split('\n');
  return lines
    .filter((line) => line.includes(mark))
    .map((line) => {
      const [, pid = '', command = ''] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
      return { pid: Number(pid), command };
    });
}
