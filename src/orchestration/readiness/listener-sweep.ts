/**
 * One read of the kernel's listener table serves every native endpoint: while one is starting it tells within
 * milliseconds that its port has been bound; while all hold it tells that none has gone.
 */
import type { Clock } from '../clock.ts';
import type { ProbeWatch } from './probe-watch.ts';
import type { ProbeAddress } from './target.ts';

export interface ListeningAddress {
  /** In canonical text form, `0.0.0.0` or `::` for any. */
  readonly address: string;
  readonly port: number;
  /** Differs from socket to socket, where the platform tells it. */
  readonly inode?: string;
}

export type ReadListeners = () => Promise<readonly ListeningAddress[]>;

/** The shortest pause between two reads while an endpoint is starting. */
const SHORTEST_PAUSE_MS = 4;
/** Pause per millisecond that a read costs: reading takes at most a tenth of a core. */
const PAUSE_PER_COST = 10;
/** An endpoint that has been starting for long is looked for less often: half a percent of its age is no delay. */
const PAUSE_PER_AGE = 1 / 200;
/** Where the pause ends up however long it takes: the same distance as the probes' own (R-6). */
const LONGEST_PAUSE_MS = 500;
const FIRST_QUIET_PAUSE_MS = 1_000;
const LONGEST_QUIET_PAUSE_MS = 5_000;
const QUIET_GROWTH = 1.5;

type Step =
  /** Nothing to look for. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'pausing'; readonly timer: Disposable; readonly dueMs: number }
  | { readonly kind: 'reading' }
  /** The table could not be read: it is not tried again. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'closed' };

/** Owns the timer of the shared read, and tells each native watch whether its port is listened on. */
export class ListenerSweep implements Disposable {
  readonly #clock: Clock;
  readonly #read: ReadListeners;
  readonly #watches: () => Iterable<ProbeWatch>;
  readonly #onBroken: (cause: unknown) => void;
  #step: Step = { kind: 'idle' };
  #costMs = 0;
  #quietPauseMs = FIRST_QUIET_PAUSE_MS;

  constructor(
    clock: Clock,
    read: ReadListeners,
    watches: () => Iterable<ProbeWatch>,
    onBroken: (cause: unknown) => void,
  ) {
    this.#clock = clock;
    this.#read = read;
    this.#watches = watches;
    this.#onBroken = onBroken;
  }

  get usable(): boolean {
    return this.#step.kind !== 'broken' && this.#step.kind !== 'closed';
  }

  /** Something changed: a watch came, went, began to hold or ceased to. */
  wake(): void {
    this.#quietPauseMs = FIRST_QUIET_PAUSE_MS;
    if (this.#step.kind === 'idle' || this.#step.kind === 'pausing') this.#schedule();
  }

  [Symbol.dispose](): void {
    if (this.#step.kind === 'pausing') this.#step.timer[Symbol.dispose]();
    this.#step = { kind: 'closed' };
  }

  #schedule(): void {
    const now = this.#clock.now();
    const pauseMs = this.#pauseMs(now);
    if (this.#step.kind === 'pausing') {
      // A read that comes soon anyway is not moved, lest a stream of changes put it off for ever.
      if (pauseMs !== undefined && this.#step.dueMs <= now + pauseMs) return;
      this.#step.timer[Symbol.dispose]();
    }
    if (pauseMs === undefined) {
      this.#step = { kind: 'idle' };
      return;
    }
    const timer = this.#clock.setTimeout(() => void this.#sweep(), pauseMs);
    this.#step = { kind: 'pausing', timer, dueMs: now + pauseMs };
  }

  #pauseMs(now: number): number | undefined {
    let youngestMs: number | undefined;
    let anyQuiet = false;
    for (const watch of this.#watches()) {
      if (!watch.inTable) continue;
      if (watch.state.kind === 'holding') anyQuiet = true;
      else youngestMs = Math.min(youngestMs ?? Number.POSITIVE_INFINITY, now - watch.startingSinceMs);
    }
    if (youngestMs === undefined) return anyQuiet ? this.#quietPauseMs : undefined;
    const wishedMs = Math.max(SHORTEST_PAUSE_MS, this.#costMs * PAUSE_PER_COST, youngestMs * PAUSE_PER_AGE);
    return Math.min(LONGEST_PAUSE_MS, wishedMs);
  }

  /** Never rejects: a table that cannot be read is reported once, and probing goes on without it. */
  async #sweep(): Promise<void> {
    this.#step = { kind: 'reading' };
    const beganMs = this.#clock.now();
    let listening: readonly ListeningAddress[];
    try {
      listening = await this.#read();
    } catch (cause) {
      if (!this.#closed()) {
        this.#step = { kind: 'broken' };
        this.#onBroken(cause);
      }
      return;
    }
    if (this.#closed()) return;
    const table = listenerTable(listening);
    for (const watch of [...this.#watches()])
      if (watch.address !== undefined && watch.native) watch.sweep(table(watch.address), beganMs);
    this.#costMs = this.#clock.now() - beganMs;
    this.#quietPauseMs = Math.min(LONGEST_QUIET_PAUSE_MS, this.#quietPauseMs * QUIET_GROWTH);
    this.#step = { kind: 'idle' };
    this.#schedule();
  }

  #closed(): boolean {
    return this.#step.kind === 'closed';
  }
}

/**
 * The sockets that listen where a connection to an address would arrive, by their inodes; `undefined`: none. Being too
 * generous is harmless here (`::` may or may not take IPv4): the table only tells when to probe.
 */
export function listenerTable(
  listening: readonly ListeningAddress[],
): (address: ProbeAddress) => string | undefined {
  const known = new Map<string, string>();
  for (const { address, port, inode = '' } of listening) {
    const key = `${address}|${port}`;
    const others = known.get(key);
    known.set(key, others === undefined ? inode : `${others} ${inode}`);
  }
  return ({ host, port }) => {
    const found = [...acceptingAddresses(host), '0.0.0.0', '::'].flatMap(
      (address) => known.get(`${address}|${port}`) ?? [],
    );
    return found.length === 0 ? undefined : found.join(' ');
  };
}

function acceptingAddresses(host: string): readonly string[] {
  return host === 'localhost' ? ['127.0.0.1', '::1'] : [host, `::ffff:${host}`];
}
