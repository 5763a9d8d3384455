/** The outputs of ps; lines of another shape are passed over. */
import type { Kin, ProcessTrace } from '../system.ts';

export interface ListedProcess {
  readonly pid: number;
  readonly group: number;
  /** Begins with `Z` for a zombie. */
  readonly state: string;
  readonly command: string;
}

/** Of `ps -axww -o pid=,pgid=,stat=,command=`. */
export function parseProcessList(text: string): readonly ListedProcess[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)(?:\s+(.*))?$/.exec(line);
    if (match === null) return [];
    const [, pid = '', group = '', state = '', command = ''] = match;
    return [{ pid: Number(pid), group: Number(group), state, command: command.trim() || `[${pid}]` }];
  });
}

/** Of `ps -axww -o pid=,pgid=,stat=,lstart=`. */
export function parseTraces(text: string): readonly ProcessTrace[] {
  return parseProcessList(text).flatMap(({ pid, group, state, command: start }) =>
    Number.isNaN(Date.parse(start)) ? [] : [{ pid, group, start, isDead: state.startsWith('Z') }],
  );
}

/** Of `ps -o pid=,ppid=,pgid=,lstart= -p PID`. */
export function parseKin(text: string): Omit<Kin, 'session'> | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*\S)/.exec(text);
  if (match === null) return undefined;
  const [, pid, parent, group, start = ''] = match;
  return { pid: Number(pid), parent: Number(parent), group: Number(group), start };
}

/** Of `ps -wwE -o command= -p PID`: what stands last is the environment, its values without spaces. */
export function parseVariable(text: string, name: string): string | undefined {
  const entry = text.split(/\s+/).findLast((word) => word.startsWith(`${name}=`));
  return entry?.slice(name.length + 1);
}

/** Of `ps -axwwE -o pid=,command=`, which shows the environment behind the arguments: who has this variable so. */
export function parseGiven(text: string, name: string, value: string): ReadonlySet<number> {
  const lines = text.split('\n').filter((line) => line.split(/\s+/).includes(`${name}=${value}`));
  return new Set(lines.map((line) => Number.parseInt(line, 10)));
}
