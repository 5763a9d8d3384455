/** A postgres service for tests: the agent launched as a host launches it, a workspace of its own, and a client. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { Api, NetworkAccess, Visibility } from '../../src/gen/skein/base/v1/network_pb.js';
import { Status_State } from '../../src/gen/skein/base/v1/status_pb.js';
import { environment, type LaunchedAgent, loadRequest } from '../sdk/launch.ts';

export const isRoot: boolean = process.getuid?.() === 0;
const endpoints = [{ name: 'sql', api: Api.TCP, visibility: Visibility.INTERNAL }];

export interface Client {
  connect(): Promise<void>;
  query(text: string): Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): this;
}

const { Client: PgClient } = createRequire(import.meta.url)('pg') as {
  readonly Client: new (options: { readonly connectionString: string }) => Client;
};

/** Connected; broken connections are no news. */
export async function connect(url: string): Promise<Client> {
  const client = new PgClient({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Rows of one statement on a connection of its own. */
export async function query(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = await connect(url);
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** A workspace folder; `open`: others may come through, as in `/srv`. */
export class Workspace implements Disposable {
  readonly folder: string;

  constructor(access: 'open' | 'private' = 'open') {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'sk-pg-')));
    chmodSync(this.folder, access === 'open' ? 0o755 : 0o700);
  }

  dataOf(name = 'db'): string {
    return join(this.folder, 'data', name);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface ServiceOptions {
  readonly name?: string;
  readonly spec?: Record<string, unknown>;
  /** Default: true, which does not wait for the disk. */
  readonly disposable?: boolean;
  /** Default: a free one. */
  readonly port?: number;
}

/** One service in an agent: its phases, each of which answers the message as it came. */
export class Database {
  readonly agent: LaunchedAgent;
  readonly workspace: Workspace;
  readonly options: ServiceOptions;
  readonly instance: string;
  port = 0;
  /** Of the latest Init. */
  url = '';

  constructor(agent: LaunchedAgent, workspace: Workspace, options: ServiceOptions = {}) {
    this.agent = agent;
    this.workspace = workspace;
    this.options = options;
    this.instance = `shop/${options.name ?? 'db'}`;
  }

  get data(): string {
    return this.workspace.dataOf(this.options.name);
  }

  get cluster(): string {
    return join(this.data, 'cluster');
  }

  get logFile(): string {
    return join(this.workspace.folder, `${this.options.name ?? 'db'}.log`);
  }

  log(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  load(): ReturnType<LaunchedAgent['runtime']['load']> {
    const { name = 'db', spec = {}, disposable = true } = this.options;
    mkdirSync(join(this.workspace.folder, 'data'), { recursive: true });
    chmodSync(join(this.workspace.folder, 'data'), 0o755);
    return this.agent.runtime.load(
      loadRequest(
        this.workspace.folder,
        { engine: 'embedded', ...spec },
        {
          instance: this.instance,
          agent: 'skein/postgres',
          identity: { workspace: 'shop', module: 'shop', name, environment: 'local', run: 'r1' },
          dataDirectory: this.data,
          logFile: this.logFile,
          disposable,
          endpoints,
        },
      ),
    );
  }

  async init(): ReturnType<LaunchedAgent['runtime']['init']> {
    if (this.port === 0) this.port = this.options.port ?? (await freePort());
    const { instance, mappings: proposedNetworkMappings } = this;
    const answer = await this.agent.runtime.init({
      instance,
      proposedNetworkMappings,
      environment: [...environment],
    });
    this.url = answer.configurations[0]?.values[0]?.value ?? '';
    return answer;
  }

  start(): ReturnType<LaunchedAgent['runtime']['start']> {
    return this.agent.runtime.start({
      instance: this.instance,
      environment: [...environment],
      networkMappings: this.mappings,
    });
  }

  stop(timeoutMs?: number): ReturnType<LaunchedAgent['runtime']['stop']> {
    return this.agent.runtime.stop({
      instance: this.instance,
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
  }

  /** Load, Init and Start, each of which has to succeed; answers the server's pid. */
  async run(): Promise<number> {
    for (const { status } of [await this.load(), await this.init()])
      expect(status).toMatchObject({ state: Status_State.OK });
    const started = await this.start();
    expect(started.status).toMatchObject({ state: Status_State.OK });
    return started.processGroups[0]?.pgid ?? 0;
  }

  private get mappings(): {
    endpoint: string;
    instances: { access: NetworkAccess; host: string; port: number }[];
  }[] {
    return [
      { endpoint: 'sql', instances: [{ access: NetworkAccess.NATIVE, host: '127.0.0.1', port: this.port }] },
    ];
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Pids of every process whose working directory is the folder or in it. */
export function processesIn(folder: string): number[] {
  if (process.platform !== 'linux') {
    const listed = execFileSync('sh', ['-c', 'lsof -w -a -c postgres -d cwd -Fpn || true'], {
      encoding: 'utf8',
    });
    const pairs = [...listed.matchAll(/^p(\d+)\n(?:f.*\n)?n(.*)$/gm)];
    return pairs.filter(([, , cwd = '']) => cwd.startsWith(folder)).map(([, pid]) => Number(pid));
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Whether the System V segment exists that a lock file names; on Linux only. */
export function hasSharedMemory(lockFile: string): boolean {
  const [key, id] = (lockFile.split('\n')[6] ?? '').trim().split(/\s+/);
  const lines = process.platform === 'linux' ? readFileSync('/proc/sysvipc/shm', 'utf8').split('\n') : [];
  return lines.some((line) => line.trim().split(/\s+/).slice(0, 2).join() === [key, id].join());
}

export async function expectNothingIn(folder: string): Promise<void> {
  await vi.waitFor(() => expect(processesIn(folder)).toEqual([]), { timeout: 15_000, interval: 20 });
}
