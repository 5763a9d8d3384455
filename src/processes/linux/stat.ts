/** `/proc/<pid>/stat`, as described in proc_pid_stat(5). */

export interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  /** One letter; `Z` is a zombie, `X` is dead. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly threads: number;
  /** Clock ticks since boot, kept as text: it may exceed what a number holds exactly. */
  readonly startTicks: string;
}

/** `undefined` for what is not such a line. The name may itself contain spaces and parentheses; the last one ends it. */
export function parseStat(text: string): ProcessStat | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open === -1 || close < open) return undefined;
  const pid = Number(text.slice(0, open));
  const fields = text
    .slice(close + 1)
    .trim()
    .split(/\s+/);
  // The first of these is field 3 of the manual page.
  const [state, parent, group, session] = fields;
  const threads = fields[17];
  const startTicks = fields[19];
  if (!Number.isInteger(pid) || pid <= 0 || startTicks === undefined || !/^\d+$/.test(startTicks))
    return undefined;
  return {
    pid,
    name: text.slice(open + 1, close),
    state: state ?? '',
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    threads: Number(threads),
    startTicks,
  };
}

/** A leader thread that has ended shows as a zombie while other threads of the process still run. */
export function isDead(stat: ProcessStat): boolean {
  return stat.state === 'X' || (stat.state === 'Z' && stat.threads <= 1);
}
