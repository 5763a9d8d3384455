/** The agents that come with skein, and how each is started: a process of its own from the same package. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuiltInAgent } from '../agents/host/index.ts';

/** By `publisher/name`. */
export function builtInAgents(): ReadonlyMap<string, BuiltInAgent> {
  return new Map(['process', 'postgres'].map((name) => [`skein/${name}`, { command: builtInCommand(name) }]));
}

function builtInCommand(name: string): BuiltInAgent['command'] {
  return [process.execPath, join(packageRoot(), 'dist', 'agents.js'), name];
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
