/**
 * Whether a service, or its build, reloads itself by writing files that it watches. A pure judgement of the last few
 * reloads: the same file has changed after each of them, each time at once, or each time after the same while. A person
 * who saves the same file again and again does so neither at once nor with such regularity.
 *
 *   watched ── loops ──▶ suspended ── another file changes, by a person's hand ──▶ watched, and suspected
 */
import { dirname } from 'node:path/posix';

/** What changed after a reload had begun, and when. */
export interface Recurrence {
  /** Paths with `/`, relative to one folder. */
  readonly files: readonly string[];
  /** Those of `files` that had not existed before. */
  readonly created: readonly string[];
  /** Milliseconds from the reload's beginning to the change. */
  readonly afterBeginMs: number;
  /** Milliseconds from the reload's end to the change; `undefined`: the reload was under way. */
  readonly afterEndMs: number | undefined;
}

/** What is known of a service's loops. Names are paths of files, or of folders, with `/` at the end, for new files in them. */
export interface LoopWatch {
  /** Newest last; no longer than needed. */
  readonly history: readonly Recurrence[];
  /** Have looped before: the next time less evidence will do. */
  readonly suspected: ReadonlySet<string>;
  /** Their changes do not count. */
  readonly suspended: ReadonlySet<string>;
  /** Files that were new in a suspended folder: what becomes of them does not count either. */
  readonly strangers: ReadonlySet<string>;
}

export const noLoops: LoopWatch = {
  history: [],
  suspected: new Set(),
  suspended: new Set(),
  strangers: new Set(),
};

/** Strangers that are remembered; a service that makes more of them is none that one watches for long. */
const longestMemory = 10_000;
/** Reloads in succession that prove a loop. */
export const provingReloads = 5;
/** A change that follows a reload within this time may be its consequence. */
const atOnceMs = 2_000;
/** Times that differ by no more than this, or by this part of the longest, are the same. */
const same = { withinMs: 500, withinPart: 0.2 };

/** What the change does to what is known; `found` are the names that are suspended by it for the first time. */
export function noted(
  before: LoopWatch,
  recurrence: Recurrence,
): { readonly loops: LoopWatch; readonly found: readonly string[] } {
  const isResumed = before.suspended.size > 0 && !isAtOnce(recurrence);
  const suspended = new Set(isResumed ? [] : before.suspended);
  const history = [...(isResumed ? [] : before.history), recurrence].slice(-provingReloads);
  const looping = namesOf(recurrence).filter((name) => isLooping(name, history, before.suspected.has(name)));
  for (const name of looping) suspended.add(name);
  const suspected = new Set([...before.suspected, ...looping]);
  const found = looping.filter((name) => !before.suspected.has(name));
  const strangers = new Set(isResumed ? [] : before.strangers);
  return { loops: { history, suspected, suspended, strangers }, found };
}

/** Whether changes of this file do not count. */
export function isSuspended({ suspended, strangers }: LoopWatch, file: string): boolean {
  return suspended.has(file) || strangers.has(file);
}

/** Remembers what is new in suspended folders. */
export function withStrangers(loops: LoopWatch, created: readonly string[]): LoopWatch {
  const strangers = created.filter((file) => loops.suspended.has(folderOf(file)));
  if (strangers.length === 0) return loops;
  return { ...loops, strangers: new Set([...loops.strangers, ...strangers].slice(-longestMemory)) };
}

function isLooping(name: string, history: readonly Recurrence[], isSuspected: boolean): boolean {
  const recent = (count: number): readonly Recurrence[] | undefined => {
    const last = history.slice(-count);
    return last.length === count && last.every((one) => namesOf(one).includes(name)) ? last : undefined;
  };
  const quick = recent(isSuspected ? 1 : provingReloads);
  const steady = recent(isSuspected ? 2 : provingReloads);
  return quick?.every(isAtOnce) === true || (steady !== undefined && isRegular(steady));
}

function isAtOnce({ afterBeginMs, afterEndMs }: Recurrence): boolean {
  return Math.min(afterBeginMs, afterEndMs ?? afterBeginMs) <= atOnceMs;
}

function isRegular(recurrences: readonly Recurrence[]): boolean {
  const times = recurrences.map((one) => one.afterBeginMs);
  const longest = Math.max(...times);
  return longest - Math.min(...times) <= Math.max(same.withinMs, same.withinPart * longest);
}

function namesOf({ files, created }: Recurrence): readonly string[] {
  return [...files, ...new Set(created.map(folderOf))];
}

function folderOf(file: string): string {
  return `${dirname(file)}/`;
}
