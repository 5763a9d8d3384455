/** What the tests of real processes share: options for a command in the system's folders, and readers of output. */
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { GroupProcess, SpawnOptions } from '../../src/processes/index.ts';

export const path = '/usr/local/bin:/usr/bin:/bin';

export function shell(script: string, rest: Partial<SpawnOptions> = {}): SpawnOptions {
  return { command: ['/bin/sh', '-c', script], cwd: '/', environment: { PATH: path }, ...rest };
}

/** All that the process prints, once nobody can print more, and how it ended. */
export async function outcome(
  child: GroupProcess,
): Promise<{ stdout: string; stderr: string; exit: unknown }> {
  const [stdout, stderr, exit] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
  return { stdout, stderr, exit };
}

/** Resolves with the output so far as soon as it contains `word`; rejects when it ends without. */
export function printed(stream: Readable, word: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes(word)) resolve(output);
    });
    stream.on('end', () => reject(new Error(`ended without ${word}: ${output}`)));
  });
}

/** The pids that a script printed one a line. */
export function pidsIn(output: string): number[] {
  return [...output.matchAll(/^\d+$/gm)].map(([digits]) => Number(digits));
}
