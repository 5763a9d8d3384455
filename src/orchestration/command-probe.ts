/** Runs declared probe commands for readiness, each in a process group of its own, which is on record (T-7). */
import {
  type GroupProcess,
  LineSplitter,
  type Lines,
  type Registrar,
  type Registration,
} from '../processes/index.ts';
import type { CommandEnd, CommandRequest, CommandSpawner } from './readiness/index.ts';

/** Of which run the commands are. */
export interface ProbesOf {
  /** Absolute root of the workspace. */
  readonly workspaceRoot: string;
  /** Name of the workspace. */
  readonly workspace: string;
  readonly run: string;
}

/** Commands that are put on record by `registrar`. */
export function probeCommands(
  registrar: Registrar,
  { workspaceRoot, workspace, run }: ProbesOf,
): CommandSpawner {
  return (request) => {
    const purpose = { kind: 'service', workspace, run, service: request.service } as const;
    // Nothing of a probe is worth a wait when somebody else has to end it.
    return spawnProbe(request, registrar, { workspaceRoot, purpose, stopTimeoutMs: 0 });
  };
}

/**
 * Resolves when nothing of the command's group is left; an abort kills it.
 * @throws {SkeinError} SK16xx: it cannot be started, or may not be killed
 */
async function spawnProbe(
  { command, directory, environment, signal }: CommandRequest,
  registrar: Registrar,
  registration: Registration,
): Promise<CommandEnd> {
  const [program, ...rest] = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  const registered = await registrar.spawn(
    { command: [program ?? '', ...rest], cwd: directory, environment: Object.fromEntries(environment) },
    registration,
  );
  const group = registered.process;
  const words = lastLineOf(group);
  // Its fault is met below, where nothing holds the output open any more.
  words.catch(() => undefined);
  let killing: Promise<unknown> | undefined;
  let refuse: (error: unknown) => void = () => undefined;
  const unkillable = new Promise<never>((_, reject) => {
    refuse = reject;
  });
  const kill = (): void => {
    killing = registered.kill();
    // What may not be killed would be waited for as long as it likes to run.
    killing.catch(refuse);
  };
  signal.addEventListener('abort', kill, { once: true });
  try {
    if (signal.aborted) kill();
    const end = await Promise.race([group.exited, unkillable]);
    // What the command left behind would hold its output open.
    await registered.kill();
    return { end, lastLine: await words };
  } finally {
    signal.removeEventListener('abort', kill);
    group.stdout.destroy();
    group.stderr.destroy();
    await Promise.allSettled([killing, words]);
  }
}

async function lastLineOf({ stdout, stderr }: GroupProcess): Promise<string> {
  let lastLine = '';
  const outputs = [
    ['stdout', stdout],
    ['stderr', stderr],
  ] as const;
  await Promise.all(
    outputs.map(async ([stream, output]) => {
      const splitter = new LineSplitter(stream);
      const take = (arrived: readonly Lines[]): void => {
        lastLine = arrived.at(-1)?.text.split('\n').at(-1) ?? lastLine;
      };
      for await (const chunk of output) take(splitter.push(chunk as Buffer, 0));
      take(splitter.end(0));
    }),
  );
  return lastLine;
}
