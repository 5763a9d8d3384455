/**
 * `skein recover process-group PGID`: what a person decides about a group that is not proven to be skein's (T-9). A
 * preview is a receipt; when it is handed back, exactly what it shows is ended, or nothing.
 */
import { readFileSync } from 'node:fs';
import { SkeinError } from '../../errors/index.ts';
import { recoverGroup, recoveryReceipt, registryFolder } from '../../processes/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { recoveryText } from '../view/recovery-text.ts';
import { print } from './live-run.ts';

export interface RecoverOptions extends CommonOptions {
  readonly preview?: true;
  /** The file of a receipt. */
  readonly expect?: string;
}

/** How long a group may take to end after its stop signal, before it is killed: the default of `stop-timeout`. */
const endTimeoutMs = 10_000;

/**
 * Needs no workspace, which may be gone. With `expect` it returns when the group is dead and its record gone.
 * @param group number of the process group
 * @throws {SkeinError} SK1553 without a choice; SK1556 for a file that is no receipt of the group; SK1609, SK1611, SK1613
 * to SK1615, SK1617 to SK1620
 */
export async function recover(group: number, options: RecoverOptions): Promise<ExitStatus> {
  const folder = registryFolder(process.env);
  if (options.expect !== undefined) {
    await recoverGroup(folder, readReceipt(options.expect, group), { timeoutMs: endTimeoutMs });
    print(options, { group, outcome: 'recovered' }, `process group ${group} is dead, and its record is gone`);
    return exitStatus.done;
  }
  if (!options.preview)
    throw new SkeinError(
      'SK1553',
      'missing option: `--preview` shows what would be signalled, `--expect FILE` ends what a receipt shows',
    );
  const receipt = await recoveryReceipt(folder, group);
  print(options, receipt, recoveryText(receipt));
  return exitStatus.done;
}

/** What the file holds, of which nothing but the group has been looked at. @throws {SkeinError} SK1556 */
function readReceipt(file: string, group: number): unknown {
  const receipt = readDocument(file);
  const found = typeof receipt === 'object' && receipt !== null && 'group' in receipt && receipt.group;
  if (found === group) return receipt;
  throw new SkeinError(
    'SK1556',
    typeof found === 'number'
      ? `${file} is the receipt of process group ${found}, not of ${group}`
      : `${file} is no receipt of a process group`,
  );
}

function readDocument(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new SkeinError('SK1556', `the receipt ${file} cannot be read`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SkeinError('SK1556', `${file} is no receipt, for it is not JSON`, { cause });
  }
}
