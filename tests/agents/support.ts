/** A place for tests of agents: own folders, services made by hand, and the proof that nothing is left. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import {
  type AgentProcess,
  type AgentTimeouts,
  launchAgent,
  type ResolvedAgent,
} from '../../src/agents/host/index.ts';
import { type Command, type StartedProgram, startProgram } from '../../src/agents/program/index.ts';
import { registryFolder } from '../../src/processes/index.ts';
import type { AgentReference, Json, Service, ServiceId } from '../../src/workspace/index.ts';
import { isAlive } from '../support/process-scan.ts';

const hostileFolder = fileURLToPath(new URL('./hostile/', import.meta.url));

export class Workplace implements AsyncDisposable {
  readonly folder: string = realpathSync(mkdtempSync(join(tmpdir(), 'sk-')));
  readonly runtimeDirectory: string = mkdtempSync(join(this.folder, 'x-'));
  readonly pidsFile: string = join(this.folder, 'pids');
  readonly environment: Record<string, string | undefined> = {
    ...process.env,
    XDG_RUNTIME_DIR: this.runtimeDirectory,
    XDG_STATE_HOME: join(this.folder, 'state'),
  };
  /** Absolute folder of the records of process groups. */
  readonly records: string = registryFolder(this.environment);
  readonly #agents: AgentProcess[] = [];

  /** The argument vector of a hostile agent, `hangs load` as its file's name and its variant. */
  command(words: string): Command {
    const [name = '', variant = ''] = words.split(' ');
    return [join(hostileFolder, `${name}.mjs`), variant, `--pids=${this.pidsFile}`];
  }

  /** A hostile agent's program, started before any host asks for it. */
  started(words: string): Promise<StartedProgram> {
    return startProgram(
      { identity: 'test/agent', command: this.command(words) },
      { environment: this.environment, directory: this.folder },
    );
  }

  resolved(words: string): ResolvedAgent {
    return { identity: 'test/agent', command: this.command(words), found: { kind: 'built-in' } };
  }

  async launch(words: string, timeouts: Partial<AgentTimeouts> = {}): Promise<AgentProcess> {
    const agent = await launchAgent(this.resolved(words), {
      signal: new AbortController().signal,
      environment: this.environment,
      directory: this.folder,
      timeouts,
    });
    this.#agents.push(agent);
    return agent;
  }

  /** The socket of the only agent that runs here. */
  socket(): string {
    const base = join(this.runtimeDirectory, 'skein');
    const [folder = ''] = readdirSync(base);
    return join(base, folder, 's');
  }

  /** Every process that an agent told of is gone, and so is every socket, its folder, and every record. */
  async expectNothingLeft(): Promise<void> {
    const pids = existsSync(this.pidsFile) ? readFileSync(this.pidsFile, 'utf8').trim().split('\n') : [];
    await vi.waitFor(() => expect(pids.map(Number).filter(isAlive)).toEqual([]), { timeout: 5_000 });
    const sockets = join(this.runtimeDirectory, 'skein');
    expect(existsSync(sockets) ? readdirSync(sockets) : []).toEqual([]);
    expect(existsSync(this.records) ? readdirSync(this.records) : []).toEqual([]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const agent of this.#agents) await agent.close({ signal: AbortSignal.abort() });
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A service as the workspace reader would give it; `spec` places point to line 10 and a column by pointer length. */
export function makeService(
  id: string,
  agent: AgentReference,
  changes: { isolate?: boolean; spec?: Record<string, Json> } = {},
): Service {
  const [module = '', name = ''] = id.split('/');
  const place = { file: '/w/workspace.skein.yaml', line: 1, column: 1 };
  return {
    id: id as ServiceId,
    module,
    name,
    kind: 'service',
    agent,
    directory: '/',
    endpoints: [],
    dependencies: [],
    configurationGroups: [],
    environment: new Map(),
    restart: { policy: 'never', attempts: 0, backoffMs: 0 } as Service['restart'],
    isolate: changes.isolate ?? false,
    spec: changes.spec ?? {},
    specPlace: (pointer) => ({ ...place, line: 10, column: pointer.length + 1 }),
    place,
  };
}

export function named(publisher: string, name: string): AgentReference {
  return { kind: 'name', publisher, name, place: { file: '/w/workspace.skein.yaml', line: 1, column: 1 } };
}
