/** The output of `ps -axww -o pid=,pgid=,stat=,command=`. */

export interface ListedProcess {
  readonly pid: number;
  readonly group: number;
  /** Begins with `Z` for a zombie. */
  readonly state: string;
  readonly command: string;
}

/** Lines of another shape are passed over. */
export function parseProcessList(text: string): readonly ListedProcess[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)(?:\s+(.*))?$/.exec(line);
    if (match === null) return [];
    const [, pid = '', group = '', state = '', command = ''] = match;
    return [{ pid: Number(pid), group: Number(group), state, command: command.trim() || `[${pid}]` }];
  });
}
