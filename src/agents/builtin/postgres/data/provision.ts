/**
 * Role and database of a service, brought about in single-user mode, which needs neither a port nor a password. The
 * statements come from a file: arguments are everybody's to read.
 */
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentFailure, type CommandOutcome } from '../../../sdk/index.ts';
import { serverFailure } from '../failures.ts';
import { scramVerifier, verifies } from '../scram.ts';
import type { DataPlace } from './place.ts';
import type { ServerRun } from './server-run.ts';

/** What dependents connect with. */
export interface Access {
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** `provisioned.json`: what the cluster was told last. */
interface Provisioned {
  readonly user: string;
  readonly database: string;
  readonly verifier: string;
}

export interface ProvisionRequest extends ServerRun {
  readonly place: Pick<DataPlace, 'kept' | 'home'>;
  /** Absolute; no server runs on it. */
  readonly cluster: string;
  /** Just made by initdb with this user as its first. */
  readonly isFresh: boolean;
}

/** Whether the cluster has been told all of it already. */
export function isProvisioned(kept: string, access: Access): boolean {
  const file = join(kept, 'provisioned.json');
  if (!existsSync(file)) return false;
  const { user, database, verifier } = JSON.parse(readFileSync(file, 'utf8')) as Provisioned;
  return user === access.user && database === access.database && verifies(verifier, access.password);
}

/** @throws {AgentFailure} POSTGRES_PROVISION_FAILED and the others of `failures.ts` */
export async function provision(request: ProvisionRequest, access: Access): Promise<void> {
  const { user, database, password } = access;
  const verifier = scramVerifier(password);
  const known = request.isFresh
    ? { roles: [user], databases: ['postgres', 'template0', 'template1'] }
    : await inventory(request);
  const verb = known.roles.includes(user) ? 'ALTER' : 'CREATE';
  const { roles, databases } = await inventory(request, [
    `${verb} ROLE ${identifier(user)} WITH LOGIN SUPERUSER PASSWORD ${literal(verifier)}`,
    ...(known.databases.includes(database)
      ? []
      : [`CREATE DATABASE ${identifier(database)} OWNER ${identifier(user)}`]),
  ]);
  if (!roles.includes(user) || !databases.includes(database))
    throw new AgentFailure(
      'POSTGRES_PROVISION_FAILED',
      `the database ${database} of ${user} could not be made`,
      {
        remedy: "The server's own words are in the log of the service.",
      },
    );
  const note: Provisioned = { user, database, verifier };
  const file = join(request.place.kept, 'provisioned.json');
  writeFileSync(`${file}.new`, JSON.stringify(note), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

interface Inventory {
  readonly roles: readonly string[];
  readonly databases: readonly string[];
}

/** Runs statements, one a line, and answers what there is afterwards. */
async function inventory(request: ProvisionRequest, statements: readonly string[] = []): Promise<Inventory> {
  const query = (kind: string, column: string, table: string): string =>
    `SELECT '${kind}:' || encode(convert_to(${column}::text, 'UTF8'), 'hex') || ';' FROM ${table}`;
  const told = await singleUser(request, [
    ...statements,
    query('role', 'rolname', 'pg_roles'),
    query('database', 'datname', 'pg_database'),
  ]);
  const named = (kind: string): string[] =>
    [...told.matchAll(new RegExp(`"${kind}:([0-9a-f]+);"`, 'g'))].map(([, hex = '']) =>
      Buffer.from(hex, 'hex').toString(),
    );
  return { roles: named('role'), databases: named('database') };
}

/** What single-user mode answers; statements and answers go by files that the server's user owns. */
async function singleUser(request: ProvisionRequest, statements: readonly string[]): Promise<string> {
  const { context, installation, user, environment, signal, place, cluster, isFresh } = request;
  const folder = join(place.home, 'statements');
  try {
    // A run that was ended in the middle has left one.
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, 'in'), statements.map((statement) => `${statement}\n`).join(''), {
      mode: 0o600,
    });
    writeFileSync(join(folder, 'out'), '', { mode: 0o600 });
    for (const name of user === undefined ? [] : ['.', 'in', 'out'])
      chownSync(join(folder, name), user?.uid ?? -1, user?.gid ?? -1);
    // A fresh cluster is brought to disk as a whole afterwards.
    const durability = isFresh ? ['-F'] : [];
    const outcome = await context.run({
      command: [
        '/bin/sh',
        '-c',
        'exec "$0" "$@" < in > out',
        join(installation.bin, 'postgres'),
        '--single',
        ...durability,
        ...[
          '-D',
          cluster,
          '-c',
          'log_min_messages=error',
          '-c',
          'log_checkpoints=off',
          '-c',
          'dynamic_shared_memory_type=mmap',
          'postgres',
        ],
      ],
      cwd: folder,
      environment,
      signal,
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    if (!succeeded(outcome)) throw serverFailure('single-user mode', outcome, 'POSTGRES_PROVISION_FAILED');
    return readFileSync(join(folder, 'out'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function succeeded({ exit }: CommandOutcome): boolean {
  return exit.kind === 'exited' && exit.code === 0;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
