/** Servers that are installed on this machine: what PATH leads to, then where distributions and Homebrew put them. */
import { execFile } from 'node:child_process';
import { accessSync, constants, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import type { Installation } from './installation.ts';

const run = promisify(execFile);
/** Programs that only say what they are. */
const answerMs = 10_000;
/** The oldest whose initdb knows the options that the agent gives. */
const oldestMajor = 14;

/** Folders that hold one folder for each version, and where in it the programs are. */
const places: readonly { readonly folder: string; readonly version: RegExp; readonly bin: string }[] = [
  { folder: '/usr/lib/postgresql', version: /^(\d+)$/, bin: 'bin' },
  { folder: '/usr', version: /^pgsql-(\d+)$/, bin: 'bin' },
  { folder: '/opt/homebrew/opt', version: /^postgresql@(\d+)$/, bin: 'bin' },
  { folder: '/usr/local/opt', version: /^postgresql@(\d+)$/, bin: 'bin' },
  { folder: '/Applications/Postgres.app/Contents/Versions', version: /^(\d+)$/, bin: 'bin' },
];

/** By preference, each once; `path` is the value of PATH. What cannot be run is left out. */
export async function nativeInstallations(path: string): Promise<readonly Installation[]> {
  const entries = path.split(delimiter).filter(isAbsolute);
  const configured = await configuredFolder(entries);
  const folders = [...entries, ...(configured === undefined ? [] : [configured]), ...knownFolders()];
  const bins = [...new Set(folders.flatMap(realInstallation))];
  const judged = await Promise.all(bins.map((bin) => answerOnce(installations, bin, judge)));
  return judged.filter((one) => one !== undefined);
}

/** Where the programs really are: PATH may hold links to them, and a link alone has no `initdb` beside it. */
function realInstallation(folder: string): string[] {
  try {
    const bin = dirname(realpathSync(join(folder, 'postgres')));
    for (const program of ['postgres', 'initdb']) accessSync(join(bin, program), constants.X_OK);
    return [bin];
  } catch {
    // Nothing there, or nothing that this user may run: not an installation.
    return [];
  }
}

/** Newest first within each place. */
function knownFolders(): string[] {
  return places.flatMap(({ folder, version, bin }) =>
    entriesOf(folder)
      .map((name) => ({ name, major: Number(version.exec(name)?.[1] ?? 0) }))
      .filter(({ major }) => major > 0)
      .sort((one, other) => other.major - one.major)
      .map(({ name }) => join(folder, name, bin)),
  );
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** What `pg_config` of PATH names; there are installations that only it knows. */
async function configuredFolder(entries: readonly string[]): Promise<string | undefined> {
  const program = entries.map((entry) => join(entry, 'pg_config')).find(isExecutable);
  return program === undefined ? undefined : answerOnce(configured, program, bindir);
}

const configured = new Map<string, Promise<string | undefined>>();

async function bindir(program: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(program, ['--bindir'], { timeout: answerMs });
    return stdout.trim();
  } catch {
    // A pg_config of client libraries alone knows no server.
    return undefined;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const installations = new Map<string, Promise<Installation | undefined>>();

/** Each program is asked once a process. */
function answerOnce<Answer>(
  known: Map<string, Promise<Answer>>,
  subject: string,
  ask: (subject: string) => Promise<Answer>,
): Promise<Answer> {
  const answer = known.get(subject) ?? ask(subject);
  known.set(subject, answer);
  return answer;
}

async function judge(bin: string): Promise<Installation | undefined> {
  try {
    const { stdout } = await run(join(bin, 'postgres'), ['--version'], { timeout: answerMs });
    const [, version, major] = /\(PostgreSQL\) ((\d+)\S*)/.exec(stdout) ?? [];
    if (version === undefined || major === undefined || Number(major) < oldestMajor) return undefined;
    return { engine: 'native', bin, version, major };
  } catch {
    // It cannot even say its version.
    return undefined;
  }
}
