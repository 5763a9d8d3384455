/** The agents that come with skein: one program, from the same package, in a process of its own. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command, Program } from './program.ts';

const names = ['skein/process', 'skein/postgres'];

/** How a built-in agent is started. */
export interface BuiltInAgent {
  readonly command: Command;
}

/** By `publisher/name`; all of them by one command, so that a run starts it once. */
export function builtInAgents(): ReadonlyMap<string, BuiltInAgent> {
  const command = builtInCommand();
  return new Map(names.map((name) => [name, { command }]));
}

/** The program of all built-in agents, to be started before anybody asks for one. */
export function builtInProgram(): Program {
  return { identity: names.join(', '), command: builtInCommand() };
}

/** What starts the process of all built-in agents. */
function builtInCommand(): Command {
  return [process.execPath, join(packageRoot(), 'dist', 'agents.js')];
}

/** Root of the package that this code is part of, bundled or not. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!isPackageRoot(folder)) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('the package of skein has lost its package.json');
    folder = parent;
  }
  return folder;
}

function isPackageRoot(folder: string): boolean {
  const file = join(folder, 'package.json');
  return existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown }).name === 'skein';
}
