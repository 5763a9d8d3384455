/** A command that goes on: what it prints, a JSON document a line, can be awaited; it is signalled like any process. */
import { type ChildProcess, spawn } from 'node:child_process';

export type Document = Readonly<Record<string, unknown>>;

export interface Finished {
  /** `null` where a signal ended it. */
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Default `ignore`: reads end at once. */
  readonly stdin?: 'ignore' | 'pipe';
}

/** How long an awaited word may take, milliseconds; only there to end a test that waits in vain with what was said. */
const patienceMs = 30_000;

interface Waiter {
  look(): void;
  giveUp(why: string): void;
}

export class RunningCommand {
  readonly pid: number;
  /** Resolves when the process is gone and all that it printed has been read; never rejects. */
  readonly ended: Promise<Finished>;
  readonly #child: ChildProcess;
  readonly #documents: Document[] = [];
  readonly #waiters = new Set<Waiter>();
  readonly #pieces = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  #line = '';

  /** It leads a session of its own, with no terminal. */
  constructor(command: readonly [string, ...string[]], options: CommandOptions) {
    const [program, ...rest] = command;
    this.#child = spawn(program, rest, {
      cwd: options.cwd,
      env: options.environment,
      detached: true,
      stdio: [options.stdin ?? 'ignore', 'pipe', 'pipe'],
    });
    this.pid = this.#child.pid ?? 0;
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    this.#child.stderr?.on('data', (bytes: Buffer) => {
      this.#pieces.stderr.push(bytes);
      this.#look();
    });
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (status, signal) => {
        for (const waiter of this.#waiters) waiter.giveUp(`it ended with ${status ?? signal}`);
        resolve({ status, signal, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  get stdout(): string {
    return Buffer.concat(this.#pieces.stdout).toString();
  }

  get stderr(): string {
    return Buffer.concat(this.#pieces.stderr).toString();
  }

  /** All documents so far. */
  get documents(): readonly Document[] {
    return this.#documents;
  }

  /** To this process alone. */
  signal(name: NodeJS.Signals): void {
    process.kill(this.pid, name);
  }

  /** To its whole process group, as a terminal does. */
  signalGroup(name: NodeJS.Signals): void {
    process.kill(-this.pid, name);
  }

  /** Into its stdin, which has to be a pipe. */
  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** Reads no more: the next thing that it prints meets a broken pipe. */
  closeOutput(): void {
    this.#child.stdout?.destroy();
  }

  /** The first document, from the beginning on, that is wanted. @throws {Error} when the command ends without it. */
  document(wanted: (document: Document) => boolean): Promise<Document> {
    let next = 0;
    const find = (): Document | undefined => {
      while (next < this.#documents.length) {
        const document = this.#documents[next++];
        if (document !== undefined && wanted(document)) return document;
      }
      return undefined;
    };
    return this.#await(find, `a document with ${wanted}`);
  }

  /** The moment in which a service has this state. */
  state(service: string, state: string): Promise<Document> {
    return this.document(
      (document) => document['service'] === service && document['state'] === state && 'phase' in document,
    );
  }

  /** The moment in which the run has this state. */
  runState(state: string): Promise<Document> {
    return this.document((document) => document['phase'] === 'run' && document['state'] === state);
  }

  /** A line of a service's output that is this, or begins so. */
  line(service: string, start: string): Promise<Document> {
    return this.document(
      ({ service: of, stream, text }) =>
        of === service && stream !== undefined && String(text).startsWith(start),
    );
  }

  /** Something on stdout. */
  output(text: string): Promise<string> {
    return this.#await(() => (this.stdout.includes(text) ? this.stdout : undefined), `"${text}" on stdout`);
  }

  #take(text: string): void {
    this.#pieces.stdout.push(Buffer.from(text));
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('{"')) this.#documents.push(JSON.parse(line) as Document);
    this.#look();
  }

  #look(): void {
    for (const waiter of this.#waiters) waiter.look();
  }

  #await<Found>(find: () => Found | undefined, what: string): Promise<Found> {
    return new Promise((resolve, reject) => {
      const settle = (done: () => void): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        done();
      };
      const waiter: Waiter = {
        look: () => {
          const found = find();
          if (found !== undefined) settle(() => resolve(found));
        },
        giveUp: (why) =>
          settle(() =>
            reject(
              new Error(
                `waited for ${what}, but ${why}\n${this.stdout.slice(-6_000)}\n${this.stderr.slice(-3_000)}`,
              ),
            ),
          ),
      };
      const timer = setTimeout(() => waiter.giveUp('it never came'), patienceMs);
      this.#waiters.add(waiter);
      waiter.look();
    });
  }
}
