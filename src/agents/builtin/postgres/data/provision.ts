/**
 * Role and database of a service, brought about in single-user mode, which needs neither a port nor a password. The
 * statements come from a file: arguments are everybody's to read.
 */
import { chownSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentFailure, type CommandOutcome } from '../../../sdk/index.ts';
import { serverFailure } from '../failures.ts';
import { scramVerifier, verifies } from '../scram.ts';
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
  /** Absolute folder of the agent's own notes. */
  readonly kept: string;
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
  const file = join(request.kept, 'provisioned.json');
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

/** The output of single-user mode on stdin and stdout, which go by files that the server's user owns. */
async function singleUser(request: ProvisionRequest, statements: readonly string[]): Promise<string> {
  const { context, installation, user, environment, signal, cluster, isFresh } = request;
  const folder = mkdtempSync(join(cluster, 'skein-'));
  try {
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
        ...['-D', cluster, '-c', 'log_min_messages=error', '-c', 'log_checkpoints=off', 'postgres'],
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
