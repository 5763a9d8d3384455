/** PostgreSQL refuses to run as root: where skein is root, the server gets a user of its own. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AgentFailure } from '../../sdk/index.ts';

export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** By preference; macOS has `_postgres`. */
const candidates = ['postgres', '_postgres', 'nobody'];

/**
 * Who runs the server; `undefined`: this process's own user. Asked once a process.
 * @throws {AgentFailure} POSTGRES_NO_USER
 */
export function serverUser(): Promise<ServerUser | undefined> {
  found ??= process.getuid?.() === 0 ? unprivilegedUser() : Promise.resolve(undefined);
  return found;
}

let found: Promise<ServerUser | undefined> | undefined;

/** `id` knows the users of every directory service, which /etc/passwd does not. */
async function unprivilegedUser(): Promise<ServerUser> {
  for (const name of candidates) {
    const [uid, gid] = await Promise.all([numberOf('-u', name), numberOf('-g', name)]);
    if (uid !== undefined && gid !== undefined && uid !== 0) return { name, uid, gid };
  }
  throw new AgentFailure(
    'POSTGRES_NO_USER',
    'there is no user that the server could run as, and it refuses root',
    {
      remedy: 'Make a system user `postgres`, or run skein as another user than root.',
    },
  );
}

async function numberOf(option: '-u' | '-g', name: string): Promise<number | undefined> {
  try {
    const { stdout } = await promisify(execFile)('id', [option, name], { timeout: 10_000 });
    const number = Number(stdout.trim());
    return Number.isInteger(number) ? number : undefined;
  } catch {
    // `id` ends with status 1 where there is no such user.
    return undefined;
  }
}
