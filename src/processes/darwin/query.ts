/** Runs one of the system's own tools and returns what it prints. */
import { execFile } from 'node:child_process';
import { SkeinError } from '../../errors/index.ts';

const limits = { timeout: 10_000, maxBuffer: 64 * 1024 * 1024 } as const;

/**
 * ps and lsof end with 1 when nothing matches: then the answer is what they printed, as a rule nothing.
 * @throws {SkeinError} SK1611
 */
export function ask(tool: string, args: readonly string[]): Promise<string> {
  // Dates must read the same whatever the user's language and wherever the computer travels.
  const options = { ...limits, env: { LC_ALL: 'C', TZ: 'UTC' } };
  return new Promise((resolve, reject) => {
    execFile(tool, args, options, (error, stdout) => {
      if (error === null || error.code === 1) resolve(stdout);
      else reject(new SkeinError('SK1611', `${[tool, ...args].join(' ')} failed`, { cause: error }));
    });
  });
}
