// Everything that a benchmark leaves behind if nobody cleans up, owned in one place: a temporary folder and the processes
// started in it. Both are gone on success, on failure, on Ctrl-C, and, after a kill -9, at the next start.
import { spawn } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProc, isAlive, killFamily, MARKER } from './processes.mjs';

const PREFIX = 'skein-bench-';
/** What is kept of a command's standard error, to be shown when it fails. */
const TAIL = 4_000;
const LAST_WORDS_MS = 500;

/** @returns {Workplace} whose `close` runs at the end of this process at the latest. */
export function openWorkplace() {
  const workplace = new Workplace();
  process.once('exit', () => workplace.close());
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])
    process.once(signal, () => {
      process.stderr.write(`\n${signal}: ending what was started\n`);
      process.exit(status);
    });
  return workplace;
}

class Workplace {
  #launches = new Set();
  #count = 0;

  constructor() {
    sweepStale();
    /** Real path: what /proc says of a program's place is compared with it. */
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`)));
  }

  /** A new empty folder, for one launch. */
  newFolder() {
    const folder = join(this.folder, String(++this.#count));
    mkdirSync(folder);
    return folder;
  }

  /**
   * Starts a command as the leader of a group of its own.
   * @param {{ command: string[], cwd?: string, env?: Record<string, string>, folder: string,
   *   stdio?: import('node:child_process').StdioOptions }} options `folder`: programs in it are this launch's
   * @returns {Launched}
   */
  launch({ command: [file, ...args], cwd, env = {}, folder, stdio = ['ignore', 'ignore', 'pipe'] }) {
    const marker = `${process.pid}-${++this.#count}`;
    const startedAt = performance.now();
    const child = spawn(file, args, {
      cwd,
      env: { ...process.env, ...env, [MARKER]: marker },
      stdio,
      detached: true,
    });
    const launched = new Launched(child, startedAt, { marker, folder }, () =>
      this.#launches.delete(launched),
    );
    this.#launches.add(launched);
    return launched;
  }

  close() {
    for (const launched of this.#launches) launched.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

class Launched {
  #forget;
  #tail = '';

  constructor(child, startedAt, identity, forget) {
    this.child = child;
    /** `performance.now()` just before the spawn. */
    this.startedAt = startedAt;
    this.family = { ...identity, rootPid: child.pid };
    this.#forget = forget;
    // From here on the number may be another's. What it started is still known by marker and folder.
    if (hasProc)
      child.once('exit', () => {
        this.family.rootPid = undefined;
      });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.#tail = (this.#tail + text).slice(-TAIL);
    });
    /** Resolves with what is known when the command ends by itself or cannot be started. */
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => {
        const how = `ended with ${signal ?? `status ${code}`}`;
        // Its last words may still be in the pipe; a process that it left behind may hold that open for ever.
        const enough = setTimeout(() => resolve(how), LAST_WORDS_MS);
        child.once('close', () => {
          clearTimeout(enough);
          resolve(how);
        });
      });
    });
  }

  /**
   * @param {Promise<T>} event what is waited for
   * @param {number} timeoutMs
   * @returns {Promise<T>} @template T
   * @throws when the command ends, or the time is over, before it
   */
  async before(event, timeoutMs) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`not within ${timeoutMs / 1000} s${this.#said()}`)),
        timeoutMs,
      );
    });
    const gone = this.ended.then((how) => {
      throw new Error(`${how}${this.#said()}`);
    });
    // Whichever loses the race still settles; nobody is left to hear of it.
    gone.catch(() => {});
    try {
      return await Promise.race([event, late, gone]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends `signal` to the command alone and waits until it ends. */
  async stop(signal, timeoutMs) {
    this.child.kill(signal);
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(() => resolve('late'), timeoutMs);
    });
    const outcome = await Promise.race([this.ended, late]);
    clearTimeout(timer);
    return outcome === 'late' ? `not ended ${timeoutMs / 1000} s after ${signal}` : outcome;
  }

  /** Ends everything that this launch started, at once. */
  kill() {
    killFamily(this.family);
    this.#forget();
  }

  #said() {
    return this.#tail.trim() === '' ? '' : `; it said:\n${this.#tail.trim()}`;
  }
}

/** Removes what a benchmark that was killed left: its folder's name says whose it was. */
function sweepStale() {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const folder = join(tmpdir(), name);
    if (lstatSync(folder, { throwIfNoEntry: false })?.uid !== process.getuid?.()) continue;
    if (hasProc) killFamily({ marker: 'none', folder: realpathSync(folder) });
    rmSync(folder, { recursive: true, force: true });
  }
}
