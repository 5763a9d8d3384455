/** A workspace of 20 services with agents of several kinds, strangers beside it that look the same, and what must hold at the end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import { listeners } from '../../src/processes/index.ts';
import { needs, shellService, staying, tcpService } from '../support/declared-services.ts';
import { type FoundProcess, isAlive } from '../support/process-scan.ts';
import { installPythonAgent, pythonLacks } from '../support/python-agent.ts';
import type { RunningCommand } from '../support/running-command.ts';
import { Site } from '../support/site.ts';

export const serviceCount = 20;
/** In layers of this many, each of which needs the one before. */
const layerSize = 4;
/** A service whose agent is a process of its own, and one that listens. */
const alone = 's6';
const listening = 's5';
/** Without it the run has one agent less. */
const hasForeignAgent: boolean = pythonLacks === undefined;

export class Ground implements AsyncDisposable {
  readonly site: Site;
  readonly #strangers: readonly ChildProcess[];

  static async make(environment: NodeJS.ProcessEnv = {}): Promise<Ground> {
    const site = new Site({ environment });
    const agent = hasForeignAgent ? await installPythonAgent(site.root) : 'process';
    site.declare(
      'chaos',
      Array.from({ length: serviceCount }, (_, index) => serviceAt(index, agent)),
    );
    return new Ground(site);
  }

  private constructor(site: Site) {
    this.site = site;
    this.#strangers = commandLines.map(([program, ...rest]) =>
      spawn(program, rest, {
        stdio: 'ignore',
        detached: true,
        env: { PATH: process.env['PATH'], PORT: '0' },
      }),
    );
  }

  /** The supervisor of a foreground run is the command itself. */
  start(failFast: boolean): RunningCommand {
    return this.site.start('run', '--json', '--temporary-ports', failFast ? '--fail-fast' : '--no-fail-fast');
  }

  /** A process of the run that is there now. */
  async agentHost(): Promise<number> {
    return this.#one(({ command }) => command.endsWith('agents.js'));
  }

  async foreignAgent(): Promise<number> {
    return hasForeignAgent ? this.#one(({ command }) => /agent\.py /.test(command)) : this.agentHost();
  }

  /** Of a service, or in Init that of its build. */
  async service(): Promise<number> {
    return this.#one(({ command }) => command.startsWith('/bin/sh -c'));
  }

  agents(): readonly number[] {
    return this.site
      .processes()
      .filter(({ command }) => /agents\.js$|agent\.py /.test(command))
      .map(({ pid }) => pid);
  }

  get strangers(): readonly number[] {
    return this.#strangers.map(({ pid = 0 }) => pid);
  }

  expectStrangersAlive(): void {
    expect(this.strangers.filter((pid) => !isAlive(pid))).toEqual([]);
  }

  /** Nothing runs, nothing is on record, nothing listens, no socket is left; the strangers live. */
  async expectOver(run: RunningCommand): Promise<void> {
    const { site } = this;
    const ports = portsOf(run);
    const held = (await listeners()).filter(({ port }) => ports.has(port));
    expect({
      processes: site.processes(),
      records: recordsOf(site),
      held,
      sockets: site.leftFiles(),
    }).toEqual({
      processes: [],
      records: [],
      held: [],
      sockets: [],
    });
    this.expectStrangersAlive();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stranger of this.#strangers) {
      if (stranger.exitCode !== null || stranger.signalCode !== null) continue;
      process.kill(-(stranger.pid ?? 0), 'SIGKILL');
      await once(stranger, 'exit');
    }
    await this.site[Symbol.asyncDispose]();
  }

  async #one(wanted: (found: FoundProcess) => boolean): Promise<number> {
    let found: FoundProcess | undefined;
    await expect
      .poll(() => (found = this.site.processes().find(wanted)), { timeout: 30_000, interval: 10 })
      .toBeDefined();
    return found?.pid ?? 0;
  }
}

/** A draft is no record: nothing was ever started with one whose writer was killed. */
export function recordsOf(site: Site): readonly string[] {
  return site.records().filter((name) => !name.endsWith('.draft'));
}

/** What services run, word for word; strangers run it too. */
const script = staying();
const foreignScript = 'sleep 600 & wait';
const listener = tcpService(listening) as {
  readonly spec: { readonly command: readonly [string, ...string[]] };
};
const commandLines: readonly (readonly [string, ...string[]])[] = [
  ['/bin/sh', '-c', script],
  ['/bin/sh', '-c', foreignScript],
  listener.spec.command,
];

function serviceAt(index: number, foreign: string): object {
  const name = `s${index}`;
  const layer = Math.floor(index / layerSize);
  const before = Array.from(
    { length: layer === 0 ? 0 : layerSize },
    (_, at) => `s${(layer - 1) * layerSize + at}`,
  );
  const rest = needs(...before);
  if (name === alone && foreign !== 'process')
    return { name, agent: foreign, ...rest, spec: { command: foreignScript } };
  if (name === listening) return tcpService(name, rest);
  return shellService(name, script, index === 0 ? { ...rest, spec: { build: 'sleep 0.3' } } : rest);
}

/** As the events of a run say: `chaos/s5/tcp at 127.0.0.1:36671`. */
function portsOf(run: RunningCommand): ReadonlySet<number> {
  return new Set(
    run.documents.flatMap(({ phase, cause }) => {
      const port = phase === 'address' ? /:(\d+)$/.exec(String(cause))?.[1] : undefined;
      return port === undefined ? [] : [Number(port)];
    }),
  );
}
