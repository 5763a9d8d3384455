/** Starts the server and waits for its word; stops it as fast as it can be stopped without harm. */
import type { CommandOutcome, SupervisedProcess, SuperviseOptions } from '../../../sdk/index.ts';
import { serverFailure } from '../failures.ts';

/** The recovery after a crash may take longer than a Start may: from then on readiness alone tells. */
const patienceMs = 10_000;
/** What an immediate shutdown has at least before SIGKILL; it ends the server's processes, which SIGKILL does not. */
const quitMs = 1_000;

interface Launch {
  readonly supervise: (options: SuperviseOptions) => Promise<SupervisedProcess>;
  readonly options: SuperviseOptions;
  /** The server accepts connections. */
  readonly ready: () => void;
  /** Runs, whatever comes of it; before the wait. */
  readonly running: (server: SupervisedProcess) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Returns when the server accepts connections, or is still recovering after `patienceMs`.
 * @throws {AgentFailure} POSTGRES_START_FAILED and the others of `failures.ts` when it ends instead
 */
export async function launchServer(launch: Launch): Promise<SupervisedProcess> {
  const { promise: isReady, resolve } = promiseOf<'ready'>();
  const server = await launch.supervise({
    ...launch.options,
    // Fast shutdown: SIGTERM would wait for every client to leave.
    stopSignal: 'SIGINT',
    onLine: (line) => {
      if (!line.includes('database system is ready to accept connections')) return;
      launch.ready();
      resolve('ready');
    },
  });
  await launch.running(server);
  const outcome = await firstOf<'ready' | CommandOutcome>([isReady, server.ended], patienceMs, launch.signal);
  if (typeof outcome === 'object') throw serverFailure('the server', outcome, 'POSTGRES_START_FAILED');
  return server;
}

/** SIGINT, then in good time SIGQUIT; whatever is left after `timeoutMs` is the SDK's to kill. */
export async function stopServer(
  server: SupervisedProcess,
  timeoutMs: number,
): Promise<'stopped' | 'forced'> {
  server.signal('SIGINT');
  const fastMs = Math.max(timeoutMs - Math.max(quitMs, timeoutMs / 5), timeoutMs / 2);
  if ((await firstOf([server.ended], fastMs)) !== 'late') return 'stopped';
  server.signal('SIGQUIT');
  await server.ended;
  return 'forced';
}

/** `late` after `afterMs`; throws the reason of `signal`. */
async function firstOf<Result extends string | CommandOutcome>(
  promises: readonly Promise<Result>[],
  afterMs: number,
  signal?: AbortSignal,
): Promise<Result | 'late'> {
  const { promise: late, resolve, reject } = promiseOf<'late'>();
  const timer = setTimeout(() => resolve('late'), afterMs);
  const aborted = (): void => reject(signal?.reason as Error);
  signal?.addEventListener('abort', aborted, { once: true });
  if (signal?.aborted) aborted();
  try {
    return await Promise.race<Result | 'late'>([...promises, late]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', aborted);
  }
}

interface Promised<Result> {
  readonly promise: Promise<Result>;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

/** `Promise.withResolvers` is newer than the oldest Node that skein runs on. */
function promiseOf<Result>(): Promised<Result> {
  let resolve: Promised<Result>['resolve'] = () => undefined;
  let reject: Promised<Result>['reject'] = () => undefined;
  const promise = new Promise<Result>((onResult, onError) => {
    resolve = onResult;
    reject = onError;
  });
  return { promise, resolve, reject };
}
