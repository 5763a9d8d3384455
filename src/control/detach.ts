/**
 * A run that goes on when its command has returned (U-5): the command starts a supervisor in a session of its own, and
 * hears from it over a pipe until what it waits for has come.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { SkeinError } from '../errors/index.ts';

/** What a supervisor tells the command that started it, one JSON document a line. */
export type SupervisorReport =
  | { readonly type: 'started'; readonly run: string }
  | { readonly type: 'ready' /** The snapshot, in the JSON of its message. */; readonly snapshot: unknown }
  /** The run did not begin, or ended before it was ready. `error` is what `describeError` made. */
  | {
      readonly type: 'failed';
      readonly error: unknown;
      readonly exitStatus: number;
      readonly snapshot?: unknown;
    };

/** The descriptor of the pipe in the supervisor. */
const reportDescriptor = 3;
/** How much of the supervisor's own words an error shows. */
const shownLines = 20;

export interface SupervisorOptions {
  /** Absolute path of the script that holds the command. */
  readonly script: string;
  readonly arguments: readonly string[];
  /** Absolute; a folder that stays. */
  readonly cwd: string;
  /** Absolute path of the file that takes what the supervisor prints. */
  readonly log: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** A supervisor as the command that started it sees it. */
export interface Supervisor {
  readonly pid: number;
  /** Ends when the supervisor has said all, or has ended. */
  readonly reports: AsyncIterable<SupervisorReport>;
  /** Passes a signal on to the supervisor alone. */
  signal(name: NodeJS.Signals): void;
  /** Lets go of it: the command can end while the supervisor goes on. */
  release(): void;
  /** What to say when the reports ended too early: SK1509 with the supervisor's last words. */
  silence(): SkeinError;
}

/** @throws {SkeinError} SK1509 when the process cannot be started. */
export async function startSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const log = openSync(options.log, 'a', 0o600);
  let child: ChildProcess;
  try {
    child = spawn(process.execPath, [options.script, ...options.arguments], {
      cwd: options.cwd,
      env: options.environment,
      detached: true,
      stdio: ['ignore', log, log, 'pipe'],
    });
  } finally {
    closeSync(log);
  }
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) =>
      reject(new SkeinError('SK1509', 'the supervisor cannot be started', { cause })),
    );
  });
  const pipe = child.stdio[reportDescriptor] as Readable;
  return {
    pid: child.pid ?? 0,
    reports: readReports(pipe),
    signal: (name) => void child.kill(name),
    release: () => {
      pipe.destroy();
      child.unref();
    },
    silence: () =>
      new SkeinError('SK1509', `the supervisor ended without a word; what it printed is in ${options.log}`, {
        lastLines: readFileSync(options.log, 'utf8').trimEnd().split('\n').slice(-shownLines),
      }),
  };
}

/** The supervisor's end of the pipe. */
export interface Reporter {
  send(report: SupervisorReport): void;
  /** Nothing more is to be said: the command that waits goes on. */
  close(): void;
}

/** For the process that `startSupervisor` started; with no pipe there it says nothing. */
export function supervisorReporter(descriptor: number = reportDescriptor): Reporter {
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    closeSync(descriptor);
  };
  return {
    close,
    send: (report) => {
      if (!open) return;
      try {
        const bytes = Buffer.from(JSON.stringify(report) + '\n');
        for (let offset = 0; offset < bytes.length; ) offset += writeSync(descriptor, bytes, offset);
      } catch (error) {
        // The command that waited was killed: the run is not its prisoner and goes on.
        if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
        close();
      }
    },
  };
}

async function* readReports(pipe: Readable): AsyncGenerator<SupervisorReport> {
  for await (const line of createInterface({ input: pipe, crlfDelay: Number.POSITIVE_INFINITY }))
    yield JSON.parse(line) as SupervisorReport;
}
