/**
 * The ground of one end-to-end test: a workspace, a folder for sockets and one for temporary files, all its own, and the
 * built command run on them. Everything that a run starts inherits a variable that names this ground, by which what is
 * left of it is found. Disposing of it kills what a failed test has left, and removes the folders.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { registryFolder } from '../../src/processes/index.ts';
import { type FoundProcess, processesWith } from './process-scan.ts';
import { type Document, type Finished, RunningCommand } from './running-command.ts';

/** What `npm run build` makes; another build of it can be named. */
const command = process.env['SKEIN_COMMAND'] ?? fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** How long what was cut off may take to follow, milliseconds; only there to end a test that waits in vain. */
const patienceMs = 30_000;

export interface SiteOptions {
  /** Absolute root of a workspace that is there already; default: a folder of its own. */
  readonly root?: string;
  /** Beyond what a user's shell has. */
  readonly environment?: NodeJS.ProcessEnv;
}

export class Site implements AsyncDisposable {
  /** Absolute root of the workspace, links resolved. */
  readonly root: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly #base: string;

  constructor({ root, environment = {} }: SiteOptions = {}) {
    // Not in TMPDIR: on some systems that is too long for a socket.
    this.#base = realpathSync(mkdtempSync('/tmp/sk-'));
    this.root = root ?? join(this.#base, 'w');
    for (const folder of [this.root, this.#runtimeFolder, this.#temporaryFolder])
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { PATH, HOME, USER, SHELL } = process.env;
    const shell = { PATH, HOME, USER, SHELL, LANG: 'C.UTF-8', TERM: 'dumb' };
    const own = {
      TMPDIR: this.#temporaryFolder,
      XDG_RUNTIME_DIR: this.#runtimeFolder,
      XDG_STATE_HOME: join(this.#base, 's'),
    };
    this.environment = { ...shell, ...own, ...environment };
  }

  /** Absolute. */
  path(name: string): string {
    return join(this.root, name);
  }

  write(name: string, content: string | Uint8Array): void {
    writeFileSync(this.path(name), content);
  }

  /** Lines of a file in the workspace, without the last line break; none where there is no such file. */
  lines(name: string): readonly string[] {
    if (!readdirSync(this.root).includes(name)) return [];
    return readFileSync(this.path(name), 'utf8').split('\n').slice(0, -1);
  }

  /** Writes the workspace file; JSON is YAML. */
  declare(name: string, services: readonly object[]): void {
    this.write('workspace.skein.yaml', JSON.stringify({ name, services }, null, 2));
  }

  /** Begins a command in the workspace. */
  start(...words: readonly string[]): RunningCommand {
    return this.#spawn([process.execPath, command, ...words]);
  }

  /** Begins a command through another program that is given the command's own words behind its own. */
  startWith(program: readonly [string, ...string[]], ...words: readonly string[]): RunningCommand {
    return this.#spawn([...program, process.execPath, command, ...words]);
  }

  /** Begins a command on a terminal of its own, which `script` of util-linux makes; what is typed goes to the terminal. */
  startOnTerminal(...words: readonly string[]): RunningCommand {
    const line = [process.execPath, command, ...words].map((word) => `'${word}'`).join(' ');
    return this.#spawn(['script', '--quiet', '--return', '--command', line, '/dev/null'], 'pipe');
  }

  /** A command from its beginning to its end. */
  skein(...words: readonly string[]): Promise<Finished> {
    return this.start(...words).ended;
  }

  /** The document that a command prints with `--json`. */
  async json(...words: readonly string[]): Promise<Document> {
    const { stdout, stderr } = await this.skein(...words, '--json');
    try {
      return JSON.parse(stdout) as Document;
    } catch (cause) {
      throw new Error(`skein ${words.join(' ')} printed no document: ${stdout}\n${stderr}`, { cause });
    }
  }

  /** What `skein status --json` says of each service, by its id. */
  async services(): Promise<ReadonlyMap<string, Document>> {
    const { services } = await this.json('status');
    return new Map((services as Document[]).map((service) => [String(service['id']), service]));
  }

  /** What `skein status --json` says of one service. */
  async service(id: string): Promise<Document> {
    const service = (await this.services()).get(id);
    if (service === undefined) throw new Error(`the run has no ${id}`);
    return service;
  }

  /** As `service`, once its state is this one. */
  async eventually(id: string, state: string): Promise<Document> {
    return await vi.waitFor(
      async () => {
        const service = await this.service(id);
        expect(service['state']).toBe(state);
        return service;
      },
      { timeout: patienceMs, interval: 20 },
    );
  }

  /** Once the run has a service no more. */
  async untilGone(id: string): Promise<void> {
    await vi.waitFor(async () => expect([...(await this.services()).keys()]).not.toContain(id), {
      timeout: patienceMs,
      interval: 20,
    });
  }

  /** Where the first endpoint of a service answers. */
  async url(id: string): Promise<string> {
    const [endpoint] = (await this.service(id))['endpoints'] as Document[];
    return String(endpoint?.['url']);
  }

  /** The documents that a command prints with `--json`, one a line. */
  async jsonLines(...words: readonly string[]): Promise<readonly Document[]> {
    const { stdout } = await this.skein(...words, '--json');
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Document);
  }

  /** Whatever of this ground runs now. */
  processes(): readonly FoundProcess[] {
    return processesWith(this.#base);
  }

  /** Names of the records of process groups. */
  records(): readonly string[] {
    const folder = registryFolder(this.environment);
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  /** Sockets and temporary files, relative to the ground. What Node 22 and later compiles there is Node's own. */
  leftFiles(): readonly string[] {
    return [this.#runtimeFolder, this.#temporaryFolder].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
        (name) => name !== 'skein' && !name.startsWith('node-compile-cache'),
      ),
    );
  }

  /** No process, no record, no socket, no folder of a socket: to be called where a command has said that all is over. */
  expectNothingLeft(): void {
    const left = { processes: this.processes(), records: this.records(), files: this.leftFiles() };
    expect(left).toEqual({ processes: [], records: [], files: [] });
  }

  /** Where nobody was left to say that it is over. */
  async untilNothingRuns(): Promise<void> {
    await vi.waitFor(() => expect(this.processes()).toEqual([]), { timeout: patienceMs, interval: 20 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await vi.waitFor(
      () => {
        const left = this.processes();
        for (const { pid } of left) killIfThere(pid);
        if (left.length > 0) throw new Error(`${left.length} processes are left`);
      },
      { timeout: patienceMs, interval: 20 },
    );
    rmSync(this.#base, { recursive: true, force: true });
  }

  get #runtimeFolder(): string {
    return join(this.#base, 'x');
  }

  get #temporaryFolder(): string {
    return join(this.#base, 't');
  }

  #spawn(words: readonly [string, ...string[]], stdin: 'ignore' | 'pipe' = 'ignore'): RunningCommand {
    return new RunningCommand(words, { cwd: this.root, environment: this.environment, stdin });
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
