// What /proc tells about the processes that one measurement started: which they are, what memory and CPU they take, and
// how they are ended. Where there is no /proc (macOS), memory and CPU are not measured and only the group is ended.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, sep } from 'node:path';

/** The variable by which a process is known as ours wherever it was re-parented to. */
export const MARKER = 'SKEIN_BENCH_ID';

export const hasProc = process.platform === 'linux';

/**
 * Everything alive that belongs to one launch: its root, what carries its marker, and their descendants (an agent may
 * clear its environment); what executes a program of its folder, or stands in it.
 * @param {{ rootPid?: number, marker: string, folder: string }} launch
 * @returns {{ pid: number, service: boolean }[]} `service`: it executes the listener
 */
export function familyOf({ rootPid, marker, folder }) {
  if (!hasProc) return rootPid === undefined ? [] : [{ pid: rootPid, service: false }];
  const parents = new Map(allProcesses());
  const mine = new Set(ancestorsOf(process.pid, parents));
  const others = [...parents.keys()].filter((pid) => !mine.has(pid));
  const heads = new Set(others.filter((pid) => pid === rootPid || isMarked(pid, marker)));
  return others.flatMap((pid) => {
    const executable = linkOf(pid, 'exe');
    const inFolder = [executable, linkOf(pid, 'cwd')].some((path) =>
      path?.concat(sep).startsWith(folder + sep),
    );
    if (!inFolder && !ancestorsOf(pid, parents).some((ancestor) => heads.has(ancestor))) return [];
    return [{ pid, service: executable?.startsWith(join(folder, 'listen')) ?? false }];
  });
}

/** Ends all of `launch` with SIGKILL and comes back when none is left. Synchronous: it runs in exit handlers too. */
export function killFamily(launch) {
  if (!hasProc && launch.rootPid !== undefined) kill(-launch.rootPid);
  const until = Date.now() + 10_000;
  for (;;) {
    const left = familyOf(launch).filter(({ pid }) => isAlive(pid));
    if (left.length === 0) return;
    if (Date.now() > until)
      throw new Error(`processes ${left.map(({ pid }) => pid).join(', ')} survive SIGKILL`);
    for (const { pid } of left) kill(pid);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}

/** Whether `pid` runs; one that has ended and was not yet waited for does not. */
export function isAlive(pid) {
  if (!hasProc) return signalled(pid, 0);
  const [state] = fieldsOf(pid);
  return state !== '' && state !== 'Z' && state !== 'X';
}

/** Proportional memory of `pids`, in MiB; undefined where the system does not tell. */
export function memoryMiB(pids) {
  return sumOf(
    pids,
    (pid) => Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024,
  );
}

/** The sum of each process's own peak of resident memory, in MiB. */
export function peakMemoryMiB(pids) {
  return sumOf(
    pids,
    (pid) => Number(/^VmHWM:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024,
  );
}

/** CPU time of `pids` since their start, in ms, threads that have ended included. Counted in steps of 10 ms. */
export function cpuMs(pids) {
  return sumOf(pids, (pid) => {
    const [user = 0, system = 0] = fieldsOf(pid).slice(11, 13);
    return (Number(user) + Number(system)) * 10;
  });
}

function sumOf(pids, one) {
  return hasProc ? pids.map(one).reduce((a, b) => a + b, 0) : undefined;
}

/** [pid, parent's pid] of all. */
function allProcesses() {
  return list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(fieldsOf(name)[1] ?? 0)]);
}

/** The fields of /proc/PID/stat after the command's name: state, parent, group, …; [''] when it is gone. */
function fieldsOf(pid) {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** `pid` itself, its parent, and so on. */
function ancestorsOf(pid, parents) {
  const line = [];
  for (let next = pid; parents.has(next); next = parents.get(next)) line.push(next);
  return line;
}

function isMarked(pid, marker) {
  return `\0${read(`/proc/${pid}/environ`)}`.includes(`\0${MARKER}=${marker}\0`);
}

/** Where /proc/PID/exe or cwd points. */
function linkOf(pid, name) {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch (error) {
    return absent(error, undefined);
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return absent(error, '');
  }
}

function list(path) {
  try {
    return readdirSync(path);
  } catch (error) {
    return absent(error, []);
  }
}

/** A process may end, or be another user's, between two looks at it. */
function absent(error, value) {
  if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(error.code)) return value;
  throw error;
}

function kill(pid) {
  signalled(pid, 'SIGKILL');
}

/** Whether there was such a process; one of another user counts, though it gets no signal. */
function signalled(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    if (error.code === 'EPERM') return true;
    throw error;
  }
}
