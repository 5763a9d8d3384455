/**
 * Collects the exits of children that libuv does not know. SIGCHLD says only that some child changed, and several may
 * be folded into one signal, so each one asks after every known pid; never after any other, for those are libuv's.
 */
import { constants } from 'node:os';
import { SkeinError } from '../../errors/index.ts';
import type { Exit } from '../group.ts';

/** What `waitpid(pid, WNOHANG)` answers; `status` is the raw wait status. */
export type Collected =
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly status: number }
  | { readonly kind: 'not-ours' };

interface Waiter {
  resolve(exit: Exit): void;
  reject(error: SkeinError): void;
}

/** The longest delay a timer takes. */
const foreverMs = 2 ** 31 - 1;

export class ExitCollector {
  readonly #ask: (pid: number) => Collected;
  readonly #waiters: Map<number, Waiter> = new Map();
  #listening = false;
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(ask: (pid: number) => Collected) {
    this.#ask = ask;
  }

  /** Begins to listen; called before the first child is made, so that no signal is missed. */
  listen(): void {
    if (this.#listening) return;
    this.#listening = true;
    process.on('SIGCHLD', () => this.#sweep());
  }

  /**
   * The exit of a child just made. A waiting collector keeps the process alive, as a child of Node's does.
   * @throws {SkeinError} SK1608
   */
  collect(pid: number): Promise<Exit> {
    return new Promise((resolve, reject) => {
      this.#waiters.set(pid, { resolve, reject });
      this.#keepAlive ??= setInterval(() => this.#sweep(), foreverMs);
      this.#look(pid);
    });
  }

  #sweep(): void {
    for (const pid of this.#waiters.keys()) this.#look(pid);
  }

  #look(pid: number): void {
    const collected = this.#ask(pid);
    if (collected.kind === 'running') return;
    const waiter = this.#waiters.get(pid);
    this.#waiters.delete(pid);
    if (this.#waiters.size === 0) {
      clearInterval(this.#keepAlive);
      this.#keepAlive = undefined;
    }
    if (collected.kind === 'ended') waiter?.resolve(exitOf(collected.status));
    else
      waiter?.reject(
        new SkeinError('SK1608', `the exit of process ${pid} was collected by another part of this process`),
      );
  }
}

/** Decodes a wait status, as `WIFEXITED` and its kin do on Linux and macOS alike. */
export function exitOf(status: number): Exit {
  const signal = status & 0x7f;
  if (signal === 0) return { kind: 'exited', code: (status >> 8) & 0xff };
  return { kind: 'signalled', signal: signalNames.get(signal) ?? `SIG${signal}` };
}

// The first name of a number is the usual one: SIGABRT before SIGIOT.
const signalNames: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name]),
);
