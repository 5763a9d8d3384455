/**
 * Takes in what the descendants of this process leave behind (Linux). A process whose parent has ended becomes a child of
 * the nearest subreaper above it, whatever session it has made for itself: so nothing that a service starts gets away while
 * this process lives, and that it is a descendant is told by the kernel, not by a mark that it carries (T-7).
 */
import { isMainThread } from 'node:worker_threads';
import { SkeinError } from '../../errors/index.ts';
import { childrenOf } from '../linux/children.ts';
import { isDead } from '../linux/stat.ts';
import { type Libc, loadLibc } from './libc.ts';

/**
 * From now on orphans are this process's children, until it ends. Called again it does nothing.
 * @returns whether it is so; `false` on another system, and where libc cannot be called
 */
export function takeInOrphans(): Promise<boolean> {
  taking ??= take();
  return taking;
}

let taking: Promise<boolean> | undefined;

/** Pids of the living children of this process, those that it has started itself among them. @throws {SkeinError} SK1611 */
export function livingChildren(): readonly number[] {
  return childrenOf(process.pid)
    .filter((stat) => !isDead(stat))
    .map(({ pid }) => pid);
}

async function take(): Promise<boolean> {
  // SIGCHLD is delivered to the main thread only.
  if (process.platform !== 'linux' || !isMainThread) return false;
  const libc = await libcIfThere();
  if (libc?.becomeSubreaper() !== true) return false;
  const undertaker = new Undertaker((pid) => void libc.collect(pid));
  process.on('SIGCHLD', () => undertaker.childChanged());
  return true;
}

async function libcIfThere(): Promise<Libc | undefined> {
  try {
    return await loadLibc();
  } catch (error) {
    if (error instanceof SkeinError && error.code === 'SK1612') return undefined;
    throw error;
  }
}

/** Longer than a turn of the event loop, in which every dead child that this process has started is collected. */
const patienceMs = 1_000;

/** Collects dead orphans, which nobody waits for: those that are still there at a second look are nobody else's. */
class Undertaker {
  readonly #collect: (pid: number) => void;
  #seen: ReadonlySet<number> = new Set();
  #isWaiting = false;

  constructor(collect: (pid: number) => void) {
    this.#collect = collect;
  }

  childChanged(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => this.#look(), patienceMs).unref();
  }

  #look(): void {
    this.#isWaiting = false;
    const dead = childrenOf(process.pid)
      .filter(isDead)
      .map(({ pid }) => pid);
    for (const pid of dead) if (this.#seen.has(pid)) this.#collect(pid);
    this.#seen = new Set(dead.filter((pid) => !this.#seen.has(pid)));
    if (this.#seen.size > 0) this.childChanged();
  }
}
