/** Who the children of a process are, from /proc; the dead that it has not collected yet are among them. */
import { readdirSync, readFileSync } from 'node:fs';
import { allPids } from './proc.ts';
import { statOf } from './process-table.ts';
import type { ProcessStat } from './stat.ts';

/** @throws {SkeinError} SK1611 */
export function childrenOf(parent: number): readonly ProcessStat[] {
  const pids = listedChildren(parent) ?? allPids();
  return pids.flatMap((pid) => statOf(pid) ?? []).filter((stat) => stat.parent === parent);
}

/** As each thread's list says; `undefined` with a kernel that keeps none: then everybody is asked for the parent. */
function listedChildren(parent: number): readonly number[] | undefined {
  try {
    const threads = readdirSync(`/proc/${parent}/task`);
    const lists = threads.map((thread) => readFileSync(`/proc/${parent}/task/${thread}/children`, 'utf8'));
    return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
  } catch {
    // Also where a thread has ended between the two looks.
    return undefined;
  }
}
