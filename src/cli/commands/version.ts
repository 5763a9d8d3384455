/** `skein --version`. */
import { readFileSync } from 'node:fs';
import { exitStatus } from '../exit-status.ts';

/** Walks up to the package that this file is part of, whether it is bundled or not. */
export function version(): number {
  for (let folder = new URL('.', import.meta.url); ; folder = new URL('..', folder)) {
    const found = readIfThere(new URL('package.json', folder));
    if (found !== undefined) {
      process.stdout.write(`${(JSON.parse(found) as { version: string }).version}\n`);
      return exitStatus.done;
    }
    if (folder.pathname === '/') throw new Error('skein is not inside its package');
  }
}

function readIfThere(file: URL): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
