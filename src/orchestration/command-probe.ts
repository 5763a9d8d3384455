/** Runs declared probe commands for readiness, each in a process group of its own. */
import { type GroupProcess, killGroup, LineSplitter, type Lines, spawnGroup } from '../processes/index.ts';
import type { CommandSpawner } from './readiness/index.ts';

/**
 * Resolves when nothing of the command's group is left; an abort kills it.
 * @throws {SkeinError} SK16xx: it cannot be started, or may not be killed
 */
export const spawnProbeCommand: CommandSpawner = async ({ command, directory, environment, signal }) => {
  const [program, ...rest] = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  const group = await spawnGroup({
    command: [program ?? '', ...rest],
    cwd: directory,
    environment: Object.fromEntries(environment),
  });
  const words = lastLineOf(group);
  // Its fault is met below, where nothing holds the output open any more.
  words.catch(() => undefined);
  let killing: Promise<unknown> | undefined;
  let refuse: (error: unknown) => void = () => undefined;
  const unkillable = new Promise<never>((_, reject) => {
    refuse = reject;
  });
  const kill = (): void => {
    killing = killGroup(group);
    // What may not be killed would be waited for as long as it likes to run.
    killing.catch(refuse);
  };
  signal.addEventListener('abort', kill, { once: true });
  try {
    if (signal.aborted) kill();
    const end = await Promise.race([group.exited, unkillable]);
    // What the command left behind would hold its output open.
    await killGroup(group);
    return { end, lastLine: await words };
  } finally {
    signal.removeEventListener('abort', kill);
    group.stdout.destroy();
    group.stderr.destroy();
    await Promise.allSettled([killing, words]);
  }
};

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
