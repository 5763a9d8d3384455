/** Runs declared probe commands for readiness, each in a process group of its own. */
import { killGroup, LineSplitter, spawnGroup } from '../processes/index.ts';
import type { CommandSpawner } from './readiness/index.ts';

/** Resolves when nothing of the command's group is left; an abort kills it. @throws {SkeinError} SK16xx */
export const spawnProbeCommand: CommandSpawner = async ({ command, directory, environment, signal }) => {
  const [program, ...rest] = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  const group = await spawnGroup({
    command: [program ?? '', ...rest],
    cwd: directory,
    environment: Object.fromEntries(environment),
  });
  let lastLine = '';
  const readers = (
    [
      ['stdout', group.stdout],
      ['stderr', group.stderr],
    ] as const
  ).map(async ([stream, output]) => {
    const splitter = new LineSplitter(stream);
    for await (const chunk of output) lastLine = splitter.push(chunk as Buffer, 0).at(-1)?.text ?? lastLine;
    lastLine = splitter.end(0).at(-1)?.text ?? lastLine;
  });
  const kill = (): void => void killGroup(group);
  signal.addEventListener('abort', kill, { once: true });
  try {
    if (signal.aborted) kill();
    const end = await group.exited;
    // What the command left behind would hold its output open.
    await killGroup(group);
    await Promise.all(readers);
    return { end, lastLine };
  } finally {
    signal.removeEventListener('abort', kill);
  }
};
