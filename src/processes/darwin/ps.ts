/** The outputs of ps; lines of another shape are passed over. */
import type { ProcessTrace } from '../system.ts';

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

/** Of `ps -axwwE -o pid=,command=`, which shows the environment behind the arguments: who has this variable so. */
export function parseGiven(text: string, name: string, value: string): ReadonlySet<number> {
  const lines = text.split('\n').filter((line) => line.split(/\s+/).includes(`${name}=${value}`));
  return new Set(lines.map((line) => Number.parseInt(line, 10)));
}
