/** How every command that needs a live run comes to it. */
import { connectToRun, type RunConnection } from '../../control/index.ts';
import { SkeinError } from '../../errors/index.ts';
import { findWorkspace } from '../../workspace/index.ts';
import { plainText } from '../view/plain-text.ts';

/**
 * The live run of the workspace that `cwd` lies in.
 * @throws {SkeinError} SK1001 without a workspace, SK1502 without a run, SK1505.
 */
export async function requireRun(cwd: string): Promise<RunConnection> {
  const root = findWorkspace(cwd);
  const connection = await connectToRun(root);
  if (connection === undefined) throw new SkeinError('SK1502', `no run of the workspace in ${root} is live`);
  return connection;
}

/** Tells what is wrong beside the command's way, which goes on. */
export function warn({ code, message }: SkeinError): void {
  process.stderr.write(`warning ${code}: ${plainText(message)}\n`);
}

/** One JSON document, or the lines for a person. */
export function print(options: { readonly json?: true }, document: unknown, text: string): void {
  process.stdout.write(`${options.json ? JSON.stringify(document, null, 2) : plainText(text)}\n`);
}
