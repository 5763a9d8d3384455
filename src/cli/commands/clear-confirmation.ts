/** Whether a person means it, before anything is deleted that cannot be made again. */
import { createInterface } from 'node:readline';
import { SkeinError } from '../../errors/index.ts';
import { plainText } from '../view/plain-text.ts';
import type { ClearOptions } from './clear-left.ts';

/** Without a terminal, or with `--json`, nobody is asked. @throws {SkeinError} SK1557 */
export function requireConfirmation({ yes, dryRun, json }: ClearOptions): void {
  if (yes || dryRun || (!json && process.stdin.isTTY && process.stderr.isTTY)) return;
  throw new SkeinError('SK1557', 'missing option: `--yes` confirms that kept data is deleted');
}

/** Shows what would go, and asks. An end of the input is a no. */
export async function confirm(lines: readonly string[]): Promise<boolean> {
  const shown = ['this is deleted, and cannot be brought back:', ...lines.map((line) => `  ${line}`)];
  process.stderr.write(`${plainText(shown.join('\n'))}\ndelete it? [y/N] `);
  // Not `terminal`: Ctrl-C shall do what it does everywhere.
  const input = createInterface({ input: process.stdin, terminal: false });
  const first = await input[Symbol.asyncIterator]().next();
  input.close();
  return first.done !== true && /^y(es)?$/i.test(first.value.trim());
}
